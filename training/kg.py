"""The KG that data is built over: a folder (served by us for as long as it is needed) or a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mock_api.cache import ready_file
from mock_api.process import serve
from mock_api.store import Store
from training.queries.check import Checker
from training.queries.facts import Drawn, pools
from utils.crag_api import CragClient

EXAMPLE_KG = Path(__file__).resolve().parent.parent / "example_data" / "kg"
_CACHE = 100_000  # answers that the client keeps: programs repeat their calls


@dataclass(frozen=True, slots=True)
class Kg:
    """A KG that programs run over, and what there is in it to ask for."""

    checker: Checker
    pools: dict[str, list[Drawn]]


@contextmanager
def opened(data: Path) -> Iterator[Kg]:
    """The KG of `data`: our folder, the official one, or a file that `mock_api import` made.

    Raises:
        InputError: there is no KG at `data`.
        ApiUnavailable: its server did not start.
    """
    file = ready_file(data, lambda _: None)
    with serve(file) as url:
        client = CragClient(url, cache_size=_CACHE)
        yield Kg(Checker(client), pools(Store(file)))
