"""The typed records that the parts exchange; no part below `user_model.py` sees the batch dict."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum

from utils.plain_question import plain_question

IDK = "i don't know"
INVALID = "invalid question"
MAX_BATCH = 16  # the evaluator's bound on get_batch_size()


class Task(IntEnum):
    """The three tracks of the contest; docs/ARCHITECTURE.md lists their differences."""

    WEB = 1  # five pages, no KG
    KG_WEB = 2  # five pages and the KG
    END_TO_END = 3  # up to fifty pages and the KG

    @property
    def has_kg(self) -> bool:
        """Whether the KG may be used."""
        return self is not Task.WEB


class Domain(StrEnum):
    """The subject of a question."""

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

    `asked_at` has the US Pacific time zone. It is None if `query_time` could not be read; then no
    answer may depend on the time.
    """

    id: str
    text: str
    asked_at: datetime | None
    task: Task
    pages: tuple[Page, ...] = ()

    @property
    def plain(self) -> str:
        """The question with plain signs, as the parser and the searches read it."""
        return plain_question(self.text)

    @property
    def asked_when(self) -> str:
        """Day of the week, date and time in words, for prompts; "not known" without a time."""
        if self.asked_at is None:
            return "not known"
        return f"{self.asked_at:%A, %B %d, %Y, %H:%M} PT"

    @property
    def values(self) -> dict[str, str]:
        """The question and its time, for the placeholders of a prompt."""
        return {"question": self.text, "query_time": self.asked_when}


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of a page's text.

    Attributes:
        text: the span without blanks at its ends; a part of a table has the table's header first.
        page: the page's index in `Question.pages`.
        start: character offset in the page's extracted text.
        end: likewise.
        score: comparable only within one question.
    """

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
        """Whether it is not "i don't know"."""
        return self.text != IDK
