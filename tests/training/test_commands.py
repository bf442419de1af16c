"""Each command from its arguments to its files, with scripted engines; on Ray, the same files."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
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
from models.settings import Settings
from models.systems.dragonrangers.system import DragonrangersOptions
from tests.models.llm.test_cache import HELLO
from tests.models.systems.scripted import SOON, ScriptedLLM, ScriptedLLMs
from training.__main__ import main
from training.kg import EXAMPLE_KG
from training.records import Pair, Sample, part_of, read_rows, write_rows
from utils.errors import InputError

TIME = "03/13/2024, 09:19:21 PT"
PROGRAM = 'ALL get_movie_person_crew("inception", None, eq(job, "Director"))["name"]'
REASONS = "First, towers have 88 m at most. Second, it was measured. The answer is {}."
NUMBERS = range(20)
MAKERS = {
    "labels": "training.labels.make_labeller",
    "rationales": "training.__main__.make_rationales",
    "real": "training.__main__.make_real_pairs",
    "paraphrase": "training.__main__.make_paraphraser",
}


def height(prompt: Prompt) -> str:
    """What a prompt says of the tower that it asks about."""
    (number,) = re.findall(r"tower (\d+)", prompt.messages[-1].text)[-1:]
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
    plain = {"preset": "db3", "embedder": None, "reranker": None}
    own = {name: LLMSettings(f"hf:{name}") for name in llms.replies}
    subtasks = {name: SubtaskSettings(name) for name in llms.replies}
    settings = Settings(llms=own, subtasks=subtasks, web=plain)
    monkeypatch.setattr("training.__main__.load_settings", lambda: settings)
    monkeypatch.setattr("models.llm.factory.make_llm", lambda llm, **_: llms.of(llm.place)[0])
    return llms


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Questions; a third of their answers is the film's director, the others a tower's height."""
    rows = (
        {"interaction_id": str(n), "query": f"who directed inception, as told on tower {n}?",
         "query_time": TIME, "answer": f"{n} m" if n % 3 else "Christopher Nolan",
         "domain": "movie",
         "search_results": [{"page_result": f"<p>The tower {n} is {n} m tall.</p>"}]}
        for n in NUMBERS
    )  # fmt: skip
    file = tmp_path / "crag.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def run(*arguments: object) -> None:
    assert main([str(argument) for argument in arguments]) == 0


def pair(number: int) -> Pair:
    asked = f"who made inception, as told on tower {number}?"
    return Pair(str(number), "movie", asked, TIME, PROGRAM, "template", "i", "w", "held_out")


def test_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("queries", "--out", tmp_path, "--pairs", 20, "--held-out", 5)
    for split, count in (("train", 20), ("held_out", 5)):
        assert len(list(read_rows(tmp_path / f"{split}.jsonl", Pair))) == count
    assert "20 pairs" in capsys.readouterr().out


