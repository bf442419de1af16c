"""The reward of an answer: right 1, not known 0, wrong -1 (TruthRL: Wei et al. 2025).

Our judge decides; string match alone collapses, says the paper. What the judge cannot decide is 0,
never -1. A small penalty keeps answers in the form that the system reads.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.judge.protocol import Item, Judge, Verdict, raise_if_all_failed
from evaluation.score import WORTH
from models.records import Source
from models.subtasks.answers import read_answer
from training.truthfulness import SHARES

BAD_FORM = -0.2  # beside the verdict's worth; small against the step from wrong to not known

Turn = dict[str, str]


def reward_of(verdict: Verdict, text: str, *, ended: bool) -> float:
    """The reward of one answer.

    Args:
        verdict: of the judge, on the answer that the system reads in `text`.
        text: what the model wrote.
        ended: the model ended its turn.

    >>> reward_of(Verdict.UNSCORED, "Paris", ended=True)
    0.0
    """
    return WORTH[verdict] + (0.0 if ended and in_form(text) else BAD_FORM)


def in_form(text: str) -> bool:
    """Whether a text is one line, which the system reads as a whole."""
    line = text.strip()
    return line != "" and "\n" not in line


@dataclass(frozen=True)
class TernaryReward:
    """TRL's reward function: calls the judge once for all answers of an update.

    Attributes:
        ends: the ids of tokens that end a turn.
    """

    judge: Judge
    ends: frozenset[int]

    def __call__(
        self,
        completions: Sequence[Sequence[Turn]],
        completion_ids: Sequence[Sequence[int]],
        question: Sequence[str],
        golds: Sequence[Sequence[str]],
        log_metric: Callable[[str, float], None],
        **_: Any,
    ) -> list[float]:
        """The reward of each answer; their shares by verdict are logged.

        Raises:
            JudgeError: the judge's model gave no verdict on any answer.
        """
        texts = [turns[-1]["content"] for turns in completions]
        items = [
            Item(
                str(place), question[place], tuple(golds[place]), read_answer(text, Source.KG).text
            )
            for place, text in enumerate(texts)
        ]
        judgements = self.judge.judge(items)
        raise_if_all_failed(self.judge, judgements)
        verdicts = [judgement.verdict for judgement in judgements]
        counts = Counter(verdicts)
        for share, verdict in SHARES.items():
            log_metric(share, counts[verdict] / len(texts))
        return [
            reward_of(verdict, text, ended=bool(ids) and ids[-1] in self.ends)
            for verdict, text, ids in zip(verdicts, texts, completion_ids, strict=True)
        ]
