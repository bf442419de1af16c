"""The mark "answerable from its pages": which questions their own pages answer."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from evaluation.dataset import Example
from evaluation.gold_in_text import has_gold
from models.batch_input import read_page
from models.web.extractors import make_reader
from models.web.settings import WebSettings


class Answerable(StrEnum):
    """Whether the pages of a question answer it."""

    YES = "yes"  # one of its pages has one of its right answers, or what that adds to the question
    NO = "no"
    NO_ANSWER = "no answer"  # no right answer states a fact that can be looked for


class AnswerableMarker:
    """Reads the pages of questions, and marks whether they answer them."""

    def __init__(self) -> None:
        self._reader = make_reader(WebSettings())

    def mark(self, example: Example) -> Answerable:
        """Whether the pages of `example` answer it."""
        texts = [self._text(page) for page in example.pages]
        if not texts:
            texts = [""]  # whether there is a fact to look for does not depend on pages
        matches = [has_gold(text, example.query, example.golds) for text in texts]
        if None in matches:
            return Answerable.NO_ANSWER
        return Answerable.YES if any(matches) else Answerable.NO

    def _text(self, page: Mapping[str, Any]) -> str:
        """The name, the snippet and the text of a page."""
        record = read_page(page)
        return f"{record.name}\n{record.snippet}\n{self._reader.read(record, Counter()).text}"


def write_answerable(examples: Iterable[Example], out: Path) -> Counter[Answerable]:
    """Write one JSON line per question: its `id`, and as `answerable` whether its pages answer it.

    The file has the form of `--slices` of `crag eval`.

    Returns:
        the number of questions by their mark.
    """
    marker = AnswerableMarker()
    counts: Counter[Answerable] = Counter()
    with out.open("w", encoding="utf-8") as lines:
        for example in examples:
            mark = marker.mark(example)
            lines.write(json.dumps({"id": example.id, "answerable": mark}) + "\n")
            counts[mark] += 1
    return counts
