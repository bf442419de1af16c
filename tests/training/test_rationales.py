"""Reasons for known answers: kept if their form and their answer check (dragonrangers, §3.1)."""

import pytest

from evaluation.dataset import Example
from models.llm.protocol import Completion, FinishReason
from models.records import Task
from models.systems.dragonrangers.system import DragonrangersOptions, DragonrangersSystem
from models.web.retriever import Retriever
from tests.models.systems.scripted import Said, ScriptedLLMs, ask, question
from training.rationales import Outcome, Rationale, write_rationales

TIME = "03/10/2024, 23:19:21 PT"
EXAMPLE = Example("q", "which is longer, the amble or the tarn?", TIME, golds=("the River Amble",))
GOOD = "First, the Amble has 212 km. Second, the Tarn has 187 km. The answer is the river Amble."


def write(reply: Said, example: Example = EXAMPLE) -> tuple[Rationale, list[str]]:
    """What becomes of a rationale, whose judge accepts the Amble, and the prompts for it."""
    llms = ScriptedLLMs({"write_rationale": lambda prompt: reply})
    (rationale,) = write_rationales(llms, lambda item: "Amble" in item.prediction, [example])
    return rationale, llms.asked("write_rationale")


def test_the_writer_is_shown_the_gold_and_the_sample_has_the_systems_prompt() -> None:
    rationale, (shown_text,) = write(GOOD)
    assert shown_text.endswith(f"{EXAMPLE.query}\nThe answer: the River Amble\nExplanation:")
    llms = ScriptedLLMs({"answer_alone": lambda prompt: [GOOD] * 3})
    system = DragonrangersSystem(llms, Retriever(), None, options=DragonrangersOptions())
    ask(system, question(EXAMPLE.query, Task.WEB, ()))
    ((prompt,),) = [prompts for name, prompts in llms.rounds if name == "answer_alone"]
    sample = rationale.sample
    assert sample is not None and (sample.messages, sample.answer) == (prompt.messages, GOOD)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (GOOD, Outcome.KEPT),
        (GOOD.replace("the river Amble.", "the Tarn."), Outcome.ANSWER),
        ("The answer is the river Amble.", Outcome.FORM),
        (GOOD.replace("Second", "Then"), Outcome.FORM),
        (Completion(GOOD, FinishReason.DEADLINE, 9), Outcome.UNFINISHED),
    ],
)
def test_only_a_rationale_of_the_right_form_and_answer_is_kept(
    reply: str | Completion, outcome: Outcome
) -> None:
    rationale, _ = write(reply)
    assert rationale.outcome is outcome
    assert (rationale.sample is not None) is (outcome is Outcome.KEPT)


def test_a_question_without_a_gold_is_not_asked() -> None:
    assert write(GOOD, Example("q", "why?", TIME)) == (Rationale(Outcome.NO_GOLD), [])
