"""The figures of answers: shares, by context, at a threshold, and gains."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.judge.protocol import Verdict
from evaluation.judge.rules import RulesJudge
from models.llm.protocol import Completion, FinishReason
from models.records import IDK
from tests.models.systems.scripted import ScriptedLLM
from training.records import Sample
from training.truthfulness import (
    JudgedAnswer,
    answer_samples,
    certainty_table,
    contexts_table,
    figures_table,
    measure,
    plot_ladder,
)

RIGHT = Verdict.CORRECT
WRONG = Verdict.WRONG
MISSING = Verdict.MISSING
TALL = Sample(
    "t", (("user", "how tall is it?"),), "41 m", "contains the answer", "how tall is it?", ("41 m",)
)


def answers_with(
    *verdicts: Verdict, chances: Sequence[float] = (), context: str = ""
) -> list[JudgedAnswer]:
    return [
        JudgedAnswer(
            id=str(number),
            context=context,
            question=f"question {number}?",
            answer="",
            verdict=verdict,
            likely=chances[number] if chances else 0.5,
        )
        for number, verdict in enumerate(verdicts)
    ]


# Of the questions 0 to 9, all answers to five are right and all to the others wrong.
HALF_RIGHT = answers_with(*([RIGHT] * 5 + [WRONG] * 5) * 20)


def test_answers_are_judged_and_one_that_is_cut_off_is_missing() -> None:
    late = Completion("41", FinishReason.DEADLINE, 1)
    sure = Completion("87 m", FinishReason.STOP, 2, logprobs=(-0.5, -0.5))
    replies = iter(["41 m", "Answer: 41 m.", late, sure])
    llm = ScriptedLLM("answer_web", lambda prompt: next(replies), [])
    answers = answer_samples(llm, None, "answer_web", [TALL] * 4, RulesJudge())
    assert [each.verdict for each in answers] == [RIGHT, RIGHT, MISSING, WRONG]
    assert [each.answer for each in answers] == ["41 m", "41 m.", IDK, "87 m"]
    assert answers[3].likely == pytest.approx(0.6065, abs=1e-4)
    figures = measure(answers)
    assert (figures.items, figures.endless) == (4, 1)
    assert list(figures.shares.values()) == [0.5, 0.25, 0.25, 0.0]
    assert figures.score == 0.25
    assert figures.at_threshold is None, "the engine gives no confidences"


def test_each_context_has_its_own_shares() -> None:
    rows = answers_with(RIGHT, WRONG, context="contains the answer")
    rows += answers_with(MISSING, MISSING, WRONG, context="empty")
    by_context = measure(rows).by_context
    assert by_context["contains the answer"] == {
        "items": 2,
        "accuracy": 0.5,
        "hallucination": 0.5,
        "missing": 0.0,
        "unscored": 0.0,
    }
    assert by_context["empty"]["hallucination"] == pytest.approx(1 / 3)
    table = contexts_table({"base": measure(rows)})
    assert table.row_count == 2


def test_doubtful_answers_are_left_out_at_the_threshold() -> None:
    verdicts = [RIGHT, WRONG] * 30
    chances = [0.9, 0.2] * 30
    figures = measure(answers_with(*verdicts, chances=chances))
    assert figures.score == 0.0
    assert figures.at_threshold == 0.5


def test_confidences_that_say_nothing_gain_nothing() -> None:
    figures = measure(answers_with(*[RIGHT, RIGHT, WRONG] * 20))
    assert figures.at_threshold == pytest.approx(figures.score)


def test_the_gain_is_over_the_same_samples() -> None:
    first = answers_with(*[WRONG] * 20, *[RIGHT] * 20)
    better = measure(answers_with(*[MISSING] * 20, *[RIGHT] * 20), first)
    assert better.gain_ci95 is not None
    low, high = better.gain_ci95
    assert 0.3 < low < 0.5 < high < 0.7
    same = measure(first, first).gain_ci95
    assert same == (0.0, 0.0)
    models = {"base": measure(first), "tuned": better}
    assert figures_table(models).row_count == certainty_table(models, "base").row_count == 2


def test_no_answers_are_zeros() -> None:
    figures = measure([])
    assert (figures.items, figures.score, figures.at_threshold) == (0, 0.0, None)


def test_answers_to_one_question_count_as_one_draw() -> None:
    """Ten questions with twenty contexts each say as much as ten answers, not as two hundred."""
    few = [replace(each, question=f"{number % 10}?") for number, each in enumerate(HALF_RIGHT)]
    wide = measure(few).score_ci95
    narrow = measure(HALF_RIGHT).score_ci95
    assert wide[1] - wide[0] > 3 * (narrow[1] - narrow[0])


def test_the_ladder_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: the extra train")
    file = tmp_path / "ladder.svg"
    plot_ladder(file, {name: measure(HALF_RIGHT) for name in ("base", "sft")})
    assert file.read_text().count("<svg") == 1
