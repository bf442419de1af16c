"""The command line from arguments to report, over stand-ins for the parts it is handed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import local_evaluation
from evaluation.cli import Parts, main
from models.records import Task
from models.settings import Settings
from utils.errors import SettingsError

NOW = datetime(2024, 3, 10, 23, 19, 21)


class FakeModel:
    def __init__(self, size: int, interrupt_at: int | None) -> None:
        self._size = size
        self._interrupt_at = interrupt_at
        self._calls = 0

    def get_batch_size(self) -> int:
        return self._size

    def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]:
        self._calls += 1
        if self._calls == self._interrupt_at:
            raise KeyboardInterrupt
        return ["two" for _ in batch["query"]]


@dataclass
class World:
    """A project folder with its parts, and what was asked of them."""

    root: Path
    environment: Settings = field(default_factory=Settings)
    size: int = 2
    interrupt_at: int | None = None
    settings: Settings | None = None
    served: list[str] = field(default_factory=list)

    def parts(self) -> Parts:
        return Parts(
            self.root, self.make_model, self.serve, self.load_settings, lambda _: [], lambda: NOW
        )

    def load_settings(
        self, *, system: str | None, llm: str | None, task: int | None, api_url: str | None
    ) -> Settings:
        base = self.environment
        return replace(
            base,
            system=system or base.system,
            task=Task(task) if task else base.task,
            api_url=api_url or base.api_url,
        )

    def make_model(self, settings: Settings) -> FakeModel:
        if settings.system == "absent":
            raise SettingsError("no system is\ncalled 'absent'")
        self.settings = settings
        return FakeModel(self.size, self.interrupt_at)

    @contextmanager
    def serve(self, folder: Path) -> Iterator[str]:
        self.served.append(f"start {folder.name}")
        try:
            yield "http://127.0.0.1:4711"
        finally:
            self.served.append("stop")

    def run(self, *argv: str | Path) -> int:
        return main([str(part) for part in argv], self.parts())


@pytest.fixture
def world(tmp_path: Path) -> World:
    data = tmp_path / "example_data"
    (data / "kg").mkdir(parents=True)
    rows = [
        {"interaction_id": f"q{n}", "query": "how many moons?", "answer": "two" if n < 4 else "six"}
        for n in range(5)
    ]
    (data / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return World(tmp_path)


def dataset(world: World) -> Path:
    return world.root / "example_data" / "questions.jsonl"


def results(folder: Path) -> dict[str, Any]:
    content = json.loads((folder / "results.json").read_text())
    assert isinstance(content, dict)
    return content


DEFAULT_RUN = Path("runs") / "20240310-231921-offline"


def test_with_no_arguments_the_example_runs_with_its_kg(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert world.run() == 0
    folder = world.root / DEFAULT_RUN
    figures = results(folder)
    assert (figures["total"], figures["correct"], figures["wrong"]) == (5, 4, 1)
    assert figures["score"] == pytest.approx(0.6)
    assert len((folder / "predictions.jsonl").read_text().splitlines()) == 5
    assert world.served == ["start kg", "stop"]
    assert world.settings is not None
    assert world.settings.api_url == "http://127.0.0.1:4711"
    assert figures["settings"]["judge"] == "rules"
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1] == str(folder / "report.html")
    assert "5/5, score +60.0%" in shown.err


def test_two_runs_in_one_second_keep_both(world: World) -> None:
    assert world.run() == 0
    assert world.run() == 0
    names = sorted(entry.name for entry in (world.root / "runs").iterdir())
    assert names == [DEFAULT_RUN.name, DEFAULT_RUN.name + "-2"]


def test_arguments_reach_their_parts(world: World) -> None:
    kg = world.root / "my_kg"
    kg.mkdir()
    out = world.root / "out"
    status = world.run(
        *("--dataset", dataset(world), "--task", "3", "--system", "db3", "--mock-api", kg),
        *("--judge", "openai:http://h#m", "--limit", "3", "--batch-size", "1", "--out", out),
    )
    assert status == 0
    assert results(out)["total"] == 3
    assert world.served == ["start my_kg", "stop"]
    assert world.settings is not None
    assert (world.settings.system, world.settings.task) == ("db3", Task.END_TO_END)
    assert results(out)["settings"]["judge"] == "openai:http://h#m"
    assert results(out)["settings"]["batch size"] == "1"


def test_a_dataset_alone_has_no_kg_and_is_task_1(world: World) -> None:
    assert world.run("--dataset", dataset(world)) == 0
    assert world.served == []
    assert world.settings is not None
    assert (world.settings.api_url, world.settings.task) == (None, Task.WEB)


def test_an_address_in_the_environment_counts(world: World) -> None:
    world.environment = Settings(api_url="http://env:1")
    assert world.run("--dataset", dataset(world), "--task", "2") == 0
    assert world.settings is not None
    assert (world.settings.api_url, world.settings.task) == ("http://env:1", Task.KG_WEB)
    assert world.served == []


def test_a_running_api_is_used_as_given(world: World) -> None:
    assert world.run("--api-url", "http://given:1") == 0
    assert world.served == []
    assert world.settings is not None
    assert world.settings.api_url == "http://given:1"


def failing(world: World, capsys: pytest.CaptureFixture[str], *argv: str | Path) -> str:
    """The one line on stderr with which a run ends that cannot be made."""
    capsys.readouterr()
    assert world.run(*argv) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    (line,) = shown.err.splitlines()
    assert line.startswith("error: ")
    return line


def test_errors_are_one_line_and_leave_no_folder(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--dataset", dataset(world))
    assert "task 2 needs the KG API" in failing(world, capsys, *given, "--task", "2")
    assert "task 3 needs the KG API" in failing(world, capsys, *given, "--task", "3")
    assert "no system is called 'absent'" in failing(world, capsys, "--system", "absent")
    assert "no such dataset" in failing(world, capsys, "--dataset", world.root / "no.jsonl")
    assert "there is no" in failing(world, capsys, "--mock-api", world.root / "absent")
    assert "--resume needs --out" in failing(world, capsys, "--resume")
    runs = world.root / "runs"
    assert not runs.exists() or not any(runs.iterdir())
    assert world.served == ["start kg", "stop"]  # for the absent system: started, and stopped


def test_a_bad_batch_size_of_the_model_is_refused(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.size = 17
    assert "batch size must be 1-16, is 17" in failing(world, capsys)


def test_a_bad_row_ends_the_run_with_file_and_line(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    file = world.root / "bad.jsonl"
    file.write_text("[]\n")
    line = failing(world, capsys, "--dataset", file)
    assert "bad.jsonl, line 1: not a JSON object" in line


@pytest.mark.parametrize(
    "argv",
    [
        ["--task", "4"],
        ["--limit", "0"],
        ["--batch-size", "17"],
        ["--mock-api", "a", "--api-url", "b"],
        ["--data", "x"],
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    world: World, argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert world.run(*argv) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_an_interruption_says_how_to_go_on_and_that_works(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.interrupt_at = 2
    assert world.run("--limit", "4") == 130
    folder = world.root / DEFAULT_RUN
    said = capsys.readouterr().err
    assert f"python local_evaluation.py --limit 4 --out {folder} --resume" in said
    assert world.served == ["start kg", "stop"]
    assert len((folder / "predictions.jsonl").read_text().splitlines()) == 2

    world.interrupt_at = None
    assert "holds a run already" in failing(world, capsys, "--out", folder)
    assert "system was 'offline' and is 'db3'" in failing(
        world, capsys, "--out", folder, "--resume", "--system", "db3"
    )
    assert len((folder / "predictions.jsonl").read_text().splitlines()) == 2
    assert world.run("--limit", "4", "--out", folder, "--resume") == 0
    assert results(folder)["total"] == 4
    assert results(folder)["settings"]["taken over from an interrupted run"] == "2"


def test_the_command_that_resumes_shows_no_secret(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.interrupt_at = 2
    assert world.run("--judge", "openai:http://me:hush-hush@h/v1#m") == 130
    said = capsys.readouterr().err
    assert "http://…@h/v1#m" in said and "hush-hush" not in said


@pytest.mark.parametrize("name", ["../../evil", "/evil", "a/../../../evil", "\x00", "x" * 5000])
def test_no_id_of_a_question_names_a_file(world: World, name: str) -> None:
    row = {"interaction_id": name, "query": "how many moons?", "answer": "two"}
    dataset(world).write_text(json.dumps(row) + "\n")
    before = {*world.root.rglob("*")}
    out = world.root / "a" / "run"
    assert world.run("--out", out) == 0
    made = {*world.root.rglob("*")} - before - {out.parent, out}
    assert made and {path.parent for path in made} == {out}
    assert not [path for path in made if "evil" in path.name]


def test_help_reads_well(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert world.run("--help") == 0
    text = capsys.readouterr().out
    for option in ("--dataset FILE", "--judge SPEC", "--where SLICE=GROUP", "--ray ADDRESS"):
        assert option in text
    assert text.index("Options:") < text.index("Examples:")


def test_the_real_parts_fit_together(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CRAG_MOCK_API_URL", raising=False)
    out = world.root / "out"
    argv = ["--dataset", str(dataset(world)), "--out", str(out), "--system", "offline"]
    argv += ["--set", "batch_size=3", "--set", "web.preset=default"]
    assert main(argv, local_evaluation.PARTS) == 0
    figures = results(out)
    assert figures["settings"]["batch size"] == "3"
    assert figures["total"] == 5
    assert figures["failures"] == []


def test_a_smaller_limit_than_what_is_done_is_refused(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(world.root / "mine")
    asked = ["--dataset", dataset(world), "--out", out]
    assert world.run(*asked) == 0
    assert world.run(*asked, "--resume", "--limit", "1") == 2
    assert "answers already" in capsys.readouterr().err


def test_bad_rows_end_a_run_unless_they_are_to_be_skipped(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path(dataset(world))
    file.write_text(file.read_text() + "not json\n")
    assert world.run("--dataset", str(file), "--out", str(world.root / "a")) == 2
    assert "not JSON" in capsys.readouterr().err
    assert world.run("--dataset", str(file), "--out", str(world.root / "b"), "--skip-bad") == 0
    assert json.loads((world.root / "b" / "results.json").read_text())["notes"]["rows skipped"] == 1
