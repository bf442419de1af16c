"""The command line from arguments to report, over stand-ins for the model and the mock API."""

import importlib.util
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from evaluation.arguments import EvaluationParts
from evaluation.cli import main
from models.records import Task
from models.settings import ROOT, Settings
from tests.evaluation.run_files import figures_of, rows_of, write_rows

DATASET = Path("example_data/questions.jsonl")
RUNS = Path("runs")


@dataclass
class World:
    """The parts of a project in the working folder, the model among them, and their calls.

    `before` is called before each batch, once it is counted.
    """

    capsys: pytest.CaptureFixture[str]
    before: Callable[[], object] = lambda: None
    batches: int = 0
    settings: Settings = field(default_factory=Settings)
    served: list[str] = field(default_factory=list)

    def make_model(self, settings: Settings) -> "World":
        self.settings = settings
        return self

    def get_batch_size(self) -> int:
        return 2

    def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]:
        self.batches += 1
        self.before()
        return ["two" for _ in batch["query"]]

    @contextmanager
    def serve(self, folder: Path) -> Iterator[str]:
        self.served.append(f"start {folder.name}")
        try:
            yield "http://127.0.0.1:4711"
        finally:
            self.served.append("stop")

    def run(self, *argv: str, check: bool = False) -> int:
        parts = EvaluationParts(Path(), self.make_model, self.serve)
        if not check:
            argv = (*argv, "--no-check")
        return main(argv, parts)

    def fails(self, *argv: str) -> str:
        """The one line on stderr of a run that cannot be made."""
        self.capsys.readouterr()
        assert self.run(*argv) == 2
        output = self.capsys.readouterr()
        assert output.out == ""
        (line,) = output.err.splitlines()
        assert line.startswith("error: ")
        return line


@pytest.fixture
def world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> World:
    monkeypatch.delenv("CRAG_MOCK_API_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("example_data/kg").mkdir(parents=True)
    answers = ["two", "two", "two", "two", "six"]
    rows: list[dict[str, Any]] = [
        {"interaction_id": f"q{number}", "query": "how many moons?", "answer": answer}
        for number, answer in enumerate(answers)
    ]
    rows[0]["search_results"] = [{"page_name": "Mars", "page_snippet": "two moons"}]
    write_rows(DATASET, rows)
    return World(capsys)


def test_with_no_arguments_the_example_runs_with_its_kg(world: World) -> None:
    assert world.run() == 0
    (folder,) = RUNS.iterdir()
    figures = figures_of(folder)
    assert folder.name.endswith("-offline")
    assert figures["total"] == 5
    assert figures["correct"] == 4
    assert figures["wrong"] == 1
    assert figures["score"] == pytest.approx(0.6)
    assert len(rows_of(folder / "predictions.jsonl")) == 5
    assert world.served == ["start kg", "stop"]
    assert world.settings.api_url == "http://127.0.0.1:4711"
    assert figures["settings"]["judge"] == "rules"
    output = world.capsys.readouterr()
    assert output.out.splitlines()[-1] == str(folder / "report.html")
    assert "5/5, score so far +60.0%" in output.err


def test_arguments_reach_their_parts(world: World) -> None:
    Path("my_kg").mkdir()
    DATASET.write_text("not json\n" + DATASET.read_text())
    argv = f"--dataset {DATASET} --task 3 --system db3 --mock-api my_kg --judge openai:http://h#m"
    argv += " --limit 3 --batch-size 1 --out out --set web.rerank_k=4 --web default --skip-bad"
    assert world.run(*argv.split()) == 0
    figures = figures_of(Path("out"))
    assert figures["total"] == 3
    assert figures["notes"]["rows skipped"] == 1
    assert world.served == ["start my_kg", "stop"]
    assert world.settings.system == "db3"
    assert world.settings.task == Task.END_TO_END
    assert world.settings.web == {"preset": "default", "rerank_k": 4}
    assert figures["settings"]["judge"] == "openai:http://h#m"
    assert figures["settings"]["batch size"] == "1"


@pytest.mark.parametrize(
    ("argv", "url", "task"),
    [
        ([f"--dataset={DATASET}"], None, Task.WEB),
        ([f"--dataset={DATASET}", "--task=2"], "http://env:1", Task.KG_WEB),
        (["--api-url=http://given:1"], "http://given:1", None),
        (["--task=1"], None, Task.WEB),
    ],
)
def test_the_api_is_the_given_one_or_that_of_the_environment_or_none(
    world: World, monkeypatch: Any, argv: list[str], url: str | None, task: Task | None
) -> None:
    if url:
        monkeypatch.setenv("CRAG_MOCK_API_URL", "http://env:1")
    assert world.run(*argv) == 0
    assert world.served == []
    assert world.settings.api_url == url
    assert world.settings.task == task


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--task", "2", "--dataset", str(DATASET)], "task 2 needs the KG API"),
        (["--dataset", "no.jsonl"], "no such dataset"),
        (["--dataset", "example_data"], "a folder, not a dataset file"),
        (["--dataset", "bad.jsonl"], "bad.jsonl, line 1: not a JSON object"),
        (["--mock-api", "absent"], "there is no"),
        (["--resume"], "--resume needs --out"),
        (["--mock-api", "a", "--api-url", "b"], "exclude each other"),
        (["--ray", "local", "--model", "module:Model"], "exclude each other"),
        (["--model", "module:Model", "--web", "db3"], "--model excludes --system, --llm and --web"),
        (["--llm", "openai:http://a#b"], "the system offline uses no LLM; give --system too"),
        (["--model", "/nowhere:module:Model"], "expected [FOLDER:]module:Class"),
        (["--batch-size", "17"], "--batch-size"),
        (["--where", "colour=red"], "SLICE one of domain"),
        (["--where", "domain=none"], "no question is left: domain has unknown (5)"),
        (["--dataset", "empty.jsonl", "--task", "1"], "empty.jsonl: has no questions"),
        (["--sample", "4", "--limit", "3"], "--sample 4 and --limit 3: give one of them"),
        (["--shard", "4/3"], "I from 1 to N"),
        (["--ids", "absent"], "--ids: there is no file absent"),
        (["--ids", "ids.txt"], "1 ids are not in the dataset: q99"),
        (["--slices", "bad.jsonl"], "line 1: not a JSON object"),
        (["--slices", "taken.jsonl"], "line 1: expected an id, and no key named domain"),
    ],
)
def test_an_error_is_one_line_and_leaves_no_folder(
    world: World, argv: list[str], says: str
) -> None:
    Path("bad.jsonl").write_text("[1]\n")
    Path("empty.jsonl").touch()
    Path("taken.jsonl").write_text('{"id": "q1", "domain": "x"}\n')
    Path("ids.txt").write_text("q1\n\nq99\n")
    assert says in world.fails(*argv)
    assert not list(RUNS.glob("*"))
    assert world.served in ([], ["start kg", "stop"])


