"""Each command from its arguments to its files, with scripted engines; on Ray, the same files."""

import bz2
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import models.llm.factory
import training.engines
from models.llm.cache import Calls
from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.protocol import Prompt
from models.records import IDK
from models.settings import Settings
from models.systems.dragonrangers.system import DragonrangersOptions
from tests.models.llm.test_adapters import make_adapter
from tests.models.llm.test_cache import HELLO
from tests.models.systems.scripted import SOON, ScriptedLLM, ScriptedLLMs
from training.__main__ import main
from training.contexts import Context
from training.fitting.folds import Fold
from training.kg import EXAMPLE_KG
from training.records import Pair, Sample, part_of, read_rows, write_rows
from training.tuning.job import Job
from training.tuning.report import Watch
from utils.errors import InputError

TIME = "03/13/2024, 09:19:21 PT"
PROGRAM = 'ALL get_movie_person_crew("inception", None, eq(job, "Director"))["name"]'
REASONS = "First, towers have 88 m at most. Second, it was measured. The answer is {}."
NUMBERS = range(20)
MAKERS = {  # of the commands that are run on Ray here; two of them, as each takes seconds
    "labels": "training.labels.make_labeller",
    "paraphrase": "training.__main__.make_paraphraser",
}


def has_height(number: int) -> bool:
    """Whether the answer to a question of `data` is a height."""
    return number % 3 > 0


def height(prompt: Prompt) -> str:
    """What a prompt says of the tower that it asks about."""
    *_, number = re.findall(r"tower (\d+)", prompt.messages[-1].text)
    return f"{number} m"


