"""The result of the web path."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from models.load_shedding import GivenUp
from models.records import Passage
from models.web.page import PageText
from utils.deadline import Deadline


@dataclass(slots=True)
class Retrieved:
    """The result for one question, with seconds and counts.

    Attributes:
        texts: the pages that were read, by their index.
        passages: best first.
        seconds: by stage, by the deadline's clock.
        counts: pages, chunks, children, embedded, reranked; and `broke:NAME` for each failure: an
            extractor, the chunker, a page worker or its limits (models/web/page_workers.py).
        given_up: the work omitted for lack of time (models/load_shedding.py).
    """

    texts: dict[int, PageText] = field(default_factory=dict)
    passages: list[Passage] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    given_up: list[GivenUp] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str, deadline: Deadline) -> Iterator[None]:
        """Measure the seconds of a stage."""
        start = deadline.clock()
        yield
        self.seconds[name] = deadline.clock() - start

    def gave_up(self, what: GivenUp) -> None:
        """Note that work was omitted; once for each kind."""
        if what not in self.given_up:
            self.given_up.append(what)

    @property
    def broke(self) -> dict[str, int]:
        """The number of failures of each part, by name."""
        return {
            name.removeprefix("broke:"): times
            for name, times in self.counts.items()
            if name.startswith("broke:")
        }