def test_a_bad_batch_size_of_the_model_is_refused(world: World) -> None:
    world.get_batch_size = lambda: 17
    assert "batch size must be 1-16, is 17" in world.fails()


def test_a_failed_check_ends_the_run_before_its_first_question(world: World) -> None:
    assert world.run("--api-url", "http://127.0.0.1:9", check=True) == 2
    assert "a check failed; see above" in world.capsys.readouterr().err
    assert not list(RUNS.glob("*"))


def test_what_works_less_well_is_a_line_of_the_report(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    lacking = "sentence_transformers"
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *rest: None if name == lacking else find(name)
    )
    argv = ["--api-url", f"file:{ROOT / 'example_data' / 'kg'}", "--set", "web.preset=db3"]
    assert world.run(*argv, "--out", "out", check=True) == 0
    says = "web path: embedder: sentence_transformers is not installed"
    assert says in figures_of(Path("out"))["settings"]["degraded"]
    printed = world.capsys.readouterr()
    assert f"degraded: {says}" in " ".join(printed.out.split())
    assert "pip install -e '.[transformers]'" in printed.err


def test_an_interrupted_run_prints_the_command_that_resumes_it(world: World) -> None:
    def interrupt() -> None:
        if world.batches == 2:
            raise KeyboardInterrupt

    world.before = interrupt
    judge = "rules+openai:http://me:hush-hush@h/v1#m"
    assert world.run("--limit", "4", "--judge", judge) == 130
    (folder,) = RUNS.iterdir()
    message = world.capsys.readouterr().err
    assert "python local_evaluation.py --limit 4 --judge" in message
    assert f"--out {folder} --resume" in message
    assert "http://…@h/v1#m" in message
    assert "hush-hush" not in message
    assert world.served == ["start kg", "stop"]
    assert len(rows_of(folder / "predictions.jsonl")) == 2

    again = ["--out", str(folder), "--resume", "--judge", judge]
    assert "holds a run already" in world.fails("--out", str(folder))
    assert "system was 'offline' and is 'db3'" in world.fails(*again, "--system", "db3")
    assert "answers already" in world.fails(*again, "--limit", "1")
    assert len(rows_of(folder / "predictions.jsonl")) == 2
    assert world.run("--limit", "4", *again) == 0
    assert figures_of(folder)["total"] == 4
    assert figures_of(folder)["settings"]["taken over from an interrupted run"] == "2"


def test_a_run_whose_dataset_is_removed_lacks_only_its_hash(world: World) -> None:
    world.before = lambda: DATASET.unlink(missing_ok=True)
    assert world.run() == 0
    (folder,) = RUNS.iterdir()
    assert figures_of(folder)["total"] == 5
    assert (folder / "report.html").exists()
    about = json.loads((folder / "about.json").read_text())
    assert "finished" in about
    assert "dataset sha256" not in about


