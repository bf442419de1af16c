"""The evaluator's batch dict becomes `Question`s here, and exists nowhere below."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from models.records import Page, Question, Task
from utils.errors import InputError

PACIFIC = ZoneInfo("America/Los_Angeles")

logger = logging.getLogger(__name__)


def read_batch(
    batch: Mapping[str, Any], choose_task: Callable[[int], Task]
) -> list[Question | InputError]:
    """One `Question` for each entry of `batch["query"]`, or what is wrong with that entry.

    Only `query` is needed. A missing id becomes the position; a missing or unreadable `query_time`
    becomes None; missing pages become none; a page without HTML keeps its snippet.
    `choose_task` says which task a question with so many pages is.

    Raises:
        InputError: `batch` is no mapping, or has no list of queries: then it cannot even be said
            how many answers are due.
    """
    if not isinstance(batch, Mapping) or not _is_list(batch.get("query")):
        raise InputError("a batch needs a list under 'query'")
    columns = {
        name: batch[name] if _is_list(batch.get(name)) else []
        for name in ("interaction_id", "query_time", "search_results")
    }
    read: list[Question | InputError] = []
    for index, text in enumerate(batch["query"]):
        question_id, query_time, results = (_at(column, index) for column in columns.values())
        pages = tuple(
            _read_page(page)
            for page in (results if _is_list(results) else ())
            if isinstance(page, Mapping)
        )
        read.append(_read_question(index, text, question_id, query_time, pages, choose_task))
    return read


def _read_question(
    index: int,
    text: Any,
    question_id: Any,
    query_time: Any,
    pages: tuple[Page, ...],
    choose_task: Callable[[int], Task],
) -> Question | InputError:
    if not isinstance(text, str) or not text.strip():
        return InputError(f"question {index}: the query is not a text: {text!r:.80}")
    return Question(
        id=str(index if question_id is None else question_id),
        text=" ".join(text.split()),
        asked_at=read_query_time(query_time),
        task=choose_task(len(pages)),
        pages=pages,
    )


def read_query_time(value: Any) -> datetime | None:
    """The time in "03/10/2024, 23:19:21 PT", in the US Pacific zone; None if it is no such text."""
    if isinstance(value, str):
        try:
            naive = datetime.strptime(value.removesuffix("PT").strip(), "%m/%d/%Y, %H:%M:%S")
        except ValueError:
            pass
        else:
            return naive.replace(tzinfo=PACIFIC)
    logger.warning("query_time cannot be read: %.60r", value)
    return None


def _read_page(page: Mapping[str, Any]) -> Page:
    def text(key: str) -> str:
        value = page.get(key)
        return value if isinstance(value, str) else ""

    return Page(
        name=text("page_name"),
        url=text("page_url"),
        snippet=text("page_snippet"),
        html=text("page_result"),
        last_modified=text("page_last_modified").strip(),
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _at(column: Sequence[Any], index: int) -> Any:
    return column[index] if index < len(column) else None
