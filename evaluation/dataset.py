"""CRAG questions with their labels, one at a time, from any published form of the dataset."""

import ast
import json
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.streams import MAX_LINE_BYTES, ReadNotes, StreamRow, rows
from utils.errors import InputError

UNKNOWN = "unknown"
SLICES = ("domain", "question_type", "static_or_dynamic", "popularity")
ANSWER_KEYS = ("answer", "alt_ans", "alternative_answers")  # newer and older schema

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Example:
    """One question and what is known of it. Any of `golds` is a right answer.

    `pages` are the page dicts as found, with `page_file` already read into `page_result`.
    """

    id: str
    query: str
    query_time: str
    pages: tuple[Mapping[str, Any], ...] = ()
    golds: tuple[str, ...] = ()
    domain: str = UNKNOWN
    question_type: str = UNKNOWN
    static_or_dynamic: str = UNKNOWN
    popularity: str = UNKNOWN
    more: Mapping[str, str] = field(default_factory=dict)  # slices from another file

    @property
    def slices(self) -> dict[str, str]:
        """The groups it belongs to, by slice."""
        return {**{name: getattr(self, name) for name in SLICES}, **self.more}


def read_examples(
    path: Path, *, skip_bad: bool = False, notes: ReadNotes | None = None
) -> Iterator[Example]:
    """The dataset's questions in order, streamed.

    Args:
        path: .jsonl, .jsonl.bz2, .jsonl.gz, a tar of such files, or the parts of any of them.
        skip_bad: pass over rows that cannot be read, and count and log them.
        notes: filled with counts and with how much of the file has been read.

    Raises:
        InputError: naming file and line, for a row that is no question; and, whatever `skip_bad`
            says, for a broken file and for a `page_file` that cannot be had.
    """
    notes = notes or ReadNotes()
    used: set[str] = set()
    for row in rows(path, notes):
        where = f"{path}{f' ({row.member})' if row.member else ''}, line {row.line}"
        try:
            record = _record(row, where)
        except InputError as error:
            if not skip_bad:
                raise
            notes.bad_rows += 1
            logger.warning("row skipped: %s", error)
            continue
        line = f"{row.member}-line-{row.line}".removeprefix("-")
        name = _text(record.get("interaction_id")) or line
        unique = _unique(name, used)
        notes.renamed_ids += unique != name
        labels: dict[str, Any] = {name: _text(record.get(name)) or UNKNOWN for name in SLICES}
        yield Example(
            id=unique,
            query=record["query"],
            query_time=_text(record.get("query_time")),
            pages=tuple(_page(page, path.parent, where) for page in record["search_results"]),
            golds=_golds(record),
            **labels,
        )


def to_batch(examples: Sequence[Example]) -> dict[str, list[Any]]:
    """The batch dict the evaluator hands to `batch_generate_answer`: no label is in it."""
    return {
        "interaction_id": [example.id for example in examples],
        "query": [example.query for example in examples],
        "query_time": [example.query_time for example in examples],
        "search_results": [[dict(page) for page in example.pages] for example in examples],
    }


def _record(row: StreamRow, where: str) -> dict[str, Any]:
    """The row as a dict that has a non-empty `query` and a list of dicts as `search_results`."""
    if row.cut:
        raise InputError(f"{where}: longer than {MAX_LINE_BYTES >> 20} MiB")
    try:
        record = json.loads(row.data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error})") from error
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object")
    query, pages = record.get("query"), record.get("search_results") or []
    if not isinstance(query, str) or not query.strip():
        raise InputError(f"{where}: no query")
    if not isinstance(pages, list) or not all(isinstance(page, dict) for page in pages):
        raise InputError(f"{where}: search_results is not a list of objects")
    return {**record, "search_results": pages}


def _text(value: Any) -> str:
    """The value as stripped text; empty for what is absent."""
    return "" if value is None or value != value else str(value).strip()  # NaN: pandas' "absent"


def _unique(name: str, used: set[str]) -> str:
    """`name`, or `name#2`, `name#3` … where it was used before; added to `used`."""
    unique, number = name, 1
    while unique in used:
        number += 1
        unique = f"{name}#{number}"
    used.add(unique)
    return unique


def _golds(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The right answers, the first release's first, none twice.

    `answer_v4` counts only where the question is still the same: with a `query_v4` of its own it
    answers another question.
    """
    golds = [gold for key in ANSWER_KEYS for gold in _answers(record.get(key))]
    if _text(record.get("query_v4")) in ("", _text(record.get("query"))):
        golds += _answers(record.get("answer_v4"))
    return tuple(dict.fromkeys(golds))


def _answers(value: Any) -> list[str]:
    """One answer, a list of them, or a list spelled in a string, as a flat list of strings."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _listed(value)
    if isinstance(value, list):
        return [answer for item in value for answer in _answers(item)]
    text = _text(value)
    return [text] if text else []


def _listed(text: str) -> Any:
    """The list that `text` spells in JSON or in Python; else `text`, an answer with brackets."""
    for read in (json.loads, ast.literal_eval):
        with (
            suppress(ValueError, SyntaxError, RecursionError, MemoryError),
            warnings.catch_warnings(action="ignore"),  # "\d" in an answer is no fault of any code
        ):
            return [*read(text)]
    return text


def _page(page: Mapping[str, Any], folder: Path, where: str) -> Mapping[str, Any]:
    """The page with `page_file`, a path relative to `folder`, read into `page_result`.

    The file must lie in `folder` once every link is followed.
    """
    if "page_file" not in page:
        return page
    read = {**page, "page_result": ""}
    named = read.pop("page_file")
    if named is None:
        return read
    try:
        file: Path = (folder / named).resolve()
        if not file.is_relative_to(folder.resolve()):
            raise InputError(f"{where}: page_file {named} leaves the dataset's folder")
        return {**read, "page_result": file.read_text(encoding="utf-8", errors="replace")}
    except (OSError, ValueError, TypeError, RuntimeError) as error:  # the last: links in a circle
        raise InputError(f"{where}: page_file {named} cannot be read ({error})") from error
