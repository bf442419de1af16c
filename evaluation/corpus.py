"""The pages of a dataset as one corpus, and which questions their own pages answer."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evaluation.dataset import Example
from evaluation.gold_in_text import has_gold
from models.batch import read_page
from models.web.extractors import Reader, make_reader
from models.web.settings import WebSettings
from utils.errors import InputError

PAGES, ANSWERABLE = "pages.jsonl", "answerable.jsonl"


def write_corpus(examples: Iterable[Example], out: Path) -> Counter[str]:
    """Write two files of JSON lines to the folder `out`.

    `pages.jsonl`: every page once, by its address and content, with an `id`. `answerable.jsonl`: a
    question's `id`, its `pages` and `answerable`: "yes" where one of its pages has one of its right
    answers, or what it adds to the question; "no"; or "no answer" where there is nothing
    to find. Its form is that of `--slices` of local_evaluation.py.

    Returns:
        counts of questions, pages, distinct pages, and questions by `answerable`.
    """
    settings = WebSettings()
    reader = make_reader(settings.extractors, settings.max_html_chars, tables=settings.tables)
    counts: Counter[str] = Counter()
    texts: dict[str, str] = {}  # of the pages so far
    try:
        out.mkdir(parents=True, exist_ok=True)
        with (out / PAGES).open("w") as pages, (out / ANSWERABLE).open("w") as questions:
            for example in examples:
                ids = []
                for page in example.pages:
                    name = _id(page)
                    ids.append(name)
                    if name not in texts:
                        texts[name] = _text(page, reader)
                        pages.write(json.dumps({"id": name, **page}) + "\n")
                answerable = _answerable(example, [texts[name] for name in ids])
                row = {"id": example.id, "answerable": answerable, "pages": ids}
                questions.write(json.dumps(row) + "\n")
                counts.update({"questions": 1, "pages": len(ids), f"answerable: {answerable}": 1})
    except OSError as error:
        raise InputError(f"{out}: the corpus cannot be written ({error})") from error
    counts["distinct pages"] = len(texts)
    return counts


def read_slices(file: Path) -> dict[str, dict[str, str]]:
    """More slices of questions, by id: of every JSON line the values that are texts.

    Raises:
        InputError: the file cannot be read, or a line is no object with an `id`.
    """
    found: dict[str, dict[str, str]] = {}
    number = 0
    try:
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):  # noqa: B007 - named in an error
            if line.strip():
                row = json.loads(line)
                more = {key: value for key, value in row.items() if isinstance(value, str)}
                found[str(more.pop("id", row["id"]))] = more
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}, line {number}: no object with an id ({error!r})") from error
    return found


def _id(page: Mapping[str, Any]) -> str:
    content = f"{page.get('page_url')}\n{page.get('page_result')}"
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]


def _text(page: Mapping[str, Any], reader: Reader) -> str:
    read = read_page(page)
    return f"{read.name}\n{read.snippet}\n{reader.read(read, Counter()).text}"


def _answerable(example: Example, texts: list[str]) -> str:
    found = [has_gold(text, example.query, example.golds) for text in texts or [""]]
    return "no answer" if None in found else "yes" if any(found) else "no"
