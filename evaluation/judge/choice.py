"""Questions that offer the answers to choose from: "which is longer, a or b?"."""

import re
from dataclasses import dataclass

from evaluation.judge.doubts import cue, doubt
from evaluation.judge.names import find
from evaluation.judge.normalize import STOP, Text, read, stem
from evaluation.judge.numbers import Match, compare, quantities
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply

_THAN = re.compile(
    r"\b(?:than|compared (?:to|with)|versus|vs|over|before|after|ahead of|while|whereas"
    r"|followed by|unlike)\b"
)
_AGAINST = re.compile(r",? (?:not(?! as| so)|rather than|instead of|and not) ")
_BETWEEN = re.compile(r"\bbetween (?P<a>[^,]+?) and (?P<b>[^,]+?)(?:,|$)")
_BUT = re.compile(r"\b(?:but|although|however|though)\b")
_SENTENCE = re.compile(
    r"(?<![\s.]mr)(?<!mrs)(?<![\s.][sdj][tr])(?<!sgt)(?<!vs)(?<=[a-z0-9)\"'])[.!?]+\s+|\n+|\s;\s"
)
_EQUAL = re.compile(r"\b(?:same|equal|both|neither|tied?|identical)\b")
_COMPARATIVE = re.compile(
    r"\b(?:more|less|fewer|most|least|first|last|before|after"
    r"|\w{2,}e(?:r|st))\b"
)
_VERB = re.compile(r"\s(?:have|has|had|sell|win|won|make|cost|score|contain|get)\b")

# Pairs of opposites: to be one is not to be the other.
_POLES = tuple(
    (frozenset(high.split()), frozenset(low.split()))
    for high, low in (
        (
            "older elder oldest eldest earlier earliest first before",
            "younger youngest newer later latest last after",
        ),
        (
            "more most greater greatest higher highest larger largest bigger biggest",
            "less least fewer fewest smaller smallest lower lowest",
        ),
        ("longer longest taller tallest", "shorter shortest"),
        ("faster fastest quicker", "slower slowest"),
        ("better best", "worse worst"),
        ("heavier heaviest", "lighter lightest"),
        ("richer wealthier", "poorer"),
        ("cheaper cheapest", "dearer costlier"),
    )
)


@dataclass(frozen=True, slots=True)
class Choice:
    """Two options, each in the spellings that tell it from the other, and what is asked of them."""

    options: tuple[tuple[Text, ...], tuple[Text, ...]]
    asked: frozenset[str]

    def places(self, text: Text) -> tuple[list[int], list[int]]:
        """The offsets in `text.folded` at which each option is named."""
        first, second = (
            sorted({text.tokens[i].start for name in names for i, _ in find(name, text)})
            for names in self.options
        )
        return first, second

    def compared(self, sentence: str) -> frozenset[str]:
        """The comparing words of `sentence` that are no part of an option's name."""
        names = {word for option in self.options for name in option for word in name.words}
        return frozenset(word for word in _COMPARATIVE.findall(sentence) if word not in names)


def offered(question: Question) -> Choice | None:
    """The two things a question offers, or None where it offers none that can be told apart."""
    plain = question.text.folded.rstrip("?. ")
    between = _BETWEEN.search(plain)
    if between and not between["a"][0].isdigit():
        plain = f"{plain[between.end() :]}, {between['a']} or {between['b']}"
    left, found, right = plain.rpartition(" or ")
    if not found or not right or len(read(right).words) > 14:
        return None
    verb = _VERB.search(right)
    b = right[: verb.start()] if verb else right
    left = (
        re.split(r",\s|\bbetween\s|\?\s|\bis it\s|:\s(?!.*,)", left)[-1]
        if re.search(r",\s|\bbetween\s|\?\s|\bis it\s", left)
        else " ".join(left.split()[-max(1, min(len(b.split()), 3)) :])
    )
    names = _telling(left, b, question.who), _telling(b, left, question.who)
    if not names[0] or not names[1]:
        return None
    bare = Choice(names, frozenset())
    return Choice(names, bare.compared(question.text.folded))


def _telling(option: str, other: str, person: bool) -> tuple[Text, ...]:
    """Spellings of `option`: whole, after its colon, the words that `other` lacks, a surname."""
    whole, rest = read(option), read(other)
    words = [word for word in whole.words if word not in rest.words and word not in STOP]
    if not words:
        return ()
    out = [whole, read(" ".join(words))]
    if ":" in option:
        out.append(read(option.split(":")[-1]))
    if person and len(words) == 2:
        out.append(read(words[-1]))
    return tuple(name for name in out if name.words and not set(name.words) <= set(rest.words))


