"""Every branch of db3's labels (section 2.4), with a scripted model and judge."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation.dataset import Example
from models.llm.llms import LLMs
from models.llm.protocol import Completion, FinishReason, Prompt
from models.records import IDK, INVALID
from models.systems.db3 import Db3Options, Db3System
from models.web.retriever import Retriever
from tests.models.systems.scripted import Reply, ScriptedLLMs, saying
from training.labels import Branch, label_batch, write_out
from training.records import Sample, read_rows

PAGE = {"page_result": "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>"}
TIME = "03/10/2024, 23:19:21 PT"
TRUE = '{"Accuracy": "True"}'
FALSE = '{"Accuracy": "False"}'
DIRECTOR = 'get_movie_person_crew("the glass harbour", None, eq(job, "Director"))["name"]'
NEEDLESS = RuntimeError("asked without need")
LATE = Completion("It", FinishReason.DEADLINE, 1)
TALL = "It is 41 m tall."
STEPS = ["answer_web", "check_answer", "check_context"]


def example(gold: str = "41 m", id: str = "q", pages: Sequence[Any] = (PAGE,)) -> Example:
    golds = (gold,) if gold else ()
    return Example(id, "how tall is the lighthouse?", TIME, tuple(pages), golds, "movie")


def scripted(**replies: str | Reply | Exception) -> ScriptedLLMs:
    all_replies: dict[str, Any] = {
        "route": "movie",
        "write_query": DIRECTOR,
        "answer_web": TALL,
        "answer_kg": "Aino Virta",
        "check_answer": TRUE,
        "check_context": "yes",
        **replies,
    }
    return ScriptedLLMs({name: saying(reply) for name, reply in all_replies.items()})


def label(llms: LLMs, *examples: Example, client: Any = None) -> list[Sample]:
    system = Db3System(llms, client, Retriever(), options=Db3Options(prompt="basic"))
    return label_batch(system, examples)


@pytest.mark.parametrize(
    ("gold", "replies", "answer", "branch"),
    [
        ("Invalid question", [], INVALID, Branch.INVALID),
        ("41 m", [TALL, TRUE], "41 m", Branch.RIGHT),
        ("87 m", [TALL, FALSE, "no"], IDK, Branch.NOT_THERE),
        ("41 m", [TALL, FALSE, "Yes."], "41 m", Branch.THERE),
        ("41 m", [LATE], "", Branch.UNREAD),
        ("41 m", [TALL, "I think it may be."], "", Branch.UNREAD),
        ("41 m", [TALL, FALSE, "yesterday"], "", Branch.UNREAD),
        ("41 m", [TALL, FALSE, "no idea"], "", Branch.UNREAD),
    ],
)
def test_the_branches(gold: str, replies: list[Any], answer: str, branch: Branch) -> None:
    """The replies are in the order of the steps; no further step is asked."""
    reply_by_step = dict.fromkeys(STEPS, NEEDLESS) | dict(zip(STEPS, replies, strict=False))
    llms = scripted(**reply_by_step)
    (sample,) = label(llms, example(gold))
    assert (sample.answer, sample.note) == (answer, branch)
    assert llms.order == STEPS[: len(replies)] and bool(sample.turns) is bool(answer)
    for step in ("check_answer", "check_context"):
        assert all(f'["{gold}"]' in text for text in llms.asked(step))
    for step in ("answer_web", "check_context"):
        assert all("The lighthouse is 41 m tall." in text for text in llms.asked(step))
    if answer and llms.rounds:
        _, prompts = llms.rounds[0]
        (prompt,) = prompts
        assert sample.messages == prompt.messages, "what is learnt from is not what was asked"


def test_web_and_kg_contexts_have_labels_of_their_own(client: Any) -> None:
    def check_answer(prompt: Prompt) -> str:
        return TRUE if "Prediction: Aino" in prompt.messages[-1].text else FALSE

    llms = scripted(check_answer=check_answer, check_context="no")
    web, kg = label(llms, example("Aino Virta"), client=client)
    assert (web.subtask, web.answer, web.note) == ("answer_web", IDK, Branch.NOT_THERE)
    assert (kg.subtask, kg.answer, kg.note) == ("answer_kg", "Aino Virta", Branch.RIGHT)
    assert any("Aino Virta" in text for _, text in kg.turns)


def test_without_a_context_or_a_gold_there_is_no_label(client: Any, tmp_path: Path) -> None:
    samples = label(scripted(write_query="None"), example(), example("", "r"), client=client)
    counts = write_out(samples, tmp_path)
    assert counts["answer_web"] == {Branch.RIGHT: 1, Branch.NO_GOLD: 1}
    assert counts["answer_kg"] == {Branch.NO_CONTEXT: 1, Branch.NO_GOLD: 1}
    assert json.loads((tmp_path / "counts.json").read_text()) == counts
    assert list(read_rows(tmp_path / "answer_web.jsonl", Sample)) == samples[:1]
    assert list(read_rows(tmp_path / "answer_kg.jsonl", Sample)) == []


@pytest.mark.parametrize(("check", "gold"), [(TRUE, "41 m"), (FALSE, IDK)])
def test_a_question_without_passages_is_asked_as_the_system_asks_it(check: str, gold: str) -> None:
    """And where the model does not know it by itself, no context is checked."""
    llms = scripted(check_answer=check, check_context=NEEDLESS)
    (sample,) = label(llms, example(pages=()))
    assert sample.answer == gold and sample.turns
    assert llms.order == ["answer_web", "check_answer"]


@pytest.mark.parametrize(("reply", "branch"), [("no", Branch.UNREAD), ("yes", Branch.THERE)])
def test_a_judge_that_saw_a_part_of_the_context_is_believed_only_if_it_found_the_gold(
    reply: str, branch: Branch
) -> None:
    page = {"page_result": f"<title>t</title><p>{'The lighthouse is old. ' * 90}</p>"}
    llms = scripted(check_answer=FALSE, check_context=reply)
    judge, _ = llms.of("check_context")
    judge.context = 150  # type: ignore[misc]
    (sample,) = label(llms, example("87 m", pages=(page,)))
    assert sample.note == branch