def scripted() -> ScriptedLLMs:
    return ScriptedLLMs(
        {
            **dict.fromkeys(("route", "find_entities", "answer_kg"), lambda prompt: "open"),
            "answer_web": height,
            "check_answer": lambda prompt: json.dumps({"Accuracy": str(height(prompt) < "5")}),
            "check_context": lambda prompt: "yes" if height(prompt) < "7" else "no",
            "write_rationale": lambda prompt: REASONS.format(height(prompt)),
            "paraphrase": lambda prompt: f"how much is {height(prompt)}?\nwhose film is it?",
            "write_query": lambda prompt: PROGRAM,
        }
    )


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> ScriptedLLMs:
    """The settings' engines; pages are ranked by words alone."""
    llms = scripted()
    settings = Settings(
        llms={name: LLMSettings(f"hf:{name}") for name in llms.replies},
        subtasks={name: SubtaskSettings(name) for name in llms.replies},
        web={"preset": "db3", "embedder": None, "reranker": None},
    )
    monkeypatch.setattr("training.__main__.load_settings", lambda: settings)
    monkeypatch.setattr("models.llm.factory.make_llm", lambda llm, **_: llms.of(llm.place)[0])
    return llms


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Questions; a third of their answers is the film's director, the others a tower's height."""
    rows = [
        {
            "interaction_id": str(number),
            "query": f"who directed inception, as told on tower {number}?",
            "query_time": TIME,
            "answer": f"{number} m" if has_height(number) else "Christopher Nolan",
            "domain": "movie",
            "search_results": [{"page_result": f"<p>The tower {number} is {number} m tall.</p>"}],
        }
        for number in NUMBERS
    ]
    file = tmp_path / "crag.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def run(*arguments: object) -> None:
    assert main([str(argument) for argument in arguments]) == 0


@dataclass
class TuneCall:
    """What a command would tune."""

    job: Job
    method: Any
    watch: Watch | None


@pytest.fixture
def tune_calls(monkeypatch: pytest.MonkeyPatch) -> list[TuneCall]:
    """What commands would tune; nothing is."""
    seen: list[TuneCall] = []

    def tune(job: Job, method: Any, *, watch: Watch | None) -> dict[str, Any]:
        seen.append(TuneCall(job, method, watch))
        return dict.fromkeys(("samples", "updates", "seconds", "device", "first_loss", "last_loss"))

    monkeypatch.setattr("training.__main__.tune", tune)
    return seen


def test_sft_leaves_a_fold_out_and_starts_from_an_adapter(
    tmp_path: Path, tune_calls: list[TuneCall], capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = [replace(pair(n), wording=f"w{n}", split="train") for n in range(9)]
    file = tmp_path / "pairs.jsonl"
    write_rows(file, pairs)
    base = ("--base", tmp_path, "--data", file, "--out", tmp_path / "out")
    run("sft", "write_query_small", *base, "--fold", "1/3", "--from", tmp_path / "first")
    (call,) = tune_calls
    job = call.job
    assert (job.fold, job.start) == ("1/3", tmp_path / "first")
    other_pairs = [each for each in pairs if not Fold.of("1/3").holds(each.wording)]
    assert len(call.method.samples) == len(other_pairs)
    assert main(["sft", "route_small", *map(str, base), "--fold", "1/3"]) == 2
    assert "--fold" in capsys.readouterr().err


def test_routes_teach_the_topics_of_questions(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "routes.jsonl"
    run("routes", "--data", data, "--out", out)
    samples = list(read_rows(out, Sample))
    assert [sample.answer for sample in samples] == ["movie"] * len(NUMBERS)


def test_the_folds_of_questions_are_disjoint_and_complete(tmp_path: Path, data: Path) -> None:
    ids: list[str] = []
    for number in range(3):
        out = tmp_path / f"{number}.txt"
        run("fold", "--data", data, "--fold", f"{number}/3", "--out", out)
        ids += out.read_text().split()
    assert sorted(ids, key=int) == [str(number) for number in NUMBERS]


def test_pairs_that_can_be_copied_have_the_words_of_their_questions(
    tmp_path: Path, data: Path, engines: ScriptedLLMs
) -> None:
    out = tmp_path / "copied.jsonl"
    run("real", "--copied", "--data", data, "--out", out, "--part", "all")
    pairs = list(read_rows(out, Pair))
    assert pairs
    assert all('"inception"' in each.program.lower() for each in pairs)


def test_samples_of_the_kgs_answers_have_right_and_other_facts(
    tmp_path: Path, data: Path, engines: ScriptedLLMs
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    out = tmp_path / "samples.jsonl"
    run("real", "--data", data, "--out", pairs, "--part", "all")
    run("kg-answers", "--pairs", pairs, "--data", data, "--out", out)
    answers = {sample.answer for sample in read_rows(out, Sample)}
    assert {"Christopher Nolan", IDK} <= answers


def test_what_is_held_out_is_left_out_of_the_samples(
    tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    out = tmp_path / "samples.jsonl"
    run("real", "--data", data, "--out", pairs, "--part", "all")
    arguments = ["kg-answers", "--pairs", pairs, "--data", data, "--out", out]
    assert main([*map(str, arguments), "--apart-from", str(pairs)]) == 2
    assert f"no pair of {pairs} is apart from {pairs}" in capsys.readouterr().err


@pytest.mark.first_week
def test_inputs_that_do_not_belong_together_are_an_error_and_no_empty_file(
    tmp_path: Path, data: Path, engines: ScriptedLLMs, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    other = tmp_path / "other.jsonl"
    out = tmp_path / "samples.jsonl"
    run("real", "--data", data, "--out", pairs, "--part", "all")
    row = {"query": "who wrote it?", "query_time": "", "answer": "", "interaction_id": "other"}
    other.write_text(json.dumps(row) + "\n")
    for command, says in (
        (["kg-answers", "--pairs", pairs, "--data", other], "do they belong together?"),
        (["web-answers", "--data", other], "no question of the data has a right answer"),
        (["routes", "--data", other], "no question of the data has a domain"),
        (["rationales", "--data", other, "--part", "held_out"], "no questions in the part"),
        (["real", "--data", other, "--part", "all"], "answers no question of the data"),
    ):
        assert main([*map(str, command), "--out", str(out)]) == 2
        assert says in capsys.readouterr().err
        assert not out.exists()
    labels = ["labels", "--data", str(other), "--part", "held_out", "--out", str(tmp_path / "l")]
    assert main(labels) == 2
    assert "no question with pages or facts" in capsys.readouterr().err
    assert not (tmp_path / "l" / "counts.json").exists()


def test_web_answers_are_made_of_pages(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "samples.jsonl"
    run("web-answers", "--data", data, "--out", out)
    contexts = {sample.note for sample in read_rows(out, Sample)}
    assert {Context.CONTAINS, Context.EMPTY} <= contexts


TALL = [
    Sample(
        id=str(number),
        turns=(("system", "Answer."), ("user", f"how high is tower {number}?")),
        answer=f"{number} m",
        note=Context.CONTAINS,
        question=f"how high is tower {number}?",
        golds=(f"{number} m",),
        subtask="answer_kg",
    )
    for number in range(5)
]


@pytest.fixture
def own_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model's answers to the heights of towers: that of tower 1 is always wrong, the others' are
    right three times of four."""

    def say(prompt: Prompt) -> list[str]:
        right = height(prompt)
        return ["1000 m"] * 4 if right == "1 m" else [right, "1000 m", right, right]

    llm = ScriptedLLM("answer_kg", say, [])
    monkeypatch.setattr("training.own_answers.make_llm", lambda *_: llm)
    samples = tmp_path / "samples.jsonl"
    out = tmp_path / "own.jsonl"
    write_rows(samples, TALL)
    mixed = ("--mixed", tmp_path / "mixed.jsonl")
    run("draw", "--llm", "hf:any", "--data", samples, "--out", out, "--count", 4, *mixed)
    return out