def judge_choice(gold: str, question: Question, reply: Reply) -> Judgement | None:
    """A verdict where the question offers two options and `gold` takes one, else None."""
    choice = offered(question)
    if choice is None:
        return None
    wanted = taken(read(gold), choice)
    if wanted is None:
        if choice.asked and all(choice.places(read(gold))):
            return unscored("the gold names both options")
        return None
    said = taken(reply.text, choice)
    if said is None:
        return _undecided(choice, reply)
    if said != wanted:
        return wrong("takes the other option")
    why = _doubt(wanted, choice, question, reply)
    if why:
        return unscored(why)
    if _misquotes(read(gold), question, reply):
        return unscored("takes the right option, with another number")
    return correct("takes the right option")


def _doubt(wanted: int, choice: Choice, question: Question, reply: Reply) -> str:
    """Why the reply may not take the option that it seems to, or ""."""
    if all(choice.places(reply.text)) or choice.compared(reply.text.folded):
        found = cue(reply.text.folded, question) if len(reply.text.tokens) <= 20 else ""
        return f"says {found!r} of it" if found else ""
    spans = next((s for name in choice.options[wanted] if (s := find(name, reply.text))), [])
    return doubt(spans, question, reply) if spans else ""


def _undecided(choice: Choice, reply: Reply) -> Judgement:
    named = [bool(place) for place in choice.places(reply.text)]
    if _EQUAL.search(reply.text.folded) and not _BUT.search(reply.text.folded):
        return wrong("takes neither option alone")
    joined = re.search(r"\b(?:and|or)\b", reply.text.folded)
    if all(named) and joined and len(reply.text.tokens) <= 5:
        return wrong("takes both options")
    if not any(named) and reply.short:
        return wrong("names neither option")
    return unscored("takes no option clearly")


def _misquotes(gold: Text, question: Question, reply: Reply) -> bool:
    """Whether the reply has a number in a unit of the gold's that the gold does not have."""
    known = [q for q in quantities(gold.folded) if not q.yearlike]
    units = {q.kind for q in known if q.kind}
    return any(
        q.kind in units and all(compare(k, q) is Match.NO for k in (*known, *question.numbers))
        for q in quantities(reply.text.folded)
    )


def taken(text: Text, choice: Choice) -> int | None:
    """The index of the option that `text` takes, or None where it cannot be told."""
    named = [bool(place) for place in choice.places(text)]
    if not any(named) or (_EQUAL.search(text.folded) and all(named)):
        return None
    takes = {
        index
        for sentence in _SENTENCE.split(text.folded)
        if (index := _in_sentence(sentence, choice)) is not None
    }
    if takes:
        return takes.pop() if len(takes) == 1 else None
    if all(named) or _denied(text.folded):
        return None
    if choice.asked and (_THAN.search(text.folded) or choice.compared(text.folded)):
        return None
    return named.index(True)


def _denied(sentence: str) -> bool:
    return bool(re.search(r"\b(?:not|no|never)\b|n't\b", sentence))


def _in_sentence(sentence: str, choice: Choice) -> int | None:
    """The option of which `sentence` says what is asked, or None."""
    places = choice.places(read(sentence))
    sense = _sense(sentence, choice)
    against = _AGAINST.search(sentence)
    if sense is None and against and all(places):  # "oster, not lindmouth"
        before = [min(place) < against.start() for place in places]
        return before.index(True) if sum(before) == 1 else None
    than = _THAN.search(read(sentence).folded)
    said = read(sentence).folded[: than.start() if than else None]
    if sense is None or _denied(said) or not any(places):
        return None
    subject: int | None = None
    if all(places):
        if than and not _BUT.search(sentence):
            before = [min(place) < than.start() for place in places]
            subject = before.index(True) if sum(before) == 1 else None
    else:
        named = 0 if places[0] else 1
        after = than is not None and min(places[named]) > than.start()
        subjects = read(said).tokens[:1]
        if after and not (subjects and subjects[0].stop):
            return None  # compared with a third thing, or with none
        subject = 1 - named if after else named
    if subject is None:
        return None
    return subject if sense else 1 - subject


def _sense(sentence: str, choice: Choice) -> bool | None:
    """True where `sentence` compares as the question does, False for the opposite."""
    said = choice.compared(sentence)
    if {stem(word) for word in said} & {stem(word) for word in choice.asked}:
        return True
    for high, low in _POLES:
        for mine, other in ((high, low), (low, high)):
            if choice.asked & mine and said & (mine | other):
                return bool(said & mine)
    return None