def test_a_paraphrase_must_lead_back(
    tmp_path: Path, engines: ScriptedLLMs, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = tmp_path / "pairs.jsonl", tmp_path / "other.jsonl"
    programs = {
        "whose film is inception?": PROGRAM,
        "who made inception?": 'get_movie("inception")["budget"]',
        "who was behind inception?": "no program",
        "do you know who directed the film inception?": PROGRAM,  # a held-out wording
        pair(5).question: PROGRAM,  # one that is there already
    }
    numbered = "\n".join(f"{n}. {question}" for n, question in enumerate(programs, 1))

    def program(prompt: Prompt) -> str:
        return programs[re.findall("Question: (.*)", prompt.messages[-1].text)[-1]]

    engines.of("paraphrase")[0].reply = lambda _: numbered
    engines.of("write_query")[0].reply = program
    write_rows(data, [pair(4), pair(5)])  # both are offered the same questions
    run("paraphrase", "--data", data, "--out", out, "--count", 5)
    assert "1 of 3 wordings kept" in capsys.readouterr().out
    (kept,) = read_rows(out, Pair)
    assert (kept.question, kept.program) == ("whose film is inception?", PROGRAM)
    assert (kept.source, kept.intent) == ("paraphrase", "4")
    # the writer sees the paraphrase, never the question that it came from
    assert not any(pair(4).question in text for text in engines.asked("write_query"))


@pytest.mark.parametrize(
    ("command", "kind", "kept"), [("real", Pair, True), ("rationales", Sample, False)]
)
@pytest.mark.parametrize("part", ["train", "held_out"])
def test_real_and_rationales_keep_to_their_part(
    command: str, kind: type, kept: bool, part: str, tmp_path: Path, data: Path,
    engines: ScriptedLLMs,
) -> None:  # fmt: skip
    out = tmp_path / "out.jsonl"
    run(command, "--data", data, "--out", out, "--part", part)
    chosen = {str(n) for n in NUMBERS if (n % 3 == 0) is kept and part_of(str(n)) == part}
    assert {one.id for one in read_rows(out, kind)} == chosen


def test_labels(
    tmp_path: Path, data: Path, engines: ScriptedLLMs, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["labels", "--data", data, "--out", tmp_path / "out", "--part", "held_out"]
    run(*asked, "--limit", 20)
    assert "no labels of answer_kg" in capsys.readouterr().out
    assert not (tmp_path / "out" / "answer_kg.jsonl").exists()
    rounds = len(engines.rounds)
    run(*asked)
    chosen = {str(n) for n in NUMBERS if part_of(str(n)) == "held_out"}
    assert {one.id for one in read_rows(tmp_path / "out" / "answer_web.jsonl", Sample)} == chosen
    assert len(engines.rounds) == rounds, "a prompt was asked twice"


def test_evaluate_measures_held_out_pairs_and_answers(
    tmp_path: Path, engines: ScriptedLLMs, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    file = tmp_path / "data.jsonl"
    made: list[LLMSettings] = []

    def evaluate(recipe: str, subtask: str, rows: Sequence[Pair | Sample], *more: str) -> int:
        llm, _ = engines.of(subtask)
        monkeypatch.setattr("training.__main__.make_llm", lambda one: made.append(one) or llm)
        write_rows(file, rows)
        return main(["evaluate", recipe, "--llm", "hf:none", "--data", str(file), *more])

    to_train_on = Pair(*("t", *[""] * 7))
    assert evaluate("write_query", "write_query", [pair(1), to_train_on]) == 0
    assert "100.0%" in capsys.readouterr().out
    assert evaluate("write_query", "write_query", [to_train_on]) == 2
    assert "no pair of the split held_out" in capsys.readouterr().err
    asked = "how high is tower 7?"
    answer = Sample("7", (("user", asked),), "", "", asked, ("7 m",))
    assert evaluate("answer_alone", "write_rationale", [answer]) == 0
    assert "100.0%" in capsys.readouterr().out
    (_, (path,)) = engines.rounds[-1]
    assert path.max_tokens == DragonrangersOptions().path_tokens

    folders = [tmp_path / "other" / ".." / "v1.5", tmp_path / "other" / "v1.5"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 8}')
        (folder / "adapter_model.safetensors").touch()
    paths = [str(folder) for folder in folders]
    chosen = ["--adapter", paths[0], "--adapter", paths[1]]
    assert evaluate("write_query", "write_query", [pair(1)], *chosen) == 0
    assert list(made[-1].adapters.values()) == paths
    assert not any("." in name for name in made[-1].adapters), "torch refuses such a module"
    told = json.loads((folders[0] / "evaluation.json").read_text())
    assert list(told["figures"]) == ["base", *paths]


def test_rows_are_read_as_written_and_a_bad_line_is_named(tmp_path: Path) -> None:
    """Web text has line separators that are no ends of JSON lines."""
    file = tmp_path / "rows.jsonl"
    sample = Sample("s", (("user", "a\u2028b\x85c"),), "x")
    write_rows(file, [sample, sample])
    assert list(read_rows(file, Sample)) == [sample] * 2
    with file.open("a") as lines:
        lines.write('{"id": "t"}\n')
    with pytest.raises(InputError, match="line 3: not a sample: turns: Field required"):
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


def make_scripted(make: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """What `make` makes, with scripted engines, on any worker."""
    models.llm.factory.make_llm = lambda llm, **_: scripted().of(llm.place)[0]
    return make(*given, **options)


@pytest.mark.engine
@pytest.mark.parametrize("command", MAKERS)
def test_a_command_writes_on_ray_what_it_writes_in_one_process(
    command: str, address: str, tmp_path: Path, data: Path, engines: ScriptedLLMs,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """And the replies of its workers are kept where the command runs."""
    module, _, name = MAKERS[command].rpartition(".")
    make = getattr(import_module(module), name)
    monkeypatch.setattr(MAKERS[command], partial(make_scripted, make))
    monkeypatch.setattr("training.__main__.BATCH", 1)
    limit = ["--part", "all", "--limit", "9"]
    if command == "paraphrase":
        write_rows(data, map(pair, range(9)))
        limit = []

    def written(name: str, *more: object) -> dict[str, str]:
        """The texts of the files that the command writes."""
        out = tmp_path / name / "out.jsonl"
        run(command, "--data", data, "--out", out, *limit, *more)
        files = [out] if out.is_file() else sorted(out.glob("*.json*"))
        made = {file.name: file.read_text() for file in files}
        assert made and all(made.values())
        return made

    alone = written("alone")
    assert written("ray", "--ray", address) == alone
    capsys.readouterr()
    assert written("ray", "--ray", address, "--workers", 1) == alone
    said = capsys.readouterr().err
    assert "prompts remembered" in said and "asked" not in said


def test_a_reply_of_thoughts_alone_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm = ScriptedLLM("any", lambda _: replies.pop(0), [])
    replies = ["<think>hm</think>", "fine", "never asked for"]
    monkeypatch.setattr("models.llm.factory.make_llm", lambda *_, **__: llm)
    settings = Settings(llms={"default": LLMSettings("hf:a")})
    engine, _ = training.engines.remembering(settings, Calls(tmp_path / "calls")).of("any")
    said = [engine.generate([HELLO], deadline=SOON)[0].text for _ in range(3)]
    assert said == ["", "fine", "fine"]