def test_drawn_answers_and_what_is_learnt_from_them(
    tmp_path: Path,
    own_answers: Path,
    tune_calls: list[TuneCall],
    capsys: pytest.CaptureFixture[str],
) -> None:
    mixed = list(read_rows(tmp_path / "mixed.jsonl", Sample))
    assert [sample.id for sample in mixed] == ["0", "2", "3", "4"]
    confident = tmp_path / "confident.jsonl"
    run("confident", "--data", own_answers, "--out", confident, "--least", 3)
    answers = [sample.answer for sample in read_rows(confident, Sample)]
    assert answers == ["0 m", IDK, "2 m", "3 m", "4 m"]
    assert main(["confident", "--data", str(own_answers), "--out", "x", "--least", "5"]) == 2
    options = ("--base", tmp_path, "--from", tmp_path / "sft", "--out", tmp_path / "out")
    run("dpo", "answer_kg_dpo_small", "--data", own_answers, *options)
    watched = ("--data", confident, "--watch", tmp_path / "samples.jsonl")
    run("grpo", "answer_kg_grpo_small", *watched, *options)
    dpo, grpo = tune_calls
    assert dpo.job.start == grpo.job.start == tmp_path / "sft"
    chosen = [(pair.chosen, pair.rejected) for pair in dpo.method.preferences]
    assert chosen[:2] == [("0 m", "1000 m"), (IDK, "1000 m")]
    assert [sample.id for sample in grpo.method.samples] == [sample.id for sample in TALL]
    trained_on = ("--data", confident, "--watch", confident)
    assert main(["grpo", "answer_kg_grpo_small", *map(str, (*options, *trained_on))]) == 2
    assert "not trained on" in capsys.readouterr().err


def test_a_file_is_watched_by_the_shares_of_its_answers(
    tmp_path: Path, tune_calls: list[TuneCall]
) -> None:
    samples = tmp_path / "samples.jsonl"
    other = tmp_path / "other.jsonl"
    write_rows(samples, TALL)
    write_rows(other, TALL[:2])
    base = ("--base", tmp_path, "--out", tmp_path / "out")
    run("sft", "answer_kg_small", "--data", samples, *base, "--watch", other)
    (sft,) = tune_calls
    assert sft.watch is not None
    shares = sft.watch(ScriptedLLM("answer_kg", lambda prompt: "0 m", []), "any")
    assert (shares["accuracy"], shares["hallucination"]) == (0.5, 0.5)


