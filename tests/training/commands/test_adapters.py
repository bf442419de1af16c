"""Commands that tune and compare adapters, from their arguments to their files."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.judge.rules import RulesJudge
from models.llm.adapters import CARD
from models.systems.dragonrangers.paths import PATH_TOKENS
from tests.models.engines import Tiny
from tests.models.llm.test_adapters import make_adapter
from tests.models.systems.scripted import ScriptedLLM
from tests.training.commands.scripted_server import Engines
from tests.training.commands.tower import TALL, pair, run, status
from training.evaluate import named
from training.fitting.folds import Fold
from training.recipe import read_recipe
from training.records import Pair, Sample, write_rows
from training.tuning.job import Job
from training.tuning.report import watch_of
from training.tuning.sft import samples_in

Evaluate = Callable[..., int]
TOWER = Sample("t", (("user", "how high is tower 7?"),), "", "", "how high is tower 7?", ("7 m",))
SMALL_RECIPE = """
subtask = "answer_kg"
dropout = 0.0
learning_rate = 5e-3
epochs = 2
batch = 5
accumulation = 1
max_tokens = 128
answer_tokens = 4
answers_per_prompt = 2
"""


def test_programs_are_learnt_from_pairs_to_train_on_without_a_fold(tmp_path: Path) -> None:
    pairs = [replace(pair(n), wording=f"w{n}", split="train") for n in range(9)]
    file = tmp_path / "pairs.jsonl"
    write_rows(file, [*pairs, pair(9)])
    recipe = read_recipe("write_query_small")
    held_out = [each for each in pairs if Fold.of("1/3").holds(each.wording)]
    assert len(samples_in(file, recipe)) == len(pairs)
    assert len(samples_in(file, recipe, "1/3")) == len(pairs) - len(held_out) < len(pairs)


def test_a_file_is_watched_by_the_shares_of_its_answers(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    write_rows(file, TALL[:2])
    job = Job(read_recipe("answer_kg_small"), tmp_path, "a" * 64, tmp_path / "out")
    watch = watch_of(file, job, RulesJudge())
    shares = watch(ScriptedLLM("answer_kg", lambda prompt: "0 m", []), "any")
    assert (shares["accuracy"], shares["hallucination"]) == (0.5, 0.5)


def test_what_cannot_be_tuned_on_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "samples.jsonl"
    write_rows(file, TALL)
    options = ("--base", tmp_path, "--data", file, "--out", tmp_path / "out")
    assert status("sft", "route_small", *options, "--fold", "1/3") == 2
    assert "--fold" in capsys.readouterr().err
    watched = ("--from", tmp_path, "--watch", file)
    assert status("grpo", "answer_kg_grpo_small", *options, *watched) == 2
    assert "not trained on" in capsys.readouterr().err


@pytest.mark.engine
@pytest.mark.slow
def test_a_model_is_tuned_on_labels_on_its_own_answers_and_on_a_reward(
    tmp_path: Path, tiny: Tiny, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("trl", "datasets", "matplotlib"):
        pytest.importorskip(name, reason=f"{name} is not installed: the extra train")
    recipe = tmp_path / "small.toml"
    recipe.write_text(SMALL_RECIPE)
    samples = tmp_path / "samples.jsonl"
    watched = tmp_path / "watched.jsonl"
    own = tmp_path / "own.jsonl"
    write_rows(samples, TALL)
    write_rows(watched, TALL[:2])
    sft, dpo, grpo = (tmp_path / name for name in ("sft", "dpo", "grpo"))
    tuning = (recipe, "--base", tiny.folder, "--threads", 1)
    run("sft", *tuning, "--data", samples, "--out", sft, "--watch", watched)
    drawing = ("draw", "--llm", f"hf:{tiny.folder}", "--adapter", sft, "--data", samples)
    run(*drawing, "--out", own, "--count", 2, "--max-tokens", 4)
    run("dpo", *tuning, "--data", own, "--out", dpo, "--from", sft)
    run("grpo", *tuning, "--data", samples, "--out", grpo, "--from", sft, "--seed", 1)
    cards = [json.loads((folder / CARD).read_text()) for folder in (sft, dpo, grpo)]
    assert [card["method"] for card in cards] == ["sft", "dpo", "grpo"]
    assert [card["start"] != {} for card in cards] == [False, True, True]
    assert [card["recipe"]["seed"] for card in cards] == [0, 0, 1]
    assert "first_shares" in cards[0]
    held_out = tmp_path / "held_out.jsonl"
    write_rows(held_out, [replace(sample, id=f"other {sample.id}") for sample in TALL])
    adapters = ("--adapter", sft, "--adapter", dpo)
    run("evaluate", recipe, "--llm", f"hf:{tiny.folder}", "--data", held_out, *adapters)
    report = json.loads((dpo / "evaluation.json").read_text())
    assert list(report["figures"]) == ["base", str(sft), str(dpo)]


@pytest.fixture
def evaluate(tmp_path: Path, engines: Engines) -> Evaluate:
    """Runs the command `evaluate` on rows, by the scripted model of a subtask."""

    def run_evaluate(
        recipe: str, subtask: str, rows: Sequence[Pair | Sample], *options: object
    ) -> int:
        engines.models.adapters = engines.models.replies[subtask]
        file = tmp_path / "data.jsonl"
        write_rows(file, rows)
        llm = f"openai:{engines.url}#{subtask}"
        return status("evaluate", recipe, "--llm", llm, "--data", file, *options)

    return run_evaluate


def test_evaluate_measures_held_out_pairs_alone(
    evaluate: Evaluate, capsys: pytest.CaptureFixture[str]
) -> None:
    pair_to_train_on = replace(pair(2), split="train")
    assert evaluate("write_query", "write_query", [pair(1), pair_to_train_on]) == 0
    assert "100.0%" in capsys.readouterr().out
    assert evaluate("write_query", "write_query", [pair_to_train_on]) == 2
    assert "no pair of the split held_out" in capsys.readouterr().err


def test_evaluate_asks_for_answers_as_the_system_does(
    evaluate: Evaluate, engines: Engines, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("answer_alone", "write_rationale", [TOWER]) == 0
    assert "100.0%" in capsys.readouterr().out
    (request,) = engines.models.requests
    assert request["max_tokens"] == PATH_TOKENS


def test_gains_are_over_the_first_of_several_adapters_else_over_the_base(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    first, second = (make_adapter(tmp_path / name) for name in ("first", "second"))
    both = ["--adapter", first, "--adapter", second]
    for options, reference in ((both, first), (both[:2], "base")):
        assert evaluate("answer_alone", "write_rationale", [TOWER], *options) == 0
        report = json.loads((Path(first) / "evaluation.json").read_text())
        assert report["gains_over"] == reference
        alone = [name for name, row in report["figures"].items() if row["gain_ci95"] is None]
        assert alone == [reference]


def test_evaluate_writes_its_figures_beside_each_adapter(
    evaluate: Evaluate, tmp_path: Path, engines: Engines
) -> None:
    folders = [tmp_path / "other" / ".." / "v1.5", tmp_path / "other" / "v1.5"]
    paths = [make_adapter(folder) for folder in folders]
    options = ["--adapter", paths[0], "--adapter", paths[1]]
    assert evaluate("write_query", "write_query", [pair(1)], *options) == 0
    assert [request["model"] for request in engines.models.requests] == ["write_query", *paths]
    report = json.loads((folders[0] / "evaluation.json").read_text())
    assert list(report["figures"]) == ["base", *paths]
    assert evaluate("write_query", "write_query", [pair(1)], "--no-base", *options) == 0
    report = json.loads((folders[0] / "evaluation.json").read_text())
    assert list(report["figures"]) == paths


def test_names_of_adapters_differ_and_have_no_dots() -> None:
    """torch refuses a module whose name has one."""
    folders = [Path("a/v1.5"), Path("b/v1.5")]
    assert list(named(folders).values()) == folders
    assert not any("." in name for name in named(folders))


@pytest.mark.parametrize(
    "options", [["--fold", "0/3"], ["--copied"], ["--samples", "5"], ["--curve", "x.svg"]]
)
def test_options_of_programs_are_refused_for_answers(
    evaluate: Evaluate, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("answer_alone", "write_rationale", [TOWER], *options) == 2
    assert "write_query" in capsys.readouterr().err


def test_a_fold_is_measured_alone(evaluate: Evaluate, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [replace(pair(n), wording=f"w{n}") for n in range(9)]
    held_out = [each for each in pairs if Fold.of("0/3").holds(each.wording)]
    assert 0 < len(held_out) < 9
    assert evaluate("write_query", "write_query", pairs, "--fold", "0/3") == 0
    assert f"│ {len(held_out)} " in capsys.readouterr().out
    others = [each for each in pairs if each not in held_out]
    assert evaluate("write_query", "write_query", others, "--fold", "0/3") == 2
    assert "no pair of fold 0/3" in capsys.readouterr().err


def test_evaluate_needs_something_to_measure(
    evaluate: Evaluate, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("write_query", "write_query", [pair(1)], "--no-base") == 2
    assert "without --adapter" in capsys.readouterr().err
