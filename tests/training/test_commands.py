"""Each command from its arguments to its files, on engines that a test speaks for."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.llm.config import LLMSettings
from models.settings import Settings
from tests.models.systems.scripted import ScriptedLLMs
from training.__main__ import main
from training.kg import EXAMPLE_KG
from training.records import Pair, Sample, part_of, read_rows, write_rows
from utils.errors import InputError

TIME = "03/13/2024, 09:19:21 PT"
PROGRAM = 'ALL get_movie_person_crew("inception", None, eq(job, "Director"))["name"]'
REASONS = "First, it is a film. Second, films are directed. The answer is Christopher Nolan."
PAIR = Pair(
    "p", "movie", "who directed inception?", TIME, PROGRAM, "template", "i", "w", "held_out"
)
IDS = [str(n) for n in range(20)]
HELD_OUT = {id for id in IDS if part_of(id) == "held_out"}


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedLLMs:
    """What the settings' engines say; pages are ranked by words alone."""
    llms = ScriptedLLMs(
        {
            "paraphrase": lambda prompt: "whose film is inception?",
            "write_query": lambda prompt: PROGRAM,
            "write_rationale": lambda prompt: REASONS,
            **dict.fromkeys(
                ("route", "answer_web", "answer_kg", "find_entities"),
                lambda prompt: "Christopher Nolan",
            ),
            "check_answer": lambda prompt: '{"Accuracy": "True"}',
            "check_context": lambda prompt: "yes",
        }
    )
    plain = {"preset": "db3", "embedder": None, "reranker": None}
    settings = Settings(llms={"default": LLMSettings("hf:none")}, web=plain)
    monkeypatch.setattr("training.__main__.load_settings", lambda: settings)
    monkeypatch.setattr("training.engines.LLMs", lambda *args, **named: llms)
    made: Any = llms.of("write_query")[0]
    monkeypatch.setattr("training.__main__.make_llm", lambda settings: made)
    return llms


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = (
        {"interaction_id": id, "query": "who directed inception?", "query_time": TIME,
         "answer": "Christopher Nolan", "domain": "movie",
         "search_results": [{"page_result": "<p>Inception is a film by Christopher Nolan.</p>"}]}
        for id in IDS
    )  # fmt: skip
    file = tmp_path / "crag.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--out", str(tmp_path), "--pairs", "20", "--held-out", "5"]
    assert main(["queries", *asked]) == 0
    for split, count in (("train", 20), ("held_out", 5)):
        assert len(list(read_rows(tmp_path / f"{split}.jsonl", Pair))) == count
    assert "20 pairs" in capsys.readouterr().out


def test_paraphrase(tmp_path: Path, engines: ScriptedLLMs) -> None:
    write_rows(tmp_path / "pairs.jsonl", [PAIR])
    out = tmp_path / "other.jsonl"
    assert main(["paraphrase", "--data", str(tmp_path / "pairs.jsonl"), "--out", str(out)]) == 0
    assert [pair.question for pair in read_rows(out, Pair)] == ["whose film is inception?"]


def test_real_and_rationales_keep_to_their_part(
    tmp_path: Path, data: Path, engines: ScriptedLLMs
) -> None:
    for command, kind in (("real", Pair), ("rationales", Sample)):
        made: dict[str, set[str]] = {}
        for part in ("train", "held_out"):
            out = tmp_path / f"{command}-{part}.jsonl"
            assert main([command, "--data", str(data), "--out", str(out), "--part", part]) == 0
            made[part] = {one.id for one in read_rows(out, kind)}
        assert made == {"train": set(IDS) - HELD_OUT, "held_out": HELD_OUT}


def test_labels(
    tmp_path: Path, data: Path, engines: ScriptedLLMs, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["labels", "--data", str(data), "--out", str(tmp_path / "out"), "--part", "held_out"]
    assert main([*asked, "--limit", "20"]) == 0
    assert "no labels of answer_kg" in capsys.readouterr().out
    assert not (tmp_path / "out" / "answer_kg.jsonl").exists()
    rounds = len(engines.rounds)
    assert main(asked) == 0
    made = list(read_rows(tmp_path / "out" / "answer_web.jsonl", Sample))
    assert {one.id for one in made} == HELD_OUT
    assert {one.answer for one in made} == {"Christopher Nolan"}
    # every prompt is the same, and asked before
    assert len(engines.rounds) == rounds


def test_evaluate_takes_held_out_pairs_alone(
    tmp_path: Path, engines: ScriptedLLMs, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "data.jsonl"
    to_train_on = Pair(*("t", *[""] * 7))
    write_rows(file, [PAIR, to_train_on])
    asked = ["evaluate", "write_query", "--llm", "hf:none", "--data", str(file)]
    assert main(asked) == 0
    assert "100.0%" in capsys.readouterr().out
    write_rows(file, [to_train_on])
    assert main(asked) == 2
    assert "no pair of the split held_out" in capsys.readouterr().err


def test_evaluate_judges_answers(
    tmp_path: Path, data: Path, engines: ScriptedLLMs, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    made: Any = engines.of("write_rationale")[0]
    monkeypatch.setattr("training.__main__.make_llm", lambda settings: made)
    file = tmp_path / "data.jsonl"
    main(["rationales", "--data", str(data), "--out", str(file), "--limit", "1"])
    assert main(["evaluate", "answer_alone", "--llm", "hf:none", "--data", str(file)]) == 0
    assert "100.0%" in capsys.readouterr().out


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
    assert main(["open-keys", "--kg", str(EXAMPLE_KG), "--keep", "2", "--out", str(out)]) == 0
    head, _, keys = out.read_text().partition("[keys]\n")
    assert head == "# head\n" and "old" not in keys
    assert all(len(line.split('"')[1].split()) <= 2 for line in keys.splitlines())