def pair(number: int) -> Pair:
    return Pair(
        id=str(number),
        domain="movie",
        question=f"who made inception, as told on tower {number}?",
        query_time=TIME,
        program=PROGRAM,
        source="template",
        intent="i",
        wording="w",
        split="held_out",
    )


def ids_in(part: str) -> set[str]:
    """The ids of `data` that are in a part."""
    return {str(number) for number in NUMBERS if part_of(str(number)) == part}


def test_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("queries", "--out", tmp_path, "--pairs", 20, "--held-out", 5)
    for split, count in (("train", 20), ("held_out", 5)):
        assert len(list(read_rows(tmp_path / f"{split}.jsonl", Pair))) == count
    assert "20 pairs" in capsys.readouterr().out


def test_a_paraphrase_must_lead_back(
    tmp_path: Path, engines: ScriptedLLMs, capsys: pytest.CaptureFixture[str]
) -> None:
    program_by_question = {
        "whose film is inception?": PROGRAM,
        "who made inception?": 'get_movie("inception")["budget"]',
        "who was behind inception?": "no program",
        "do you know who directed the film inception?": PROGRAM,  # a held-out wording
        pair(5).question: PROGRAM,  # one that is there already
    }
    numbered = "\n".join(f"{n}. {question}" for n, question in enumerate(program_by_question, 1))

    def program(prompt: Prompt) -> str:
        *_, question = re.findall("Question: (.*)", prompt.messages[-1].text)
        return program_by_question[question]

    engines.of("paraphrase")[0].reply = lambda _: numbered
    engines.of("write_query")[0].reply = program
    data = tmp_path / "pairs.jsonl"
    out = tmp_path / "other.jsonl"
    write_rows(data, [pair(4), pair(5)])  # both are offered the same questions
    run("paraphrase", "--data", data, "--out", out, "--count", 5)
    assert "1 of 3 wordings kept" in capsys.readouterr().out
    (new_pair,) = read_rows(out, Pair)
    assert (new_pair.question, new_pair.program) == ("whose film is inception?", PROGRAM)
    assert (new_pair.source, new_pair.intent) == ("paraphrase", "4")
    # the writer sees the paraphrase, never the question that it came from
    assert not any(pair(4).question in text for text in engines.asked("write_query"))


@pytest.mark.parametrize("part", ["train", "held_out"])
def test_real_finds_programs_in_its_part_only(
    part: str, tmp_path: Path, data: Path, engines: ScriptedLLMs
) -> None:
    out = tmp_path / "out.jsonl"
    run("real", "--data", data, "--out", out, "--part", part)
    ids = {pair.id for pair in read_rows(out, Pair)}
    assert ids == {id for id in ids_in(part) if not has_height(int(id))}


@pytest.mark.parametrize("part", ["train", "held_out"])
def test_rationales_are_written_in_their_part_only(
    part: str, tmp_path: Path, data: Path, engines: ScriptedLLMs
) -> None:
    out = tmp_path / "out.jsonl"
    run("rationales", "--data", data, "--out", out, "--part", part)
    ids = {sample.id for sample in read_rows(out, Sample)}
    assert ids == {id for id in ids_in(part) if has_height(int(id))}


