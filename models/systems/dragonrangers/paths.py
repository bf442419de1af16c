"""Reasoning paths with two rationales, and their majority vote (dragonrangers, §3.1)."""

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from models.llm.confidence import vote_key
from models.records import Answer, Source
from models.subtasks.answers import read_answer

PATH_TOKENS = 200  # of a path: three sentences
_FIRST = re.compile(r"first(?:ly)?\s*,", re.I)
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
    line = " ".join(text.split())
    first_mark = _FIRST.match(line)
    second_mark = _SECOND.search(line)
    if first_mark is None or second_mark is None:
        return None
    conclusions = list(_CONCLUSION.finditer(line, second_mark.end()))
    if not conclusions:
        return None
    conclusion = conclusions[-1]
    first = line[first_mark.end() : second_mark.start()].strip()
    second = line[second_mark.end() : conclusion.start()].strip()
    answer = line[conclusion.end() :].strip().removesuffix(".").strip()
    if not (first and second and answer):
        return None
    return Reasoning(first, second, answer)


def vote(paths: Sequence[Reasoning | None]) -> tuple[Answer, float]:
    """A_P, the most frequent answer of the sampled paths, and C_P, its share of them (equation 2).

    A path that ends in "i don't know" or was cut off (None) counts as sampled but casts no vote. In
    a tie, the first answer wins. A single path has no second path to agree with: its share is one
    half.
    """
    votes: Counter[Hashable] = Counter()
    first_answers: dict[Hashable, Answer] = {}  # of those that count as equal, the first one
    for path in paths:
        if path is None:
            continue
        answer = read_answer(path.answer, Source.NONE)
        if answer.known:
            key = vote_key(answer.text)
            votes[key] += 1
            first_answers.setdefault(key, answer)
    if not votes:
        return Answer(), 0.0
    winner, count = votes.most_common(1)[0]
    return first_answers[winner], count / max(len(paths), _FEWEST)
