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
    said = read(item.prediction)
    titles = [gold for gold in item.golds if not is_unanswered(gold) and is_missing(gold)]
    if is_missing(item.prediction) and said.words not in [read(gold).words for gold in titles]:
        return Judgement(Verdict.MISSING, "says that it does not know")
    invalid = [is_invalid(gold) for gold in item.golds]
    if is_invalid(item.prediction):
        if any(invalid):
            return correct("the question is invalid")
        return wrong("calls a valid question invalid")
    for gold, bad in zip(item.golds, invalid, strict=True):
        if not bad and said.words == read(gold).words and same_signs(item.prediction, gold):
            return correct("exact match")
    if invalid and all(invalid):
        return wrong("the question is invalid")
    return None


def same_signs(prediction: str, gold: str) -> bool:
    """Whether both have the same minus and percent sign and no two currencies, which words lack."""
    said, wanted = (set(text) & _CURRENCIES for text in (prediction, gold))
    if said and wanted and said != wanted:
        return False
    if ("%" in prediction) != ("%" in gold):
        return False
    return (gold.strip()[:1] == "-") == (prediction.strip()[:1] == "-")


def best(said: list[Judgement]) -> Judgement:
    """The judgement against the gold answer that a prediction does best against."""
    return min(said, key=lambda judgement: _BEST_FIRST.index(judgement.verdict))
