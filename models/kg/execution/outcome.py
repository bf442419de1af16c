"""What a step of a plan gives, for those who read it."""

from dataclasses import dataclass
from typing import Any

from models.kg.execution.fetch.protocol import Row
from models.kg.execution.plan import PlanStep
from utils.errors import CragError


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some rows have a value."""

    known: int
    total: int

    @property
    def is_partial(self) -> bool:
        """Whether a row has none."""
        return self.known < self.total


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a step, and of the statement that ends with it.

    Attributes:
        step: as planned; None for the statement `None`, and if nothing was fetched.
        rows: all rows that it kept, for the next statement.
        taken: the rows among them whose values were read.
        values: the values of its key, or of its reduction, on these; unknown ones are left out.
        entities: the things it is about, by the KG's own names.
        requested: the names that were looked up, as the program writes them.
        sorted_share: of the rows that were sorted, those with a value to sort by.
        reduced_share: of the rows that were aggregated, those with a value.
        complete: the KG has all rows of this kind.
        all_violate: there are rows, and each violates a condition.
        lacking: of several entities, those without a value.
        notes: substitutions and omissions.
        readings: those notes that say which names were read as other ones, here or in a step that
            this one uses.
        errors: failed and late calls; with any, the outcome may be incomplete.
        operands: of a calculation, its sides: results of other steps, numbers or dates.
    """

    step: PlanStep | None = None
    rows: tuple[Row, ...] = ()
    taken: tuple[Row, ...] = ()
    values: tuple[Any, ...] = ()
    entities: tuple[str, ...] = ()
    requested: tuple[str, ...] = ()
    sorted_share: Share | None = None
    reduced_share: Share | None = None
    complete: bool = False
    all_violate: bool = False
    lacking: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    errors: tuple[CragError, ...] = ()
    operands: tuple["Operand", ...] = ()

    @property
    def informs(self) -> bool:
        """Whether it has values, or an entity's summary instead."""
        return bool(self.values) or any(row.get("summary_text") for row in self.taken)

    @property
    def shows_absence(self) -> bool:
        """Whether it has no values though the KG has the entity and all rows of this kind."""
        is_sure = self.complete and not self.notes and not self.errors
        return is_sure and bool(self.entities) and not self.values


Operand = Outcome | str | int | float  # a side of a calculation; a text is a date
