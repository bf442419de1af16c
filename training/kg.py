"""The KG that data is built over, and programs run over it: what they return, each run once."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from mock_api.cache import ready_file
from mock_api.local import LocalClient
from mock_api.store import Store
from models.batch import read_query_time
from models.kg.execute import Client
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parser import parse
from models.kg.language.printer import to_text
from models.kg.run import Result, run
from training.queries.facts import Drawn, pools
from utils.deadline import Deadline

EXAMPLE_KG = Path(__file__).resolve().parent.parent / "example_data" / "kg"
NOTHING = "None"  # the program of questions that no graph can answer
SECONDS = 30.0  # a program


@dataclass(frozen=True, slots=True)
class Returned:
    """What a program returned.

    Attributes:
        text: the program in the language's one way of writing it; None: it is no program.
        values: of each statement, as JSON; the last statement's alone where others only feed it.
        something: a statement gave something.
        complete: every statement did, and nothing failed.
        sentences: the same in English.
    """

    text: str | None
    values: tuple[str, ...] = ()
    something: bool = False
    complete: bool = False
    sentences: tuple[str, ...] = ()


@dataclass
class Checker:
    """Runs programs over a KG, and remembers what they gave; a call that failed gave nothing."""

    client: Client
    made: dict[tuple[str, str], Returned] = field(default_factory=dict)

    def returned(self, program: str, query_time: str) -> Returned:
        """What `program` gives, seen from `query_time`."""
        key = (program, query_time)
        if key not in self.made:
            try:
                tree = parse(program).program
            except QuerySyntaxError:
                return self.made.setdefault(key, Returned(None))
            now = read_query_time(query_time)
            self.made[key] = _returned(run(tree, self.client, now, Deadline.after(SECONDS)))
        return self.made[key]

    def same(self, one: str, other: str, query_time: str) -> bool:
        """Whether both return the same, and something (execution match)."""
        first = self.returned(other, query_time)
        return first.something and self.returned(one, query_time).values == first.values


@dataclass(frozen=True, slots=True)
class Kg:
    """A KG that programs run over, and what there is in it to ask for."""

    checker: Checker
    pools: dict[str, list[Drawn]]


def open_kg(data: Path) -> Kg:
    """The KG of `data`: our folder, the official one, or a file that `mock_api import` made.

    Raises:
        InputError: there is no KG at `data`.
    """
    return Kg(Checker(LocalClient(data)), pools(Store(ready_file(data, lambda _: None))))


def written(program: str) -> str | None:
    """`program` in the one way of writing it; None where it is none."""
    try:
        return to_text(parse(program).program)
    except QuerySyntaxError:
        return None


def _returned(result: Result) -> Returned:
    outcomes = result.outcomes
    keyed = [
        o
        for o in outcomes
        if getattr(o.statement, "key", None) or getattr(o.statement, "reduce", None) is not None
    ]
    told = keyed or outcomes
    values = tuple(json.dumps(o.values, sort_keys=True, default=str) for o in told)
    complete = bool(outcomes) and not result.errors and all(o.values for o in told)
    something = any(o.values for o in told)
    sentences = tuple(result.sentences)
    return Returned(to_text(result.program), values, something, complete, sentences)
