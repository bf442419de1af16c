"""The typed records passed between the parts; the evaluator's batch dict is not used below them."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum

IDK = "i don't know"
INVALID = "invalid question"


class Task(IntEnum):
    """The three tracks of the contest; docs/ARCHITECTURE.md lists their differences."""

    WEB = 1  # five pages, no KG
    KG_WEB = 2  # five pages and the KG
    END_TO_END = 3  # up to fifty pages and the KG

    @property
    def has_kg(self) -> bool:
        return self is not Task.WEB


class Domain(StrEnum):
    FINANCE = "finance"
    MOVIE = "movie"
    MUSIC = "music"
    SPORTS = "sports"
    OPEN = "open"


class Source(StrEnum):
    """The origin of an answer."""

    KG = "kg"
    WEB = "web"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Page:
    """One search result. `html` may be empty: real data has pages without it."""

    name: str
    url: str
    snippet: str
    html: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a batch; its task determines what may be used for it.

    `asked_at` has the US Pacific time zone; it is None where `query_time` could not be read, and
    then no answer may depend on the time.
    """

    id: str
    text: str
    asked_at: datetime | None
    task: Task
    pages: tuple[Page, ...] = ()

    @property
    def asked_when(self) -> str:
        """Day of the week, date and time in words, for prompts; "not known" without a time."""
        return f"{self.asked_at:%A, %B %d, %Y, %H:%M} PT" if self.asked_at else "not known"

    @property
    def values(self) -> dict[str, str]:
        """The question and its time, for the placeholders of a prompt."""
        return {"question": self.text, "query_time": self.asked_when}


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of a page's text. `page` is its index in `Question.pages`, `start`/`end` are character
    offsets in the page's extracted text, `score` is comparable only within one question."""

    text: str
    page: int
    start: int
    end: int
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's answer; `IDK` with `Source.NONE` if there is none."""

    text: str = IDK
    source: Source = Source.NONE

    @property
    def known(self) -> bool:
        return self.text != IDK
