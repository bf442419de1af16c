"""Reasons for known answers: kept if their form and their answer check (dragonrangers, §3.1)."""

from collections import Counter

import pytest

from evaluation.dataset import Example
from evaluation.judge.rules import RulesJudge
from models.batch import read_query_time
from models.llm.protocol import Completion, FinishReason
from models.records import Question, Task
from models.runtime.ledger import Ledger
from models.systems.dragonrangers.system import DragonrangersOptions, DragonrangersSystem
from models.web.retriever import Retriever
from tests.models.systems.scripted import Reply, ScriptedLLMs
from training.engines import Agrees
from training.rationales import Kept, Rationales
from training.records import Sample
from utils.deadline import Deadline

TIME = "03/10/2024, 23:19:21 PT"
ASKED = Example("q", "which is longer, the amble or the tarn?", TIME, golds=("the River Amble",))
GOOD = "First, the Amble has 212 km. Second, the Tarn has 187 km. The answer is the river Amble."


def written(reply: Reply, *examples: Example) -> tuple[list[Sample], Counter[Kept], ScriptedLLMs]:
    llms = ScriptedLLMs({"write_rationale": reply})
    made = Rationales(llms, Agrees(RulesJudge()))(examples)
    samples = [sample for _, sample in made if sample is not None]
    return samples, Counter(kept for kept, _ in made), llms


def test_the_engine_is_shown_question_and_gold() -> None:
    (sample,), _, llms = written(lambda prompt: GOOD, ASKED)
    (asked,) = llms.asked("write_rationale")
    assert asked.endswith(
        "Question: which is longer, the amble or the tarn?\nThe answer: the River Amble\n"
        "Explanation:"
    )
    assert sample.answer == GOOD
    assert not any("River Amble\nExplanation" in text for _, text in sample.turns)


def test_what_is_learnt_is_asked_as_dragonrangers_asks_it() -> None:
    (sample,), _, _ = written(lambda prompt: GOOD, ASKED)
    llms = ScriptedLLMs({"answer_alone": lambda prompt: [GOOD] * 3})
    system = DragonrangersSystem(llms, Retriever(), None, options=DragonrangersOptions())
    question = Question("q", ASKED.query, read_query_time(TIME), Task.WEB)
    system.answer([question], Deadline(1e9, lambda: 0.0), Ledger(1))
    (asked,) = [p for name, ps in llms.rounds if name == "answer_alone" for p in ps]
    assert sample.messages == asked.messages


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        (GOOD, Kept.KEPT),
        (GOOD.replace("river Amble.", "Amble."), Kept.KEPT),
        (GOOD.replace("the river Amble.", "the Tarn."), Kept.ANSWER),
        ("The answer is the river Amble.", Kept.FORM),
        (GOOD.replace("Second", "Then"), Kept.FORM),
        (Completion(GOOD, FinishReason.DEADLINE, 9), Kept.UNFINISHED),
    ],
)
def test_what_is_kept(reply: str | Completion, kept: Kept) -> None:
    samples, counts, _ = written(lambda prompt: reply, ASKED)
    assert counts[kept] == 1 and bool(samples) is (kept is Kept.KEPT)


def test_a_question_without_a_gold_is_not_asked() -> None:
    samples, counts, llms = written(lambda prompt: GOOD, Example("q", "why?", TIME))
    assert not samples and counts[Kept.NO_GOLD] == 1
    assert not llms.asked("write_rationale")