def test_labels(
    tmp_path: Path, data: Path, engines: ScriptedLLMs, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["labels", "--data", data, "--out", tmp_path / "out", "--part", "held_out"]
    run(*arguments, "--limit", 20)
    assert "no labels of answer_kg" in capsys.readouterr().out
    assert not (tmp_path / "out" / "answer_kg.jsonl").exists()
    rounds = len(engines.rounds)
    run(*arguments)
    samples = read_rows(tmp_path / "out" / "answer_web.jsonl", Sample)
    assert {sample.id for sample in samples} == ids_in("held_out")
    assert len(engines.rounds) == rounds, "a prompt was asked twice"


Evaluate = Callable[..., int]


@pytest.fixture
def llm_settings() -> list[LLMSettings]:
    """The settings of the engines that `evaluate` made."""
    return []


@pytest.fixture
def evaluate(
    tmp_path: Path,
    engines: ScriptedLLMs,
    monkeypatch: pytest.MonkeyPatch,
    llm_settings: list[LLMSettings],
) -> Evaluate:
    """Runs the command `evaluate` on rows, by the scripted engine of a subtask."""

    def run_evaluate(
        recipe: str, subtask: str, rows: Sequence[Pair | Sample], *options: str
    ) -> int:
        llm, _ = engines.of(subtask)

        def make_llm(settings: LLMSettings) -> Any:
            llm_settings.append(settings)
            return llm

        monkeypatch.setattr("training.__main__.make_llm", make_llm)
        file = tmp_path / "data.jsonl"
        write_rows(file, rows)
        return main(["evaluate", recipe, "--llm", "hf:none", "--data", str(file), *options])

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
    evaluate: Evaluate, engines: ScriptedLLMs, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "how high is tower 7?"
    answer = Sample("t", (("user", question),), "", "", question, ("7 m",))
    assert evaluate("answer_alone", "write_rationale", [answer]) == 0
    assert "100.0%" in capsys.readouterr().out
    _, (prompt,) = engines.rounds[-1]
    assert prompt.max_tokens == DragonrangersOptions().path_tokens


def test_gains_are_over_the_first_of_several_adapters_else_over_the_base(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    question = "how high is tower 7?"
    answer = Sample("t", (("user", question),), "", "", question, ("7 m",))
    first, second = (make_adapter(tmp_path / name) for name in ("first", "second"))
    both = ["--adapter", first, "--adapter", second]
    for options, reference in ((both, first), (both[:2], "base")):
        assert evaluate("answer_alone", "write_rationale", [answer], *options) == 0
        report = json.loads((Path(first) / "evaluation.json").read_text())
        assert report["gains_over"] == reference
        alone = [name for name, row in report["figures"].items() if row["gain_ci95"] is None]
        assert alone == [reference]


def test_evaluate_writes_its_figures_beside_each_adapter(
    evaluate: Evaluate, tmp_path: Path, llm_settings: list[LLMSettings]
) -> None:
    folders = [tmp_path / "other" / ".." / "v1.5", tmp_path / "other" / "v1.5"]
    paths = [make_adapter(folder) for folder in folders]
    options = ["--adapter", paths[0], "--adapter", paths[1]]
    assert evaluate("write_query", "write_query", [pair(1)], *options) == 0
    adapters = llm_settings[-1].adapters
    assert list(adapters.values()) == paths
    assert not any("." in name for name in adapters), "torch refuses such a module"
    report = json.loads((folders[0] / "evaluation.json").read_text())
    assert list(report["figures"]) == ["base", *paths]
    assert evaluate("write_query", "write_query", [pair(1)], "--no-base", *options) == 0
    report = json.loads((folders[0] / "evaluation.json").read_text())
    assert list(report["figures"]) == paths


@pytest.mark.parametrize(
    "options", [["--fold", "0/3"], ["--copied"], ["--samples", "5"], ["--curve", "x.svg"]]
)
def test_options_of_programs_are_refused_for_answers(
    evaluate: Evaluate, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    answer = Sample("t", (("user", "how high?"),), "", "", "how high?", ("7 m",))
    assert evaluate("answer_alone", "write_rationale", [answer], *options) == 2
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


def test_samples_that_no_judge_can_judge_are_refused(
    evaluate: Evaluate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without_gold = Sample("s", (("user", "how high?"),), "", "", "how high?")
    data = tmp_path / "samples.jsonl"
    draw = ["draw", "--llm", "hf:x", "--data", str(data), "--out", str(tmp_path / "own.jsonl")]
    for samples, message in (
        ([without_gold], "sample s has no question or no golds"),
        ([], "there are no samples"),
    ):
        write_rows(data, samples)
        assert main(draw) == 2
        assert message in capsys.readouterr().err
        assert evaluate("answer_alone", "write_rationale", samples) == 2
        assert message in capsys.readouterr().err
    assert main(["confident", "--data", str(data), "--out", str(tmp_path / "c.jsonl")]) == 2
    assert "has no answers of a model" in capsys.readouterr().err
    write_rows(data, [without_gold])
    assert main(["confident", "--data", str(data), "--out", str(tmp_path / "c.jsonl")]) == 2
    assert "line 1: no own answers: sample: Field required" in capsys.readouterr().err


def test_rows_are_read_as_written_and_a_bad_line_is_named(tmp_path: Path) -> None:
    """Web text has line separators that are no ends of JSON lines."""
    file = tmp_path / "rows.jsonl"
    sample = Sample("s", (("user", "a\u2028b\x85c"),), "x")
    write_rows(file, [sample, sample])
    assert list(read_rows(file, Sample)) == [sample] * 2
    packed = tmp_path / "rows.jsonl.bz2"
    packed.write_bytes(bz2.compress(file.read_bytes()))
    assert list(read_rows(packed, Sample)) == [sample] * 2
    with file.open("a") as lines:
        lines.write('{"id": "t"}\n')
    with pytest.raises(InputError, match="line 3: no sample: turns: Field required"):
        list(read_rows(file, Sample))


def test_open_keys(tmp_path: Path) -> None:
    out = tmp_path / "keys.toml"
    out.write_text("# head\n[keys]\nold = 1\n")
    run("open-keys", "--kg", EXAMPLE_KG, "--keep", 2, "--out", out)
    head, _, keys = out.read_text().partition("[keys]\n")
    assert head == "# head\n" and "old" not in keys
    assert all(len(line.split('"')[1].split()) <= 2 for line in keys.splitlines())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a Ray cluster."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    yield nodes.address
    nodes.shutdown()


def make_scripted(make: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What `make` makes, with scripted engines, on any worker."""
    models.llm.factory.make_llm = lambda llm, **_: scripted().of(llm.place)[0]
    return make(*arguments, **options)


@pytest.mark.engine
@pytest.mark.parametrize("command", MAKERS)
def test_a_command_writes_on_ray_what_it_writes_in_one_process(
    command: str,
    address: str,
    tmp_path: Path,
    data: Path,
    engines: ScriptedLLMs,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And the replies of its workers are kept where the command runs."""
    module, _, name = MAKERS[command].rpartition(".")
    make = getattr(import_module(module), name)
    monkeypatch.setattr(MAKERS[command], partial(make_scripted, make))
    monkeypatch.setattr("training.__main__.BATCH", 1)
    limit = ["--part", "all", "--limit", "9"]
    if command == "paraphrase":
        write_rows(data, map(pair, range(9)))
        limit = []

    def written(folder: str, *options: object) -> dict[str, str]:
        """The texts of the files that the command writes."""
        out = tmp_path / folder / "out.jsonl"
        run(command, "--data", data, "--out", out, *limit, *options)
        files = [out] if out.is_file() else sorted(out.glob("*.json*"))
        texts = {file.name: file.read_text() for file in files}
        assert texts and all(texts.values())
        return texts

    alone = written("alone")
    assert written("ray", "--ray", address) == alone
    capsys.readouterr()
    assert written("ray", "--ray", address, "--workers", 1) == alone
    counts = capsys.readouterr().err
    assert "prompts remembered" in counts and "asked" not in counts


def test_a_reply_of_thoughts_alone_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = ["<think>hm</think>", "fine", "never asked for"]
    llm = ScriptedLLM("any", lambda _: replies.pop(0), [])
    monkeypatch.setattr("models.llm.factory.make_llm", lambda *_, **__: llm)
    settings = Settings(llms={"default": LLMSettings("hf:a")})
    engine, _ = training.engines.remembering(settings, Calls(tmp_path / "calls"), ["any"]).of("any")
    texts = [engine.generate([HELLO], deadline=SOON)[0].text for _ in range(3)]
    assert texts == ["", "fine", "fine"]
