"""Yes-or-no questions that one place of a page settles: a sentence of the summary, or a value.

All words that a question asks about must stand close together there; a negation before them
turns the answer round, and anything less says nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.kg.english.open.keys import SUMMARY
from models.kg.english.open.subjects import NAME, Subject, harmless
from models.kg.english.reading import Reading
from models.kg.execute import Outcome
from utils.text import FUNCTION_WORDS, stem, words

_POLAR = re.compile(r"(?:is|was|are|were|does|did|do|has|have|had|can|could)\b")
_REFUSED = re.compile(
    r"\b(?:or|than|not|never|before|after|since|until|still|ever|more|less|fewer|\w+n't|other|another"
    r"|same|both|all|every|any|if|currently|now|today|would|will|who|what|which|when|where|how|why)\b"
)
# Words for having something, which say nothing of what is had.
_HAVING = frozenset(
    """
    support supports supported provide provides offer offers feature features mechanism system
    functionality capability built builtin handled handle handles via through automatic
    automatically
    implement implements implemented rely relies based kind type form able come comes equipped
    """.split()
)
# A word that another one says already: to collect garbage is to manage memory.
_IMPLIED = {"garbage": frozenset(("memory", "management", "manage", "managed", "collector"))}
_NEGATION = frozenset("not without no never lacks lack neither nor rather instead unlike".split())
_RANKED = re.compile(r"\w{2,}est|most|first|last|only|largest")
_SECOND = re.compile(
    r"second|third|\w*(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|teen|tie)th|\d+(?:st|nd|rd|th)"
)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|(?<=[a-z)][.!?])(?=[A-Z])|\n")
_SHORT = 12  # words of a value that is read as one place
_MOST = 5  # words that a question may ask about
_BEFORE = 5  # words before the first one in which a negation counts


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Yes, or no, as one place of the entity's page says it of the stems in `wanted`.

    A single word must stand in the summary's first sentence or in a value.
    """

    wanted: tuple[str, ...]

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = outcomes[-1].rows
        if len(rows) != 1:
            return None
        sentences = SENTENCE.split(str(rows[0].get(SUMMARY) or ""))
        verdicts = {self._verdict(words(text)) for text in sentences[: self._sentences]}
        verdicts |= {self._verdict(place) for place in _places(rows[0])}
        verdicts.discard(None)
        return next(iter(verdicts)) if len(verdicts) == 1 else None

    @property
    def _sentences(self) -> int | None:
        return 1 if len(self.wanted) == 1 else None

    def _verdict(self, place: Sequence[str]) -> str | None:
        stems = [stem(word) for word in place]
        if not all(word in stems for word in self.wanted):
            return None
        at = sorted(stems.index(word) for word in self.wanted)
        if at[-1] - at[0] > 4 * len(self.wanted):
            return None
        before = place[max(0, at[0] - _BEFORE) : at[0]]
        if _NEGATION & set(before):
            return "no"
        ranked = [index for index, own in enumerate(stems)
                  if own in self.wanted and _RANKED.fullmatch(place[index])]  # fmt: skip
        lower = [index for index in ranked if index and _SECOND.fullmatch(place[index - 1])]
        if ranked and len(lower) == len(ranked):
            return "no"
        partly = lower or any(place[i - 2 : i] == ["of", "the"] for i in ranked)
        return None if partly or _NEGATION & set(place) else "yes"


def _places(row: dict[str, object]) -> Iterator[list[str]]:
    """Each value, or member of a list, with the words of its key."""
    for key, value in row.items():
        if key == SUMMARY or re.search(r"image|caption|alt|note|ref", key):
            continue
        for each in value if isinstance(value, list) else [value]:
            place = words(f"{key.replace('_', ' ')} {each}")
            if len(place) <= _SHORT:
                yield place


def features(rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """The reading of a question whether an entity is, has or does something."""
    if not _POLAR.match(rest) or rest.count(NAME) != 1 or _REFUSED.search(rest):
        return
    asked = [word for word in rest.split() if word not in FUNCTION_WORDS | _HAVING | {NAME}]
    implied = frozenset().union(*(_IMPLIED.get(word, frozenset()) for word in asked))
    asked = [word for word in asked if word not in implied and not harmless(word)]
    wanted = tuple(dict.fromkeys(stem(word) for word in asked))
    if 0 < len(wanted) <= _MOST and all(word in about.said for word in wanted):
        yield Reading(f"ALL {call}", Mentioned(wanted))
