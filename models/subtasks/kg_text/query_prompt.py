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
    the question only, a tenth of the tokens, for adapters that have learned the language. It has no
    date: such adapters write times as the question says them.
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
    examples = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        examples.append(FewShotExample(Domain(row["domain"]), row["question"], row["program"]))
    return tuple(examples)


def most_alike(
    question: str, domain: Domain | None, examples: Sequence[FewShotExample], keep: int
) -> list[FewShotExample]:
    """The `keep` examples of the domain that are most similar to `question`, best first.

    Without a domain, of all domains. Similarity is the cosine of word counts; words that occur in a
    single example are parts of names and are ignored. db3 chose examples by hand instead.
    """
    choices = [example for example in examples if domain in (None, example.domain)]
    counts: Counter[str] = Counter()
    for example in choices:
        counts.update(_question_stems(example.question))
    common = {word_stem for word_stem, count in counts.items() if count > 1}
    question_stems = _question_stems(question) & common

    def likeness(example: FewShotExample) -> float:
        example_stems = _question_stems(example.question) & common
        product = len(question_stems) * len(example_stems)
        return len(question_stems & example_stems) / math.sqrt(max(product, 1))

    return sorted(choices, key=likeness, reverse=True)[:keep]


def _question_stems(question: str) -> frozenset[str]:
    """The stems of all words of a question."""
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
    template = load_prompt(_PROMPTS[form])
    if form is QueryForm.SHORT:
        return template, {"question": question.text}, []
    values = question.values
    values["schema"] = schema_text(domain)
    if keep or domain is None:
        chosen = most_alike(question.plain, domain, examples, keep or _WITHOUT_DOMAIN)
    else:
        chosen = [example for example in examples if example.domain is domain]
    texts = [f"Question: {example.question}\nQuery: {example.program}" for example in chosen]
    return template, values, texts
