"""What needs no rule: missing, invalid question, exact match; the best of several verdicts."""

from evaluation.judge.missing import is_invalid, is_missing, is_unanswered
from evaluation.judge.normalize import read
from evaluation.judge.protocol import Item, Judgement, Verdict, correct, wrong

_CURRENCIES = frozenset("$€£¥₹")
_BEST_FIRST = (Verdict.CORRECT, Verdict.MISSING, Verdict.UNSCORED, Verdict.WRONG)


def settle(item: Item) -> Judgement | None:
    """The judgement that needs no judge, or None.

    The contest's rules: not knowing is missing whatever the gold; "invalid question" is right
    exactly where a gold says so, and nothing else is right there.
    """
    said = read(item.prediction).words
    answers = [gold for gold in item.golds if not is_unanswered(gold)]
    if any(said == read(gold).words and _same_signs(item.prediction, gold) for gold in answers):
        return correct("exact match")
    if is_missing(item.prediction):
        return Judgement(Verdict.MISSING, "says that it does not know")
    if is_invalid(item.prediction):
        return wrong("calls a valid question invalid")
    if item.golds and all(map(is_invalid, item.golds)):
        return wrong("the question is invalid")
    return None


def _same_signs(prediction: str, gold: str) -> bool:
    """Whether both have the same minus and percent sign and no two currencies, which words lack."""
    said, wanted = (_CURRENCIES & set(text) for text in (prediction, gold))
    percents = ("%" in prediction) == ("%" in gold)
    minuses = prediction.strip().startswith("-") == gold.strip().startswith("-")
    return percents and minuses and (said == wanted or not said or not wanted)


def best(said: list[Judgement]) -> Judgement:
    """The judgement against the gold answer that a prediction does best against."""
    return min(said, key=lambda judgement: _BEST_FIRST.index(judgement.verdict))
