"""The pages of a dataset as one corpus, and which questions their own pages answer."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from evaluation.cluster import Cluster, map_items
from evaluation.dataset import SLICES, Example
from evaluation.gold_in_text import has_gold
from models.batch import read_page
from models.web.extractors import make_reader
from models.web.settings import WebSettings
from utils.errors import InputError

PAGES, ANSWERABLE = "pages.jsonl", "answerable.jsonl"
_BATCH = 8  # questions, with up to 50 pages each
Page = Mapping[str, Any]


class Answerable:
    """Reads the pages of questions, and says whether they answer them."""

    def __init__(self) -> None:
        settings = WebSettings()
        self._reader = make_reader(
            settings.extractors, settings.max_html_chars, tables=settings.tables
        )

    def __call__(self, examples: Sequence[Example]) -> list[tuple[dict[str, Any], list[Page]]]:
        """A row of `answerable.jsonl` per question, and the pages that it names."""
        texts: dict[str, str] = {}
        found = []
        for example in examples:
            ids = [_id(page) for page in example.pages]
            for name, page in zip(ids, example.pages, strict=True):
                if name not in texts:
                    texts[name] = self._text(page)
            answerable = _answerable(example, [texts[name] for name in ids])
            row = {"id": example.id, "answerable": answerable, "pages": ids}
            found.append((row, list(example.pages)))
        return found

    def _text(self, page: Page) -> str:
        read = read_page(page)
        return f"{read.name}\n{read.snippet}\n{self._reader.read(read, Counter()).text}"


def write_corpus(
    examples: Iterable[Example], out: Path, cluster: Cluster | None = None
) -> Counter[str]:
    """Write two files of JSON lines to the folder `out`.

    `pages.jsonl`: every page once, by its address and content, with an `id`. `answerable.jsonl`: a
    question's `id`, its `pages` and `answerable`: "yes" where one of its pages has one of its right
    answers, or what it adds to the question; "no"; or "no answer" where there is nothing
    to find. Its form is that of `--slices` of local_evaluation.py. Pages are read on `cluster`, if
    given.

    Returns:
        counts of questions, pages, distinct pages, questions by `answerable`, and of what the
            cluster lost.
    """
    counts: Counter[str] = Counter()
    written: set[str] = set()  # pages by id
    try:
        out.mkdir(parents=True, exist_ok=True)
        with (out / PAGES).open("w") as pages, (out / ANSWERABLE).open("w") as questions:
            found = map_items(Answerable, examples, _BATCH, cluster, counts)
            for row, its_pages in chain.from_iterable(found):
                for name, page in zip(row["pages"], its_pages, strict=True):
                    if name not in written:
                        written.add(name)
                        pages.write(json.dumps({**page, "id": name}) + "\n")
                questions.write(json.dumps(row) + "\n")
                answerable = f"answerable: {row['answerable']}"
                counts.update({"questions": 1, "pages": len(its_pages), answerable: 1})
    except OSError as error:
        raise InputError(f"{out}: the corpus cannot be written ({error})") from error
    counts["distinct pages"] = len(written)
    return counts


def read_slices(file: Path) -> dict[str, dict[str, str]]:
    """More slices of questions, by id: of every JSON line the values that are texts.

    Raises:
        InputError: the file cannot be read, or a line is no object with an `id`.
    """
    found: dict[str, dict[str, str]] = {}
    number = 0
    try:
        for number, line in enumerate(file.read_text(encoding="utf-8-sig").split("\n"), 1):  # noqa: B007 - named in an error
            if line.strip():
                row = json.loads(line)
                more = {key: value for key, value in row.items() if isinstance(value, str)}
                if taken := more.keys() & set(SLICES):
                    raise ValueError(f"the dataset says {', '.join(taken)} itself")
                found[str(more.pop("id", row["id"]))] = more
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}, line {number}: no object with an id ({error!r})") from error
    return found


def _id(page: Page) -> str:
    content = f"{page.get('page_url')}\n{page.get('page_result')}"
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]


def _answerable(example: Example, texts: list[str]) -> str:
    found = [has_gold(text, example.query, example.golds) for text in texts or [""]]
    return "no answer" if None in found else "yes" if any(found) else "no"
