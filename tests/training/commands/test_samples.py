"""Commands that make samples, from their arguments to their files."""

import json
from pathlib import Path

import pytest

from models.records import IDK
from tests.training.commands.scripted_server import Engines
from tests.training.commands.tower import NUMBERS, TALL, has_height, height, ids_in, run, status
from training.contexts import Context
from training.records import Sample, read_rows, write_rows


@pytest.fixture
def pairs(tmp_path: Path, data: Path, engines: Engines) -> Path:
    """Pairs of the questions about the film."""
    file = tmp_path / "pairs.jsonl"
    run("real", "--data", data, "--out", file, "--part", "all", "--settings", engines.settings)
    return file


def test_samples_of_the_kgs_answers_have_right_and_other_facts(
    tmp_path: Path, data: Path, pairs: Path
) -> None:
    out = tmp_path / "samples.jsonl"
    run("kg-answers", "--pairs", pairs, "--data", data, "--out", out)
    answers = {sample.answer for sample in read_rows(out, Sample)}
    assert {"Christopher Nolan", IDK} <= answers


def test_what_is_held_out_is_left_out_of_the_samples(
    tmp_path: Path, data: Path, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("kg-answers", "--pairs", pairs, "--data", data, "--out", tmp_path / "out.jsonl")
    assert status(*arguments, "--apart-from", pairs) == 2
    assert f"no pair of {pairs} is apart from {pairs}" in capsys.readouterr().err


def test_web_answers_are_made_of_pages(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "samples.jsonl"
    run("web-answers", "--data", data, "--out", out)
    contexts = {sample.note for sample in read_rows(out, Sample)}
    assert {Context.CONTAINS, Context.EMPTY} <= contexts


def test_routes_teach_the_topics_of_questions(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "routes.jsonl"
    run("routes", "--data", data, "--out", out)
    samples = list(read_rows(out, Sample))
    assert [sample.answer for sample in samples] == ["movie"] * len(NUMBERS)


@pytest.mark.first_week
def test_inputs_that_do_not_belong_together_are_an_error_and_no_empty_file(
    tmp_path: Path, pairs: Path, engines: Engines, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.jsonl"
    out = tmp_path / "samples.jsonl"
    row = {"query": "who wrote it?", "query_time": "", "answer": "", "interaction_id": "other"}
    other.write_text(json.dumps(row) + "\n")
    asking = ("--settings", engines.settings)
    for command, says in (
        (["kg-answers", "--pairs", pairs, "--data", other], "do they belong together?"),
        (["web-answers", "--data", other], "no question of the data has a right answer"),
        (["routes", "--data", other], "no question of the data has a domain"),
        (["rationales", "--data", other, "--part", "held_out", *asking], "no questions in the"),
        (["real", "--data", other, "--part", "all", *asking], "answers no question of the data"),
    ):
        assert status(*command, "--out", out) == 2
        assert says in capsys.readouterr().err
        assert not out.exists()
    labels = ("labels", "--data", other, "--part", "held_out", "--out", tmp_path / "l", *asking)
    assert status(*labels) == 2
    assert "no question with pages or facts" in capsys.readouterr().err
    assert not (tmp_path / "l" / "counts.json").exists()


@pytest.mark.parametrize("part", ["train", "held_out"])
def test_rationales_are_written_in_their_part_only(
    part: str, tmp_path: Path, data: Path, engines: Engines
) -> None:
    out = tmp_path / "out.jsonl"
    run("rationales", "--data", data, "--out", out, "--part", part, "--settings", engines.settings)
    ids = {sample.id for sample in read_rows(out, Sample)}
    assert ids == {id for id in ids_in(part) if has_height(int(id))}


def test_labels(
    tmp_path: Path, data: Path, engines: Engines, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["labels", "--data", data, "--out", out, "--part", "held_out"]
    arguments += ["--settings", engines.settings]
    run(*arguments, "--limit", 20)
    assert "no labels of answer_kg" in capsys.readouterr().out
    assert not (out / "answer_kg.jsonl").exists()
    asked = len(engines.models.requests)
    run(*arguments)
    assert {sample.id for sample in read_rows(out / "answer_web.jsonl", Sample)} == ids_in(
        "held_out"
    )
    assert asked > 0
    assert len(engines.models.requests) == asked, "a prompt was asked twice"


def test_drawn_answers_and_what_is_learnt_from_them(tmp_path: Path, engines: Engines) -> None:
    """The answer to tower 1 is always wrong, the others are right three times of four."""

    def draw(text: str) -> list[str]:
        right = height(text)
        return ["1000 m"] * 4 if right == "1 m" else [right, "1000 m", right, right]

    engines.models.replies["any"] = draw
    samples = tmp_path / "samples.jsonl"
    own = tmp_path / "own.jsonl"
    mixed = tmp_path / "mixed.jsonl"
    confident = tmp_path / "confident.jsonl"
    write_rows(samples, TALL)
    drawing = ("draw", "--llm", f"openai:{engines.url}#any", "--data", samples, "--out", own)
    run(*drawing, "--count", 4, "--mixed", mixed)
    assert [sample.id for sample in read_rows(mixed, Sample)] == ["0", "2", "3", "4"]
    run("confident", "--data", own, "--out", confident, "--least", 3)
    answers = [sample.answer for sample in read_rows(confident, Sample)]
    assert answers == ["0 m", IDK, "2 m", "3 m", "4 m"]
    assert status("confident", "--data", own, "--out", confident, "--least", 5) == 2


def test_samples_that_no_judge_can_judge_are_refused(
    tmp_path: Path, engines: Engines, capsys: pytest.CaptureFixture[str]
) -> None:
    without_gold = Sample("s", (("user", "how high?"),), "", "", "how high?")
    data = tmp_path / "samples.jsonl"
    llm = ("--llm", f"openai:{engines.url}#write_rationale", "--data", data)
    confident = ("confident", "--data", data, "--out", tmp_path / "c.jsonl")
    for samples, message in (
        ([without_gold], "sample s has no question or no golds"),
        ([], "there are no samples"),
    ):
        write_rows(data, samples)
        assert status("draw", *llm, "--out", tmp_path / "own.jsonl") == 2
        assert message in capsys.readouterr().err
        assert status("evaluate", "answer_alone", *llm) == 2
        assert message in capsys.readouterr().err
    assert status(*confident) == 2
    assert "has no answers of a model" in capsys.readouterr().err
    write_rows(data, [without_gold])
    assert status(*confident) == 2
    assert "line 1: no own answers: sample: Field required" in capsys.readouterr().err
