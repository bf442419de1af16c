"""Converts the evaluator's batch dict into `Question`s; no lower layer reads the dict."""

import logging
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
# Times on a command line.
TIME_FORMATS = [QUERY_TIME, "%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]

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
    """The time in "03/10/2024, 23:19:21 PT", in the US Pacific zone; None for any other text.

    `id`: of the question, for the log.
    """
    if isinstance(value, str):
        with suppress(ValueError):
            naive = datetime.strptime(value.removesuffix("PT").strip(), "%m/%d/%Y, %H:%M:%S")
            return naive.replace(tzinfo=PACIFIC)
    logger.warning(
        "question %s: %s; no time is assumed, so that phrases such as 'last year' cannot be "
        "answered",
        id,
        f"query_time cannot be read: {value!r:.60}" if value else "no query_time",
    )
    return None


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
