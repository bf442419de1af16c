"""Run a program of the query language over the KG API."""

from dataclasses import dataclass
from datetime import datetime

from models.kg.execute import Client, Outcome, execute
from models.kg.language.ast import Program
from models.kg.language.parser import parse
from models.kg.verbalize import sentences, told
from utils.deadline import Deadline
from utils.errors import CragError


@dataclass(frozen=True, slots=True)
class Result:
    """What each statement of `program` gave, in order."""

    program: Program
    outcomes: tuple[Outcome, ...]

    @property
    def sentences(self) -> list[str]:
        """A short English sentence a statement, for a reader or a prompt."""
        return sentences(self.outcomes)

    @property
    def known(self) -> list[str]:
        """Those of `sentences` that say what the KG knows."""
        return [text for outcome, text in told(self.outcomes) if outcome.values]

    @property
    def errors(self) -> list[CragError]:
        """What failed or came too late: where there is one, something may be lacking."""
        return [error for outcome in self.outcomes for error in outcome.errors]


def run(program: Program | str, client: Client, now: datetime | None, deadline: Deadline) -> Result:
    """Fetch what `program` asks for, seen from `now`, the question's own time.

    A text is read leniently: what models get wrong is mended (`language/repair.py`).

    Raises:
        QuerySyntaxError: the text is no program.
    """
    tree = parse(program).program if isinstance(program, str) else program
    return Result(tree, execute(tree, client, now, deadline))
