"""The offline judge: rules of English, numbers and dates; unscored where they cannot tell."""

import logging
import re
from collections.abc import Callable, Sequence

from evaluation.judge.dates import judge_date
from evaluation.judge.lists import judge_list
from evaluation.judge.names import judge_code, judge_name
from evaluation.judge.normalize import Text, fold, read, words
from evaluation.judge.numbers import judge_number
from evaluation.judge.polar import judge_polar
from evaluation.judge.protocol import Item, Judgement, Verdict, correct, failed, unscored, wrong
from evaluation.judge.question import JudgedQuestion, analyse
from evaluation.judge.sentences import judge_sentence
from evaluation.judge.shortcuts import best, is_unanswered, settle

Rule = Callable[[str, JudgedQuestion, Text], Judgement | None]

# In order: the first that applies to the gold gives the verdict; the last applies to any.
RULES: tuple[Rule, ...] = (
    judge_polar,
    judge_code,
    judge_date,
    judge_number,
    judge_list,
    judge_name,
    judge_sentence,
)
_log = logging.getLogger(__name__)
_ITEM = re.compile(r"(?:^|\n|(?<=: )|(?<=[;,.)] ))\s*(?:\d{1,2}[.)](?!\d)|[-*•])\s+")
_LONGEST = 2000  # characters of a prediction that are read; 75 tokens are far fewer
_OPTION = 4  # the option that a gold answer chooses is among its first so many words


class RulesJudge:
    """Judges by rules alone: no model, no network, some thousand items a second."""

    name = "rules"

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        """One judgement an item; an item that a rule breaks on is unscored, the others are not."""
        return [_judged(item) for item in items]


def _judged(item: Item) -> Judgement:
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
    return best([_against(gold[:_LONGEST], question, reply) for gold in item.golds])


def _read_reply(prediction: str) -> Text:
    """`prediction` with ";" for the bullets or numbers of a list."""
    parts = _ITEM.split(fold(prediction))
    return read(" ; ".join(parts) if len(parts) > 2 else prediction)


def _against(gold: str, question: JudgedQuestion, reply: Text) -> Judgement:
    if is_unanswered(gold):
        return wrong("there is no known answer")
    for opening in (gold, gold.partition(", ")[2]):  # "As of today, Pfizer has the higher yield"
        option = set(read(opening).words[:_OPTION]) & set(question.text.words)
        if " or " in question.text.folded and set(reply.words) <= option:
            return correct("takes the right option")
    said = (rule(gold, question, reply) for rule in RULES)
    judgement = next(one for one in said if one is not None)
    lacking = set(read(gold).words) - set(reply.words) - words("stop")
    if lacking and question.two_parts and judgement.verdict is Verdict.CORRECT:
        return unscored(f"lacks {min(lacking)!r}")
    return judgement
