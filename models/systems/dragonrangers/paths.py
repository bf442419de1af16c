"""Reasoning paths with two rationales, and their majority vote (dragonrangers, §3.1)."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from models.llm.confidence import vote_key
from models.records import Answer, Source
from models.subtasks.answers import said

_SECOND = re.compile(r"(?<=[.!?;])\s+second(?:ly)?\s*,", re.I)
_FEWEST = 2  # number of paths needed for agreement
_CONCLUSION = re.compile(r"\bthe (?:final )?answer is\b\s*:?", re.I)


@dataclass(frozen=True, slots=True)
class Reasoning:
    """One reasoning path: two rationales, and the answer that they lead to (section 4.4)."""

    first: str
    second: str
    answer: str


def read_path(text: str) -> Reasoning | None:
    """The path in "First, ... Second, ... The answer is ..."; None if it has another form."""
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
    """A_P, the most frequent answer of the sampled paths, and C_P, its share of them (equation 2).

    A path that ends in "i don't know" or was cut off (None) counts as sampled but casts no vote. In
    a tie, the first answer wins. A single path has no second path to agree with: its share is one
    half.
    """
    answers = [said(path.answer, Source.NONE) for path in paths if path]
    known = [answer for answer in answers if answer.known]
    if not known:
        return Answer(), 0.0
    counts = Counter(vote_key(answer.text) for answer in known)
    key, most = counts.most_common(1)[0]
    answer = next(answer for answer in known if vote_key(answer.text) == key)
    return answer, most / max(len(paths), _FEWEST)
