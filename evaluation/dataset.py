"""CRAG questions with their labels, streamed from any published form of the dataset."""

import ast
import json
import logging
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluation.streams import MAX_LINE_BYTES, ReadNotes, StreamRow, json_objects, rows
from utils.errors import InputError

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks
UNKNOWN = "unknown"
SLICES = ("domain", "question_type", "static_or_dynamic", "popularity")
ANSWER_KEYS = ("answer", "alt_ans", "alternative_answers")  # newer and older schema

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Example:
    """One question and what is known of it.

    Attributes:
        pages: the page dicts of the dataset, with `page_file` already read into `page_result`.
        golds: the right answers, each right by itself.
        more: its groups in further slices, from another file.
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
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def slices(self) -> dict[str, str]:
        """The groups it belongs to, by slice."""
        own_slices = {name: getattr(self, name) for name in SLICES}
        return {**own_slices, **self.more}


def read_examples(
    path: Path, *, skip_bad: bool = False, notes: ReadNotes | None = None
) -> Iterator[Example]:
    """The dataset's questions in order, streamed.

    Args:
        path: .jsonl, .jsonl.bz2, .jsonl.gz, a tar of such files, or the parts of any of them.
        skip_bad: pass over rows that cannot be read, and count and log them.
        notes: filled with counts and with how much of the file has been read.

    Raises:
        InputError: naming file and line, for a row that is no question or whose `page_file` cannot
            be read; and, whatever `skip_bad` says, for a broken file.
    """
    notes = notes or ReadNotes()
    used_ids: set[str] = set()
    for row in rows(path, notes):
        member = f" ({row.member})" if row.member else ""
        place = f"{path}{member}, line {row.line}"
        id_from_line = f"{row.member}-line-{row.line}".removeprefix("-")
        try:
            example = example_of(_object_in(row, place), place, id_from_line, path.parent)
        except InputError as error:
            if not skip_bad:
                raise
            notes.bad_rows += 1
            logger.warning("row skipped: %s", error)
            continue
        unique_id = unique_name(example.id, used_ids)
        used_ids.add(unique_id)
        if unique_id != example.id:
            notes.renamed_ids += 1
        yield replace(example, id=unique_id)


def example_of(record: Mapping[str, Any], place: str, default_id: str, folder: Path) -> Example:
    """The question in a row of a dataset.

    Args:
        place: of the row, for errors.
        default_id: for a row without `interaction_id`.
        folder: where each `page_file` lies.

    Raises:
        InputError: the row is no question, or a `page_file` cannot be read.
    """
    query = record.get("query")
    if not isinstance(query, str) or not query.strip():
        raise InputError(f"{place}: {_why_no_query(record)}")
    pages = _pages_in(record.get("search_results"))
    if pages is None:
        raise InputError(f"{place}: search_results is not a list of objects")
    labels: dict[str, Any] = {name: _text(record.get(name)) or UNKNOWN for name in SLICES}
    return Example(
        id=_text(record.get("interaction_id")) or default_id,
        query=query,
        query_time=_text(record.get("query_time")),
        pages=tuple(_page(page, folder, place) for page in pages),
        golds=_golds(record),
        **labels,
    )


def read_slices(file: Path) -> dict[str, dict[str, str]]:
    """More slices of questions, by id: of every JSON line the values that are texts.

    Raises:
        InputError: the file cannot be read, or a line is no object with an `id`, or has a slice
            that the dataset has itself.
    """
    slices_by_id: dict[str, dict[str, str]] = {}
    for place, row in json_objects(file):
        texts = {key: value for key, value in row.items() if isinstance(value, str)}
        texts.pop("id", None)
        if "id" not in row or texts.keys() & set(SLICES):
            raise InputError(f"{place}: expected an id, and no key named {', '.join(SLICES)}")
        slices_by_id[str(row["id"])] = texts
    return slices_by_id


def to_batch(examples: Sequence[Example]) -> dict[str, list[Any]]:
    """The batch dict that the evaluator passes to `batch_generate_answer`: it has no label."""
    return {
        "interaction_id": [example.id for example in examples],
        "query": [example.query for example in examples],
        "query_time": [example.query_time for example in examples],
        "search_results": [list(map(dict, example.pages)) for example in examples],
    }


def _why_no_query(record: Mapping[str, Any]) -> str:
    """Why a row has no text as its `query`."""
    if record.get("query") not in (None, "") and not isinstance(record["query"], str):
        return f"query is {record['query']!r:.40}, not a text"
    if isinstance(record.get("question"), str):
        return "no query; rename `question` to `query`"
    return "no query"


def _object_in(row: StreamRow, place: str) -> dict[str, Any]:
    """The JSON object in a row.

    Raises:
        InputError: the row is too long, or is no JSON object.
    """
    if row.cut:
        raise InputError(f"{place}: longer than {MAX_LINE_BYTES >> 20} MiB")
    try:
        if row.data.startswith(_UTF_16) and b"\0" in row.data:
            raise InputError(f"{place}: UTF-16; save the dataset as UTF-8")
        record = json.loads(row.data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON ({error})") from error
    if not isinstance(record, dict):
        raise InputError(f"{place}: not a JSON object")
    return record


def _text(value: Any) -> str:
    """The value as stripped text; empty where it is absent: None, or NaN as pandas writes it."""
    is_nan = value != value
    return "" if value is None or is_nan else str(value).strip()


def unique_name(name: str, used: Collection[str]) -> str:
    """`name`, or `name#2`, `name#3` … where it was used before: of several questions with one id,
    each has its own."""
    unique = name
    number = 1
    while unique in used:
        number += 1
        unique = f"{name}#{number}"
    return unique


def _golds(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The right answers, the first release's first, none twice.

    `answer_v4` counts only where the question is still the same: with a `query_v4` of its own it
    answers another question.
    """
    golds: list[str] = []
    for key in ANSWER_KEYS:
        golds += _answers(record.get(key))
    if _text(record.get("query_v4")) in ("", _text(record.get("query"))):
        golds += _answers(record.get("answer_v4"))
    return tuple(dict.fromkeys(golds))


