"""Reasoning paths of two rationales, and what most of them come to (dragonrangers, §3.1)."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from models.llm.confidence import vote_key
from models.records import Answer, Source
from models.subtasks.answers import said

_SECOND = re.compile(r"(?<=[.!?;])\s+second(?:ly)?\s*,", re.I)
_FEWEST = 2  # paths that can agree
_CONCLUSION = re.compile(r"\bthe (?:final )?answer is\b\s*:?", re.I)


@dataclass(frozen=True, slots=True)
class Reasoning:
    """One reasoning path: two rationales, and the answer that they come to (section 4.4)."""

    first: str
    second: str
    answer: str


def read_path(text: str) -> Reasoning | None:
    """The path of "First, ... Second, ... The answer is ..."; None where it has another form."""
    text = " ".join(text.split())
    if not re.match(r"first(?:ly)?\s*,", text, re.I):
        return None
    second = _SECOND.search(text)
    conclusions = list(_CONCLUSION.finditer(text, second.end())) if second else []
    if second is None or not conclusions:
        return None
    last = conclusions[-1]
    first = text[text.index(",") + 1 : second.start()].strip()
    between = text[second.end() : last.start()].strip()
    answer = text[last.end() :].strip().removesuffix(".").strip()
    return Reasoning(first, between, answer) if first and between and answer else None


def vote(paths: Sequence[Reasoning | None]) -> tuple[Answer, float]:
    """A_P, the commonest answer of the sampled paths, and C_P, its share of them (equation 2).

    A path that ends in "i don't know", and one that came to no end (None), counts as sampled and
    votes for nothing. Of answers that are as common, the first. A path alone agrees with no other:
    its share is a half.
    """
    answers = [said(path.answer, Source.NONE, _grounds(path)) for path in paths if path]
    known = [answer for answer in answers if answer.known]
    if not known:
        return Answer(), 0.0
    counts = Counter(vote_key(answer.text) for answer in known)
    key, most = counts.most_common(1)[0]
    answer = next(answer for answer in known if vote_key(answer.text) == key)
    return answer, most / max(len(paths), _FEWEST)


def _grounds(path: Reasoning) -> str:
    return f"{path.first} {path.second}"
