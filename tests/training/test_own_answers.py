"""A model's own answers: judged, and what is learnt from them."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.judge.protocol import Verdict
from evaluation.judge.rules import RulesJudge
from models.llm.protocol import Completion, FinishReason, Prompt
from models.records import IDK
from tests.models.systems.scripted import ScriptedLLM
from training.own_answers import Draw, confident_sample, preferences
from training.records import OwnAnswers, Sample, read_rows, write_rows

RIGHT = Verdict.CORRECT
WRONG = Verdict.WRONG
MISSING = Verdict.MISSING
TURNS = (("system", "Answer from the facts."), ("user", "It has 148 minutes.\nhow long is it?"))
SAMPLE = Sample(
    id="s",
    turns=TURNS,
    answer="148 minutes",
    note="contains the answer",
    question="how long is it?",
    golds=("148 minutes",),
    subtask="answer_kg",
)
LACKING = Sample("l", TURNS, IDK, "empty", "how long is it?", (IDK,), "answer_kg")


def own_answers(sample: Sample, *answers: tuple[str, Verdict]) -> OwnAnswers:
    return OwnAnswers(sample, tuple(text for text, _ in answers), tuple(v for _, v in answers))


def test_answers_are_read_as_the_system_reads_them_and_judged(tmp_path: Path) -> None:
    texts = ["Answer: 148 minutes.", "I'm not sure.", "169 minutes"]
    first, *others = [Completion(text, FinishReason.STOP, 3) for text in texts]
    completion = replace(first, others=tuple(others))
    prompts: list[Prompt] = []
    llm = ScriptedLLM("answer_kg", lambda prompt: prompts.append(prompt) or completion, [])
    row, lacking = Draw(llm, None, RulesJudge(), count=3)([SAMPLE, LACKING])
    assert row.answers == lacking.answers == ("148 minutes.", IDK, "169 minutes")
    assert row.verdicts == (RIGHT, MISSING, WRONG)
    assert lacking.verdicts == (WRONG, MISSING, WRONG)
    assert [(prompt.n, prompt.temperature) for prompt in prompts] == [(3, 1.0)] * 2
    write_rows(tmp_path / "own.jsonl", [row])
    assert list(read_rows(tmp_path / "own.jsonl", OwnAnswers)) == [row]


@pytest.mark.parametrize(("right", "answer"), [(5, "148 minutes"), (4, IDK), (0, IDK)])
def test_confqa_keeps_the_answers_that_a_model_is_sure_of(right: int, answer: str) -> None:
    answers = [("148 minutes", RIGHT)] * right + [("169 minutes", WRONG)] * (8 - right)
    sample = confident_sample(own_answers(SAMPLE, *answers), least=5)
    assert sample == replace(SAMPLE, answer=answer)


def test_what_the_context_lacks_stays_unknown() -> None:
    guesses = own_answers(LACKING, *[("148 minutes", WRONG)] * 8)
    assert confident_sample(guesses, least=5).answer == IDK


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            own_answers(SAMPLE, ("148 min", RIGHT), ("2", WRONG), ("3", WRONG), ("3", WRONG)),
            [("148 min", "3")],  # the model's own words, against its commonest mistake
        ),
        (
            own_answers(SAMPLE, (IDK, MISSING), ("148 min", RIGHT), ("3", WRONG)),
            [("148 min", "3"), ("148 min", IDK)],
        ),
        (
            own_answers(SAMPLE, ("2", WRONG), ("3", WRONG), ("2", WRONG)),
            [(IDK, "2")],  # never right
        ),
        (own_answers(SAMPLE, ("148 minutes", RIGHT)), []),
        (own_answers(LACKING, ("3", WRONG), (IDK, MISSING)), [(IDK, "3")]),
        (own_answers(LACKING, (IDK, MISSING)), []),
    ],
)
def test_right_is_better_than_unknown_and_that_than_wrong(
    row: OwnAnswers, expected: list[tuple[str, str]]
) -> None:
    pairs = list(preferences(row))
    assert [(pair.chosen, pair.rejected) for pair in pairs] == expected
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert all(pair.turns == TURNS for pair in pairs)