def _answers(value: Any) -> list[str]:
    """One answer, a list of them, or a list spelled in a string, as a flat list of strings."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _spelled_list(value)
    if isinstance(value, list):
        answers: list[str] = []
        for item in value:
            answers += _answers(item)
        return answers
    text = _text(value)
    return [text] if text else []


def _spelled_list(text: str) -> Any:
    """The list that `text` spells in JSON or in Python; else `text`, an answer with brackets."""
    for parse in (json.loads, ast.literal_eval):
        with (
            suppress(ValueError, SyntaxError, RecursionError, MemoryError),
            warnings.catch_warnings(action="ignore"),  # "\d" in an answer is no fault of any code
        ):
            return list(parse(text))
    return text


def _pages_in(results: Any) -> list[dict[str, Any]] | None:
    """The pages of a row, which may be JSON in a text, or lack some; None: they are none."""
    if isinstance(results, str) and results.strip():
        try:
            results = json.loads(results)
        except (ValueError, RecursionError):
            return None
    if not results:
        return []
    if not isinstance(results, list):
        return None
    pages = [page for page in results if page is not None]
    return pages if all(isinstance(page, dict) for page in pages) else None


def _page(page: Mapping[str, Any], folder: Path, place: str) -> Mapping[str, Any]:
    """The page with `page_file`, a path relative to `folder`, read into `page_result`.

    The file must lie in `folder` once every link is followed.
    """
    if "page_file" not in page:
        return page
    with_content = {**page, "page_result": ""}
    name = with_content.pop("page_file")
    if name is None:
        return with_content
    try:
        file: Path = (folder / name).resolve()
        if not file.is_relative_to(folder.resolve()):
            raise InputError(f"{place}: page_file {name} leaves the dataset's folder")
        with_content["page_result"] = file.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError, TypeError, RuntimeError) as error:  # the last: links in a circle
        raise InputError(f"{place}: page_file {name} cannot be read ({error})") from error
    return with_content
