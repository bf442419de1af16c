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
from evaluation.streams import json_objects
from models.batch import read_page
from models.web.extractors import make_reader
from models.web.settings import WebSettings
from utils.errors import InputError

PAGES, ANSWERABLE = "pages.jsonl", "answerable.jsonl"
_BATCH = 8  # questions, with up to 50 pages each
Row = dict[str, Any]  # of a written file


class Answerable:
    """Reads the pages of questions, and says whether they answer them."""

    def __init__(self) -> None:
        self._reader = make_reader(WebSettings())

    def __call__(self, examples: Sequence[Example]) -> list[tuple[Row, list[Row]]]:
        """A row of `answerable.jsonl` per question, and the pages that it names."""
        return [self._read(example) for example in examples]

    def _read(self, example: Example) -> tuple[Row, list[Row]]:
        texts = [self._text(page) for page in example.pages] or [""]
        found = [has_gold(text, example.query, example.golds) for text in texts]
        answerable = "no answer" if None in found else "yes" if any(found) else "no"
        pages = [{**page, "id": _id(page)} for page in example.pages]
        ids = [page["id"] for page in pages]
        return {"id": example.id, "answerable": answerable, "pages": ids}, pages

    def _text(self, page: Mapping[str, Any]) -> str:
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
    out.mkdir(parents=True, exist_ok=True)
    with (out / PAGES).open("w") as pages, (out / ANSWERABLE).open("w") as questions:
        found = map_items(Answerable, examples, _BATCH, cluster, counts)
        for row, its_pages in chain.from_iterable(found):
            for page in its_pages:
                if page["id"] not in written:
                    written.add(page["id"])
                    pages.write(json.dumps(page) + "\n")
            questions.write(json.dumps(row) + "\n")
            answerable = f"answerable: {row['answerable']}"
            counts.update({"questions": 1, "pages": len(its_pages), answerable: 1})
    counts["distinct pages"] = len(written)
    return counts


def read_slices(file: Path) -> dict[str, dict[str, str]]:
    """More slices of questions, by id: of every JSON line the values that are texts.

    Raises:
        InputError: the file cannot be read, or a line is no object with an `id`, or has a slice
            that the dataset says itself.
    """
    found: dict[str, dict[str, str]] = {}
    for where, row in json_objects(file):
        more = {key: value for key, value in row.items() if isinstance(value, str) and key != "id"}
        if "id" not in row or more.keys() & set(SLICES):
            raise InputError(f"{where}: expected an id, and no key named {', '.join(SLICES)}")
        found[str(row["id"])] = more
    return found


def _id(page: Mapping[str, Any]) -> str:
    content = f"{page.get('page_url')}\n{page.get('page_result')}"
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]
