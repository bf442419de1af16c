"""The offline judge: a verdict where question, gold answer and reply are read as one type."""

import logging
import re
from collections.abc import Sequence

from evaluation.judge.answer_type import AnyType, Unread
from evaluation.judge.dates import DATE
from evaluation.judge.lists import LIST
from evaluation.judge.names import NAME, find_name, is_sentence
from evaluation.judge.numbers import NUMBER
from evaluation.judge.options import OPTION
from evaluation.judge.polar import POLAR
from evaluation.judge.protocol import Item, Judgement, Verdict, correct, failed, unscored, wrong
from evaluation.judge.question import JudgedQuestion, analyse
from evaluation.judge.settle import (
    is_invalid,
    is_unanswered,
    judge_answer_of_invalid,
    settle,
)
from evaluation.judge.text import Text, tokenize
from evaluation.judge.times import SCORE, TIME

# In order: the first that can read the gold answer reads the reply.
TYPES: tuple[AnyType, ...] = (POLAR, OPTION, TIME, SCORE, DATE, NUMBER, LIST, NAME)
_ORDER = (Verdict.CORRECT, Verdict.UNSCORED, Verdict.WRONG)
_log = logging.getLogger(__name__)
_LONGEST = 2000  # characters of a prediction that are read; 75 tokens are far fewer
_BEFORE_ANSWER = re.compile(
    r"(?:^|\b(?:is|was|are|were|by|called|named|titled|entitled) )(?:the |an? )?[\"']?$"
)
_TWO_CLAIMS = re.compile(r"\b(?:and|but|while|whereas)\b")
# "It was Ada. No, wait": what is said before counts no more.
_TAKEN_BACK = re.compile(
    r"\b(?:incorrect|kidding|oops|scratch that|absolutely not|not (?:true|correct|right)|i doubt"
    r"|unlikely|i (?:do not|don't) think|i mean)\b|[?.!;-] *\(?(?:no|nope|wrong)\b *[.,!)]"
    r"|[\u274c\u2716\u2717\u2718]"
)


class RulesJudge:
    """Judges by rules alone: no model, no network, some hundred items a second."""

    name = "rules"

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        """One judgement an item; an item that a rule breaks on is unscored, the others are not."""
        return [_judge_safely(item) for item in items]


def _judge_safely(item: Item) -> Judgement:
    """The judgement of an item; a failed one if a rule raises."""
    try:
        return judge_item(item)
    except Exception as error:  # noqa: BLE001  (a fault of a rule is no fault of the answer)
        _log.exception("a rule broke on item %s", item.id)
        return failed(f"a rule broke: {error!r}")


def judge_item(item: Item) -> Judgement:
    """Correct where any gold is matched; wrong where every gold is contradicted; else unscored."""
    settled = settle(item)
    if settled is not None:
        return settled
    if not item.golds:
        return unscored("there is no gold answer", "no gold answer")
    if len(item.prediction) > _LONGEST:
        return unscored("is too long to read", "no type")
    question = analyse(item.query[:_LONGEST])
    reply = tokenize(item.prediction)
    if _TAKEN_BACK.search(reply.folded):
        return unscored("takes something back", "no type")
    judgements = [_judge_gold(gold[:_LONGEST], question, reply) for gold in item.golds]
    return min(judgements, key=lambda judgement: _ORDER.index(judgement.verdict))


def _judge_gold(gold: str, question: JudgedQuestion, reply: Text) -> Judgement:
    """The verdict against one gold answer."""
    if is_unanswered(gold):
        return wrong("there is no known answer", "no gold answer")
    if is_invalid(gold):
        return judge_answer_of_invalid(reply.folded)
    if not reply.tokens:
        return unscored("has no words", "no words")
    text = tokenize(gold)
    if _is_its_subject(reply, text, question):
        return correct("is what the gold sentence states", "sentence")
    for answer_type in TYPES:
        stated = answer_type.read_gold(text, question)
        if stated is None:
            continue
        name = answer_type.name
        value = answer_type.read_reply(reply, question, stated)
        if isinstance(value, Unread):
            return unscored(f"{name}: {value.reason}", name)
        if question.two_parts:
            return unscored("the question asks two things", name)
        if answer_type.equal(stated, value):
            return correct(f"{name}: the same", name)
        if answer_type.contradicts(stated, value):
            return wrong(f"{name}: another", name)
        return unscored(f"{name}: {answer_type.close}", name)
    return unscored("the gold answer is of no type", "no type")


def _is_its_subject(reply: Text, gold: Text, question: JudgedQuestion) -> bool:
    """Whether a reply is the subject of a gold sentence that makes one claim, or follows "is" or
    "by" in it."""
    is_new = not all(map(question.echoes, reply.words))
    if not is_new or not reply.short or question.plural or question.two_parts:
        return False
    if not is_sentence(gold, question) or _TWO_CLAIMS.search(gold.folded):
        return False
    spans = find_name(reply, gold, is_person=question.who)
    return any(_BEFORE_ANSWER.search(gold.folded[:start]) for start, _ in spans)
