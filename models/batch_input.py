"""Converts the evaluator's batch dict into `Question`s; no lower layer reads the dict."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice, zip_longest
from typing import Any
from zoneinfo import ZoneInfo

from models.records import Page, Question, Task
from utils.errors import InputError

_COLUMNS = ("interaction_id", "query_time", "search_results")
PACIFIC = ZoneInfo("America/Los_Angeles")
QUERY_TIME = "%m/%d/%Y, %H:%M:%S PT"  # as CRAG's data and the evaluator have it
_TIME_EXAMPLES = "2024-03-05T16:00 or 03/05/2024, 16:00:00 PT"
_OFFICIAL_TIME = re.compile(
    r"(\d\d?)/(\d\d?)/(\d{4})(?:,?\s+(\d\d?:\d\d(?::\d\d)?))?(?:\s*P[SD]?T)?", re.I
)
_PACIFIC_NAME = re.compile(r" ?P[SD]?T$")
_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?", re.I)

logger = logging.getLogger(__name__)


def read_batch(
    batch: Mapping[str, Any], choose_task: Callable[[int], Task]
) -> list[Question | InputError]:
    """One `Question` for each entry of `batch["query"]`, or the error of that entry.

    Only `query` is required. Without an id, a question has its position as its id; without a
    readable `query_time`, its time is None. Without pages it has no page; a page without HTML keeps
    its snippet.

    Args:
        batch: the evaluator's dict.
        choose_task: returns the task for a number of pages.

    Raises:
        InputError: `batch` is not a mapping or has no list of queries, so that the number of
            answers is unknown.
    """
    queries = _as_list(batch.get("query")) if isinstance(batch, Mapping) else None
    if queries is None:
        raise InputError("a batch needs a list under 'query'")
    columns = [_as_list(batch.get(name)) or [] for name in _COLUMNS]
    rows = islice(zip_longest(queries, *columns), len(queries))  # a column may be short or long
    return [_read_question(index, row, choose_task) for index, row in enumerate(rows)]


def _read_question(
    index: int, row: Sequence[Any], choose_task: Callable[[int], Task]
) -> Question | InputError:
    text, question_id, query_time, results = row
    if not isinstance(text, str) or not text.strip():
        return InputError(f"question {index}: the query is not a text: {text!r:.80}")
    page_dicts = [page for page in _as_list(results) or () if isinstance(page, Mapping)]
    pages = tuple(read_page(page) for page in page_dicts)
    id = str(question_id if _is_id(question_id) else index)
    return Question(
        id=id,
        text=" ".join(text.split()),
        asked_at=read_query_time(query_time, id),
        task=choose_task(len(pages)),
        pages=pages,
    )


def read_query_time(value: Any, id: str = "") -> datetime | None:
    """The time of a question by `read_time`; None where it cannot be read.

    `id`: of the question, for the log.
    """
    if isinstance(value, str):
        with suppress(InputError):
            return read_time(value)
    logger.warning(
        "question %s: %s; no time is assumed, so that phrases such as 'last year' cannot be "
        "answered",
        id,
        f"query_time cannot be read: {value!r:.60}" if value else "no query_time",
    )
    return None


def read_time(text: str) -> datetime:
    """The time in a text, in the US Pacific zone: as CRAG writes it ("03/10/2024, 23:19:21 PT"; PST
    and PDT mean the zone, too), or an ISO date or time, whose "Z" or offset is converted.

    Raises:
        InputError: it is no such time.
    """
    text = " ".join(text.split())
    official = _OFFICIAL_TIME.fullmatch(text)
    if official:
        month, day, year, clock = official.groups()
        hour, _, rest = (clock or "0:00").partition(":")
        text = f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{rest}"
    try:
        if _ISO_TIME.fullmatch(text):
            when = datetime.fromisoformat(_PACIFIC_NAME.sub("", text.upper()))
            if when.year >= 1000:  # an earlier one is written without zeros
                return when.astimezone(PACIFIC) if when.tzinfo else when.replace(tzinfo=PACIFIC)
    except (ValueError, OverflowError):
        pass
    raise InputError(f"the time {text!r:.60} cannot be read: write it as {_TIME_EXAMPLES}")


def read_page(page: Mapping[str, Any]) -> Page:
    """A page of a batch; a field that is absent or not a text is empty."""

    def text(key: str) -> str:
        value = page.get(key)
        return value if isinstance(value, str) else ""

    return Page(
        name=text("page_name"),
        url=text("page_url"),
        snippet=text("page_snippet"),
        html=text("page_result"),
    )


def _is_id(value: Any) -> bool:
    """Whether `value` is a nonempty text, or an integer that is not too long to be a text."""
    if isinstance(value, str):
        return bool(value)
    # Python refuses to convert an integer of over 4,300 digits to a text.
    return isinstance(value, int) and abs(value) < 2**63


def _as_list(value: Any) -> list[Any] | None:
    """A list, tuple, array or similar as a list; None for anything else, such as a text or dict."""
    if isinstance(value, (str, bytes, bytearray, Mapping)) or not isinstance(value, Iterable):
        return None
    return list(value)
