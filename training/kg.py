"""Programs run over a KG, each once: what they return."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mock_api.cache import ready_file
from mock_api.local import LocalClient
from mock_api.store import Store
from models.batch_input import read_query_time
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parse import parse
from models.kg.language.printer import to_text
from models.kg.run import ProgramResult, run
from training.queries.facts import Draw, pools
from utils.deadline import Deadline

EXAMPLE_KG = Path(__file__).resolve().parent.parent / "example_data" / "kg"
NOTHING = "None"  # the program of questions that no KG can answer
SECONDS = 30.0  # a program


@dataclass(frozen=True, slots=True)
class Returned:
    """What a program returned; a text that is no program returns nothing.

    Attributes:
        values: of each statement, as JSON; the last statement's alone where others only feed it.
        something: at least one statement returned something.
        complete: every statement did, and none failed.
        informs: as the system sees it: values, or an entity's summary.
        sentences: the values in English.
    """

    values: tuple[str, ...] = ()
    something: bool = False
    complete: bool = False
    informs: bool = False
    sentences: tuple[str, ...] = ()


class Kg:
    """A KG that programs run over; results are remembered, and a failed call returns nothing."""

    def __init__(self, data: Path) -> None:
        """Open a KG.

        Args:
            data: our folder, the official one, or a file that `mock_api import` made.

        Raises:
            InputError: there is no KG.
        """
        self.client = LocalClient(data)
        self._data = data
        self._results: dict[tuple[str, str], Returned] = {}

    @cached_property
    def pools(self) -> dict[str, list[Draw]]:
        """The values that questions may name."""
        return pools(Store(ready_file(self._data, lambda _: None)))

    def returned(self, program: str, query_time: str) -> Returned:
        """What `program` returns at `query_time`."""
        key = (program, query_time)
        if key not in self._results:
            self._results[key] = self._run(program, query_time)
        return self._results[key]

    def _run(self, program: str, query_time: str) -> Returned:
        now = read_query_time(query_time)
        try:
            result = run(program, self.client, now, Deadline.after(SECONDS))
        except QuerySyntaxError:
            return Returned()
        return _returned_by(result)

    def same(self, one: str, other: str, query_time: str) -> bool:
        """Execution match: whether both return the same, and not nothing."""
        expected = self.returned(other, query_time)
        return expected.something and self.returned(one, query_time).values == expected.values


def canonical(program: str) -> str | None:
    """`program` in canonical form; None if it is not a program."""
    try:
        return to_text(parse(program).program)
    except QuerySyntaxError:
        return None


def _returned_by(result: ProgramResult) -> Returned:
    outcomes = result.answering
    all_have_values = all(outcome.values for outcome in outcomes)
    return Returned(
        values=result.values,
        informs=result.informs,
        something=any(outcome.values for outcome in outcomes),
        complete=bool(outcomes) and not result.errors and all_have_values,
        sentences=tuple(result.sentences),
    )
