"""Question-program pairs, and the selection of those most similar to a question.

db3 chose them by hand and did not try selection by similarity (section 3.2).
"""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from models.prompts import FOLDER
from models.records import Domain
from utils.text import stem, words

FILE = FOLDER / "db3" / "examples.jsonl"


@dataclass(frozen=True, slots=True)
class FewShotExample:
    """A question and the program that answers it."""

    domain: Domain
    question: str
    program: str

    def __str__(self) -> str:
        return f"Question: {self.question}\nQuery: {self.program}"


@cache
def load_examples() -> tuple[FewShotExample, ...]:
    """The examples that come with the project."""
    rows = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    return tuple(FewShotExample(Domain(r["domain"]), r["question"], r["program"]) for r in rows)


def most_alike(
    question: str, domain: Domain | None, examples: Sequence[FewShotExample], keep: int
) -> list[FewShotExample]:
    """The `keep` examples of the domain that are most similar to `question`, best first.

    Without a domain, of all domains. Similarity is the cosine of word counts; words that occur in a
    single example are parts of names and are ignored.
    """
    own = [example for example in examples if domain in (None, example.domain)]
    said = [_stems(example.question) for example in own]
    frames = Counter(stem for stems in said for stem in stems)
    common = {stem for stem, count in frames.items() if count > 1}
    asked = _stems(question) & common

    def likeness(index: int) -> float:
        frame = said[index] & common
        return len(asked & frame) / math.sqrt(max(len(asked) * len(frame), 1))

    order = sorted(range(len(own)), key=lambda index: -likeness(index))[:keep]
    return [own[index] for index in order]


def _stems(question: str) -> frozenset[str]:
    return frozenset(map(stem, words(question)))
