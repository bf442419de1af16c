"""The prompt for a program of the query language, with examples (db3, section 3.2).

The running system and the training data of its adapter use the same function, so that an adapter
sees the prompt it was trained with.
"""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from models.kg.schema.prompt_text import schema_text
from models.prompts import FOLDER, Template, load_prompt
from models.records import Domain, Question
from utils.text import stem, words

FILE = FOLDER / "db3" / "examples.jsonl"
_WITHOUT_DOMAIN = 12  # examples, if the domain is unknown


class QueryForm(StrEnum):
    """How much the prompt contains.

    `full`: schema, rules and examples, for any model, and for adapters trained with them. `short`:
    the question only, a tenth of the tokens, for adapters that have learned the language.
    """

    FULL = "full"
    SHORT = "short"


_PROMPTS = {QueryForm.FULL: "db3/write_query", QueryForm.SHORT: "db3/write_query_short"}


@dataclass(frozen=True, slots=True)
class FewShotExample:
    """A question and the program that answers it."""

    domain: Domain
    question: str
    program: str


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
    single example are parts of names and are ignored. db3 chose examples by hand instead.
    """
    own = [example for example in examples if domain in (None, example.domain)]
    frames = Counter(stem for example in own for stem in _stems(example.question))
    common = {stem for stem, count in frames.items() if count > 1}
    asked = _stems(question) & common

    def likeness(example: FewShotExample) -> float:
        frame = _stems(example.question) & common
        return len(asked & frame) / math.sqrt(max(len(asked) * len(frame), 1))

    return sorted(own, key=likeness, reverse=True)[:keep]


def _stems(question: str) -> frozenset[str]:
    return frozenset(map(stem, words(question)))


def query_prompt(
    question: Question,
    domain: Domain | None,
    *,
    form: QueryForm,
    examples: Sequence[FewShotExample],
    keep: int,
) -> tuple[Template, dict[str, str], list[str]]:
    """The template, its values, and the examples for `{passages}`, the most important first in case
    not all fit the model's context.

    Args:
        question: with its own time.
        domain: whose part of the schema, and of `examples`, is shown; None: all.
        form: how much the prompt contains.
        examples: pairs to show.
        keep: how many of them, the most similar ones; 0: all of the domain, in a fixed order, so
            that the prompts of a domain share a server's prefix cache.
    """
    values = question.values
    if form == QueryForm.SHORT:
        return load_prompt(_PROMPTS[form]), values, []
    values["schema"] = schema_text(domain)
    shown = [example for example in examples if example.domain is domain]
    if keep or domain is None:
        shown = most_alike(question.text, domain, examples, keep or _WITHOUT_DOMAIN)
    texts = [f"Question: {example.question}\nQuery: {example.program}" for example in shown]
    return load_prompt(_PROMPTS[form]), values, texts
