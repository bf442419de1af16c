"""A model's own answers: judged, and what is learnt from them."""

from pathlib import Path

import pytest

from evaluation.judge.protocol import Verdict
from evaluation.judge.rules import RulesJudge
from models.llm.protocol import Completion, FinishReason, Prompt
from models.records import IDK
from tests.models.systems.scripted import ScriptedLLM
from training.drawn import Draw, confident_sample, preferences
from training.records import Drawn, Sample, read_rows, write_rows

RIGHT, WRONG, MISSING = Verdict.CORRECT, Verdict.WRONG, Verdict.MISSING
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


def drawn(sample: Sample, *answers: tuple[str, Verdict]) -> Drawn:
    return Drawn(sample, tuple(text for text, _ in answers), tuple(v for _, v in answers))


def test_answers_are_read_as_the_system_reads_them_and_judged(tmp_path: Path) -> None:
    texts = ["Answer: 148 minutes.", "I'm not sure.", "169 minutes"]
    samples = [Completion(text, FinishReason.STOP, 3) for text in texts]
    first, *others = samples
    completion = Completion(first.text, first.finish_reason, 3, others=tuple(others))
    prompts: list[Prompt] = []
    llm = ScriptedLLM("answer_kg", lambda prompt: prompts.append(prompt) or completion, [])
    (row,) = Draw(llm, None, RulesJudge(), count=3)([SAMPLE])
    assert row.answers == ("148 minutes.", IDK, "169 minutes")
    assert row.verdicts == (RIGHT, MISSING, WRONG)
    (prompt,) = prompts
    assert (prompt.n, prompt.temperature) == (3, 1.0)
    write_rows(tmp_path / "drawn.jsonl", [row])
    assert list(read_rows(tmp_path / "drawn.jsonl", Drawn)) == [row]


@pytest.mark.parametrize(("right", "answer"), [(5, "148 minutes"), (4, IDK), (0, IDK)])
def test_confqa_keeps_the_answers_that_a_model_is_sure_of(right: int, answer: str) -> None:
    answers = [("148 minutes", RIGHT)] * right + [("169 minutes", WRONG)] * (8 - right)
    sample = confident_sample(drawn(SAMPLE, *answers), least=5)
    assert sample.answer == answer
    assert sample.golds == SAMPLE.golds
    (role, system), user = sample.turns
    assert role == "system" and "only if you are confident" in system
    assert user == TURNS[1]


def test_what_the_context_lacks_stays_unknown() -> None:
    lucky = drawn(LACKING, *[("148 minutes", WRONG)] * 8)
    assert confident_sample(lucky, least=5).answer == IDK


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            drawn(SAMPLE, ("148 min", RIGHT), ("2", WRONG), ("3", WRONG), ("3", WRONG)),
            [("148 min", "3")],  # the model's own words, against its commonest mistake
        ),
        (
            drawn(SAMPLE, (IDK, MISSING), ("3", WRONG)),
            [("148 minutes", "3"), ("148 minutes", IDK)],  # never right: the label
        ),
        (drawn(SAMPLE, ("148 minutes", RIGHT)), []),
        (drawn(LACKING, ("3", WRONG), (IDK, MISSING)), [(IDK, "3")]),
        (drawn(LACKING, (IDK, MISSING)), []),
    ],
)
def test_right_is_better_than_unknown_and_that_than_wrong(
    row: Drawn, expected: list[tuple[str, str]]
) -> None:
    pairs = list(preferences(row))
    assert [(pair.chosen, pair.rejected) for pair in pairs] == expected
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert all(pair.turns == TURNS for pair in pairs)
