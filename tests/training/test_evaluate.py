"""Base and adapters side by side: what is counted, and that execution decides."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.llm.adapters import CARD
from models.llm.protocol import Completion, ConstraintKind, FinishReason, Prompt
from tests.models.systems.scripted import ScriptedLLM, completion
from training.evaluate import (
    QueryFigures,
    Writing,
    evaluate_queries,
    plot_learning_curve,
    refuse_its_own,
)
from training.kg import Kg
from training.queries.sample import QUERY_TIME
from training.recipe import Recipe
from training.records import Pair, Sample
from utils.errors import InputError
from utils.model_files import sha256

RECIPE = Recipe("write_query", query_prompt="short")
PROGRAM = 'get_movie("inception")["release_date"]'
PAIRS = [
    Pair(
        id="p",
        domain="movie",
        question=f"when {number}?",
        query_time=QUERY_TIME,
        program=PROGRAM,
        source="template",
        intent="i",
        wording="w",
        split="held_out",
    )
    for number in range(6)
]
TALL = Sample("t", (("user", "how tall is it?"),), "41 m", "", "how tall is it?", ("41 m",))


@pytest.mark.parametrize("constrained", [True, False])
def test_exact_and_execution_match_by_adapter_and_grammar(kg: Kg, constrained: bool) -> None:
    replies: list[str | Completion] = [
        PROGRAM,
        ' get_movie("inception")[ "release_date" ]',  # the same, otherwise written
        'get_movie("Inception")["release_date"]',  # other text, same result
        'get_movie("titanic")["release_date"]',
        "",  # unreadable
        Completion('get_movie("titanic")["year"]', FinishReason.DEADLINE, 1),
    ]
    rounds: list[tuple[str, list[Prompt]]] = []

    def reply(prompt: Prompt) -> str | Completion:
        text = prompt.messages[-1].text
        return next(reply for number, reply in enumerate(replies) if f"when {number}?" in text)

    llm = ScriptedLLM("write_query", reply, rounds)
    figures, completions = evaluate_queries(
        llm, "mine", PAIRS, RECIPE, kg, Writing(constrained=constrained)
    )
    assert figures == QueryFigures(6, exact=2 / 6, execution=0.5, unreadable=1 / 6, cut_off=1 / 6)
    assert [completion.finished for completion in completions] == [True] * 5 + [False]
    ((_, prompts),) = rounds
    kinds = {prompt.constraint.kind if prompt.constraint else None for prompt in prompts}
    assert kinds == {ConstraintKind.GRAMMAR if constrained else None}
    assert {prompt.adapter for prompt in prompts} == {"mine"}


def test_several_programs_vote_by_their_results(kg: Kg) -> None:
    other = 'get_movie("titanic")["release_date"]'
    cut_off = Completion(other, FinishReason.LENGTH, 9)  # no vote: the system drops it, too
    whole = completion(other, "None", "None", PROGRAM, PROGRAM.replace("i", "I"))
    reply = replace(cut_off, others=(cut_off, *whole.samples))
    rounds: list[tuple[str, list[Prompt]]] = []
    llm = ScriptedLLM("write_query", lambda prompt: reply, rounds)
    figures, _ = evaluate_queries(llm, None, PAIRS[:1], RECIPE, kg, Writing(samples=7))
    assert (figures.exact, figures.execution, figures.unreadable) == (1.0, 1.0, 0.0)
    assert rounds[0][1][0].n == 7


def test_the_learning_curve_has_a_point_for_each_adapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr("training.evaluate.plot", lambda *arguments: drawn.append(arguments))
    figures = {}
    for pairs, execution in ((500, 0.4), (1000, 0.6)):
        folder = tmp_path / str(pairs)
        folder.mkdir()
        (folder / CARD).write_text(json.dumps({"samples": pairs}))
        figures[str(folder)] = {"execution": execution}
    file = tmp_path / "curve.svg"
    plot_learning_curve(file, [tmp_path / "1000", tmp_path / "500"], figures)
    ((*_, lines),) = drawn
    assert lines == {"adapter": [(500, 0.4), (1000, 0.6)]}


def test_an_adapter_is_not_measured_on_what_it_was_tuned_on(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("{}\n")
    other = tmp_path / "other.jsonl"
    other.write_text("{} \n")
    refuse_its_own(tmp_path, data)  # one without a card
    (tmp_path / CARD).write_text(json.dumps({"data_sha256": sha256(data)}))
    refuse_its_own(tmp_path, other)
    with pytest.raises(InputError, match="give held-out data"):
        refuse_its_own(tmp_path, data)
    started = {"data_sha256": "other", "start": {"data_sha256": sha256(data), "fold": ""}}
    (tmp_path / CARD).write_text(json.dumps(started))
    with pytest.raises(InputError, match="give held-out data"):
        refuse_its_own(tmp_path, data)
    (tmp_path / CARD).write_text(json.dumps({"data_sha256": sha256(data), "fold": "0/3"}))
    refuse_its_own(tmp_path, data, "0/3")
    for fold in ("", "1/3"):
        with pytest.raises(InputError, match="give held-out data"):
            refuse_its_own(tmp_path, data, fold)
