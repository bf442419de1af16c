"""Every branch of db3's labels (section 2.4), with a scripted model and judge."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation.dataset import Example
from models.llm.factory import LLMs
from models.llm.protocol import Completion, FinishReason
from models.records import IDK, INVALID
from models.systems.db3 import Db3Options, Db3System
from models.web.retriever import Retriever
from tests.models.systems.scripted import Reply, ScriptedLLMs, saying
from training.labels import Branch, label_batch, write_out
from training.records import Sample, read_rows

PAGE = {"page_result": "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>"}
TIME = "03/10/2024, 23:19:21 PT"
TRUE, FALSE = '{"Accuracy": "True"}', '{"Accuracy": "False"}'
DIRECTOR = 'get_movie_person_crew("the glass harbour", None, eq(job, "Director"))["name"]'


def example(gold: str = "41 m", id: str = "q", pages: Sequence[Any] = (PAGE,)) -> Example:
    golds = (gold,) if gold else ()
    return Example(id, "how tall is the lighthouse?", TIME, tuple(pages), golds, "movie")


def scripted(**replies: str | Reply | Exception) -> ScriptedLLMs:
    said: dict[str, Any] = {
        "route": "movie",
        "write_query": DIRECTOR,
        "answer_web": TALL,
        "answer_kg": "Aino Virta",
        "check_answer": TRUE,
        "check_context": "yes",
        **replies,
    }
    return ScriptedLLMs({name: saying(reply) for name, reply in said.items()})


def label(llms: LLMs, *examples: Example, client: Any = None) -> list[Sample]:
    system = Db3System(llms, client, Retriever(), options=Db3Options(prompt="basic"))
    return label_batch(system, examples)


NEEDLESS = RuntimeError("asked without need")
LATE = Completion("It", FinishReason.DEADLINE, 1)
TALL = "It is 41 m tall."
STEPS = ["answer_web", "check_answer", "check_context"]


@pytest.mark.parametrize(
    ("gold", "said", "answer", "branch"),
    [
        ("Invalid question", [], INVALID, Branch.INVALID),
        ("41 m", [TALL, TRUE], "41 m", Branch.RIGHT),
        ("87 m", [TALL, FALSE, "no"], IDK, Branch.NOT_THERE),
        ("41 m", [TALL, FALSE, "Yes."], "41 m", Branch.THERE),
        ("41 m", [LATE], "", Branch.UNREAD),
        ("41 m", [TALL, "I think it may be."], "", Branch.UNREAD),
        *(("41 m", [TALL, FALSE, word], "", Branch.UNREAD) for word in ("yesterday", "no idea")),
    ],
)
def test_the_branches(gold: str, said: list[Any], answer: str, branch: Branch) -> None:
    """`said` has the replies in the order of the steps; no further step is asked."""
    llms = scripted(**dict.fromkeys(STEPS, NEEDLESS) | dict(zip(STEPS, said, strict=False)))
    (made,) = label(llms, example(gold))
    assert (made.answer, made.note) == (answer, branch)
    assert llms.order == STEPS[: len(said)] and bool(made.turns) is bool(answer)
    assert all(f'["{gold}"]' in text for step in STEPS[1:] for text in llms.asked(step))
    for step in ("answer_web", "check_context"):
        assert all("The lighthouse is 41 m tall." in text for text in llms.asked(step))
    if answer and llms.rounds:
        [asked] = llms.rounds[0][1]
        assert made.messages == asked.messages, "what is learnt from is not what was asked"


def test_web_and_kg_contexts_have_labels_of_their_own(client: Any) -> None:
    checked = {True: TRUE, False: FALSE}
    llms = scripted(
        check_answer=lambda prompt: checked["Prediction: Aino" in prompt.messages[-1].text],
        check_context="no",
    )
    web, kg = label(llms, example("Aino Virta"), client=client)
    assert (web.subtask, web.answer, web.note) == ("answer_web", IDK, Branch.NOT_THERE)
    assert (kg.subtask, kg.answer, kg.note) == ("answer_kg", "Aino Virta", Branch.RIGHT)
    assert any("Aino Virta" in text for _, text in kg.turns)


def test_without_a_context_or_a_gold_there_is_no_label(client: Any, tmp_path: Path) -> None:
    made = label(scripted(write_query="None"), example(), example("", "r"), client=client)
    counts = write_out(made, tmp_path)
    assert counts["answer_web"] == {Branch.RIGHT: 1, Branch.NO_GOLD: 1}
    assert counts["answer_kg"] == {Branch.NO_CONTEXT: 1, Branch.NO_GOLD: 1}
    assert json.loads((tmp_path / "counts.json").read_text()) == counts
    written = [list(read_rows(tmp_path / f"answer_{of}.jsonl", Sample)) for of in ("web", "kg")]
    assert written == [made[:1], []]


@pytest.mark.parametrize(("check", "gold"), [(TRUE, "41 m"), (FALSE, IDK)])
def test_a_question_without_passages_is_asked_as_the_system_asks_it(check: str, gold: str) -> None:
    """And where the model does not know it by itself, nobody need look into nothing."""
    llms = scripted(check_answer=check, check_context=NEEDLESS)
    (made,) = label(llms, example(pages=()))
    assert made.answer == gold and made.turns
    assert llms.order == ["answer_web", "check_answer"]


def test_a_context_that_the_judge_was_not_shown_whole_may_have_the_gold() -> None:
    pages = ({"page_result": f"<title>t</title><p>{'The lighthouse is old. ' * 90}</p>"},)
    for word, branch in (("no", Branch.UNREAD), ("yes", Branch.THERE)):
        llms = scripted(check_answer=FALSE, check_context=word)
        judge, _ = llms.of("check_context")
        judge.context = 150  # type: ignore[misc]
        (made,) = label(llms, example("87 m", pages=pages))
        assert made.note == branch
