"""Questions that offer two answers to choose from: "which is longer, a or b?"."""

import re

from evaluation.judge.doubts import cue, doubt
from evaluation.judge.names import find
from evaluation.judge.normalize import Span, Text, read
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.reply import Reply

_BEFORE_OPTIONS = re.compile(r",\s|\bbetween\s|\?\s|\bis it\s|:\s(?!.*,)")
_VERB = re.compile(r"\s(?:have|has|had|sell|win|won|make|cost|score|contain|get)\b")
_COMPARATIVE = re.compile(
    r"\b(?:more|less|fewer|most|least|first|last|before|after|than|over|\w{2,}e(?:r|st))\b"
)
_THAN = re.compile(r"\b(?:than|before|over|while|whereas)\b")
_LONGEST = 14  # words of an option
_SHORT = 12  # tokens of a reply that only answers


def judge_choice(gold: str, question: JudgedQuestion, reply: Reply) -> Judgement | None:
    """A verdict where the question offers two options and the reply names one, else None."""
    options = _offered(question)
    if options is None:
        return None
    wanted = _taken(read(gold), options)
    if wanted is None or not any(_spans(option, reply.text) for option in options):
        return None
    said = _taken(reply.text, options)
    compared = _compared(reply.text, options) - _compared(question.text, options) - {"than", "over"}
    if said is None or compared or cue(reply.text.folded, question):
        return unscored("takes no option clearly")
    if said != wanted:
        why = "takes the other option"
        return wrong(why) if len(reply.text.tokens) <= _SHORT else unscored(why)
    why = doubt(_spans(options[said], reply.text), question, reply)
    return unscored(why) if why else correct("takes the right option")


def _offered(question: JudgedQuestion) -> tuple[Text, Text] | None:
    """The two things that a question offers, without the words that they share, or None."""
    plain = question.text.folded.rstrip("?. ")
    left, found, right = plain.rpartition(" or ")
    b = _VERB.split(right)[0]
    if not found or not b or len(read(right).words) > _LONGEST:
        return None
    parts = _BEFORE_OPTIONS.split(left)
    a = parts[-1] if len(parts) > 1 else " ".join(left.split()[-max(1, min(len(b.split()), 3)) :])
    first, second = (
        read(" ".join(word for word in read(one).words if word not in read(other).words))
        for one, other in ((a, b), (b, a))
    )
    return (first, second) if first.words and second.words else None


def _compared(text: Text, options: tuple[Text, Text]) -> set[str]:
    """The comparing words of `text` that are no part of an option's name."""
    return set(_COMPARATIVE.findall(text.folded)) - {
        word for name in options for word in name.words
    }


def _taken(text: Text, options: tuple[Text, Text]) -> int | None:
    """The index of the option that `text` takes: the only one, or the subject of a comparison."""
    spans = [_spans(option, text) for option in options]
    than = [k for k, word in enumerate(text.words) if _THAN.fullmatch(word)]
    if not all(spans):
        return [bool(found) for found in spans].index(True) if any(spans) and not than else None
    before = [bool(than) and found[0][0] < than[0] for found in spans]
    return before.index(True) if sum(before) == 1 else None


def _spans(option: Text, text: Text) -> list[Span]:
    """Where an option stands, or its last word alone: a surname."""
    return find(option, text) or find(read(option.words[-1]), text)