@pytest.mark.parametrize("name", ["../../evil", "/evil", "a/../../../evil", "\x00", "x" * 5000])
def test_the_id_of_a_question_is_no_file_name(world: World, name: str) -> None:
    write_rows(DATASET, [{"interaction_id": name, "query": "how many moons?", "answer": "two"}])
    before = {*Path().rglob("*")}
    out = Path("a/run")
    assert world.run("--out", str(out)) == 0
    new_files = {*Path().rglob("*")} - before - {out.parent, out}
    assert new_files
    assert {path.parent for path in new_files} == {out}
    assert not [path for path in new_files if "evil" in path.name]


def test_a_model_that_always_raises_is_no_success(world: World, tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(
        "class Model:\n"
        "    def get_batch_size(self):\n"
        "        return 2\n"
        "    def batch_generate_answer(self, batch):\n"
        "        raise KeyError('no such page')\n"
    )
    assert world.run("--model", f"{file}:Model", "--out", "runs/broken") == 3
    errors = world.capsys.readouterr().err
    assert "every question failed, the first by ModelFailed" in errors
    assert "Traceback" not in errors  # the model's own process shows it
    assert figures_of(RUNS / "broken")["missing"] > 0  # the run is kept


OWN_MODEL = """
import os

class Model:
    def get_batch_size(self):
        return 2
    def batch_generate_answer(self, batch):
        if "broken" in os.listdir() and len(batch["query"]) == 1:
            raise KeyError("no such page")
        return ["two"] * len(batch["query"])
"""


@pytest.mark.first_week
def test_what_a_model_raised_for_is_asked_again_once_it_is_repaired(
    world: World, tmp_path: Path
) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(OWN_MODEL)
    broken = tmp_path / "broken"
    broken.touch()
    argv = ["--model", f"{file}:Model", "--out", "runs/own"]
    assert world.run(*argv) == 0
    assert "1 question lost" in world.capsys.readouterr().err
    assert figures_of(RUNS / "own")["lost"] == 1
    broken.unlink()
    assert world.run(*argv, "--resume") == 0
    assert figures_of(RUNS / "own")["lost"] == 0
    assert figures_of(RUNS / "own")["missing"] == 0


@pytest.mark.first_week
def test_without_a_system_the_users_own_model_is_evaluated(world: World, tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(OWN_MODEL)
    parts = EvaluationParts(Path(), world.make_model, world.serve, lambda: f"{file}:Model")
    assert main(["--out", "runs/own", "--no-check"], parts) == 0
    assert figures_of(RUNS / "own")["settings"]["system"] == f"{file}:Model"
    assert world.batches == 0
    assert main(["--out", "runs/ours", "--no-check", "--system", "offline"], parts) == 0
    assert figures_of(RUNS / "ours")["settings"]["system"] == "offline"


def test_a_judge_is_checked_before_the_first_question(world: World) -> None:
    judge = "openai:http://127.0.0.1:9/v1#x"
    assert world.run("--judge", judge, check=True) == 2
    assert world.batches == 0


def test_a_judge_that_fails_wherever_it_is_asked_is_no_success(world: World) -> None:
    """The run is kept, to be judged again."""
    argv = ["--judge", "rules+openai:http://127.0.0.1:9/v1#x", "--out", "out"]
    write_rows(DATASET, [{"query": "who?", "answer": "it was the second of them, by all accounts"}])
    assert world.run(*argv) == 3
    assert "gave no verdict on any of 1 answers" in world.capsys.readouterr().err
    assert figures_of(Path("out"))["judge_failures"] == 1


@pytest.mark.parametrize("least", ["0.9", "-0.5", "900"])
def test_a_least_score_is_in_percent(world: World, least: str) -> None:
    assert world.run("--fail-under", least) == 2
    assert "--fail-under" in world.capsys.readouterr().err


@pytest.mark.first_week
def test_questions_without_anything_to_look_in_are_refused(world: World) -> None:
    rows = rows_of(DATASET)
    for row in rows:
        row.pop("search_results", None)
    write_rows(DATASET, rows)
    error = world.fails("--dataset", str(DATASET), "--out", "out")
    assert "there is nothing to look in: the questions have no pages, and no KG is given" in error
    assert not Path("out").exists()
    llm = ["--system", "db3", "--llm", "hf:somewhere"]  # it may know the answer
    assert world.run("--dataset", str(DATASET), "--out", "out", *llm) == 0
    assert "there is nothing to look in" in figures_of(Path("out"))["settings"]["degraded"]
    rows[2]["search_results"] = [{"page_name": "Zork", "page_snippet": "two moons"}]
    write_rows(DATASET, rows)
    assert world.run("--dataset", str(DATASET), "--out", "out2") == 0
    assert figures_of(Path("out2"))["settings"]["degraded"] == "no"


def test_a_sample_of_more_than_there_are_says_so(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    assert world.run("--sample", "5000") == 0
    assert "--sample 5000: there are 5 questions" in caplog.text


@pytest.mark.parametrize(("least", "status"), [("59.9", 0), ("60", 0), ("60.1", 1)])
def test_a_score_under_the_least_one_has_a_status(world: World, least: str, status: int) -> None:
    assert world.run("--fail-under", least) == status
    said = "the score, 60.0%, is under --fail-under 60.1" in world.capsys.readouterr().err
    assert said == (status == 1)
