"""Reasons for known answers: kept if their form and their answer check (dragonrangers, §3.1)."""

import pytest

from evaluation.dataset import Example
from models.llm.protocol import Completion, FinishReason
from models.records import Task
from models.systems.dragonrangers.system import DragonrangersOptions, DragonrangersSystem
from models.web.retriever import Retriever
from tests.models.systems.scripted import Said, ScriptedLLMs, ask, question
from training.rationales import Outcome, write_rationales
from training.records import Sample

TIME = "03/10/2024, 23:19:21 PT"
ASKED = Example("q", "which is longer, the amble or the tarn?", TIME, golds=("the River Amble",))
GOOD = "First, the Amble has 212 km. Second, the Tarn has 187 km. The answer is the river Amble."


def written(reply: Said, example: Example = ASKED) -> tuple[Outcome, Sample | None, list[str]]:
    """What becomes of a rationale, whose judge accepts the Amble, and what asked for it."""
    llms = ScriptedLLMs({"write_rationale": lambda prompt: reply})
    ((kept, sample),) = write_rationales(llms, lambda item: "Amble" in item.prediction, [example])
    return kept, sample, llms.asked("write_rationale")


def test_the_gold_is_shown_to_who_writes_and_what_is_learnt_is_asked_as_the_system_asks() -> None:
    _, sample, (shown,) = written(GOOD)
    assert shown.endswith(f"{ASKED.query}\nThe answer: the River Amble\nExplanation:")
    llms = ScriptedLLMs({"answer_alone": lambda prompt: [GOOD] * 3})
    system = DragonrangersSystem(llms, Retriever(), None, options=DragonrangersOptions())
    ask(system, question(ASKED.query, Task.WEB, ()))
    (asked,) = [p for name, ps in llms.rounds if name == "answer_alone" for p in ps]
    assert sample is not None and (sample.messages, sample.answer) == (asked.messages, GOOD)


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        (GOOD, Outcome.KEPT),
        (GOOD.replace("the river Amble.", "the Tarn."), Outcome.ANSWER),
        ("The answer is the river Amble.", Outcome.FORM),
        (GOOD.replace("Second", "Then"), Outcome.FORM),
        (Completion(GOOD, FinishReason.DEADLINE, 9), Outcome.UNFINISHED),
    ],
)
def test_what_is_kept(reply: str | Completion, kept: Outcome) -> None:
    found, sample, _ = written(reply)
    assert found is kept and (sample is not None) is (kept is Outcome.KEPT)


def test_a_question_without_a_gold_is_not_asked() -> None:
    assert written(GOOD, Example("q", "why?", TIME)) == (Outcome.NO_GOLD, None, [])
