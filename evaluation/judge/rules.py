"""The offline judge: rules of English, numbers and dates; unscored where they cannot tell."""

import logging
import re
from collections.abc import Callable, Sequence

from evaluation.judge.dates import judge_date
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.lists import judge_list
from evaluation.judge.names import judge_code, judge_name
from evaluation.judge.normalize import Text, fold, tokenize
from evaluation.judge.numbers import judge_number
from evaluation.judge.polar import judge_polar
from evaluation.judge.protocol import Item, Judgement, Verdict, correct, failed, unscored, wrong
from evaluation.judge.question import JudgedQuestion, analyse
from evaluation.judge.sentences import judge_sentence
from evaluation.judge.shortcuts import best_judgement, is_unanswered, settle

JudgeRule = Callable[[str, JudgedQuestion, Text], Judgement | None]

# In order: the first that applies to the gold gives the verdict; the last applies to any.
RULES: tuple[JudgeRule, ...] = (
    judge_polar,
    judge_code,
    judge_date,
    judge_number,
    judge_list,
    judge_name,
    judge_sentence,
)
_log = logging.getLogger(__name__)
_LIST_MARK = re.compile(r"(?:^|\n|(?<=: )|(?<=[;,.)] ))\s*(?:\d{1,2}[.)](?!\d)|[-*•])\s+")
_LONGEST = 2000  # characters of a prediction that are read; 75 tokens are far fewer
_OPTION = 4  # the option that a gold answer chooses is among its first so many words


class RulesJudge:
    """Judges by rules alone: no model, no network, some thousand items a second."""

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
    """Correct where any gold is matched; wrong where every gold is surely not; else unscored."""
    settled = settle(item)
    if settled is not None:
        return settled
    if not item.golds:
        return unscored("there is no gold answer")
    question = analyse(item.query[:_LONGEST])
    reply = _read_reply(item.prediction[:_LONGEST])
    return best_judgement([_judge_gold(gold[:_LONGEST], question, reply) for gold in item.golds])


def _read_reply(prediction: str) -> Text:
    """`prediction` with ";" for the bullets or numbers of a list."""
    parts = _LIST_MARK.split(fold(prediction))
    if len(parts) <= 2:
        return tokenize(prediction)
    return tokenize(" ; ".join(parts))


def _judge_gold(gold: str, question: JudgedQuestion, reply: Text) -> Judgement:
    """The verdict against one gold answer."""
    if is_unanswered(gold):
        return wrong("there is no known answer")
    if _takes_option(gold, question, reply):
        return correct("takes the right option")
    judgement = _first_verdict(gold, question, reply)
    if question.two_parts and judgement.verdict is Verdict.CORRECT:
        lacking = set(tokenize(gold).words) - set(reply.words) - judge_lexicon().stop.words
        if lacking:
            return unscored(f"lacks {min(lacking)!r}")
    return judgement


def _takes_option(gold: str, question: JudgedQuestion, reply: Text) -> bool:
    """Whether the question names alternatives, and the reply is the one that the gold begins with.

    A gold may begin with an adverbial: "As of today, Pfizer has the higher yield".
    """
    if " or " not in question.text.folded:
        return False
    for opening in (gold, gold.partition(", ")[2]):
        option = set(tokenize(opening).words[:_OPTION]) & set(question.text.words)
        if set(reply.words) <= option:
            return True
    return False


def _first_verdict(gold: str, question: JudgedQuestion, reply: Text) -> Judgement:
    """The verdict of the first rule that applies to the gold."""
    for rule in RULES:
        judgement = rule(gold, question, reply)
        if judgement is not None:
            return judgement
    raise AssertionError("the last rule applies to any gold")
