"""Commands that make pairs, from their arguments to their files."""

import re
from pathlib import Path

import pytest

from tests.training.commands.scripted_server import Engines
from tests.training.commands.tower import NUMBERS, PROGRAM, has_height, ids_in, pair, run
from training.records import Pair, read_rows, write_rows


def test_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("queries", "--out", tmp_path, "--pairs", 20, "--held-out", 5)
    for split, count in (("train", 20), ("held_out", 5)):
        assert len(list(read_rows(tmp_path / f"{split}.jsonl", Pair))) == count
    assert "20 pairs" in capsys.readouterr().out


def test_a_paraphrase_must_lead_back(
    tmp_path: Path, engines: Engines, capsys: pytest.CaptureFixture[str]
) -> None:
    program_by_question = {
        "whose film is inception?": PROGRAM,
        "who made inception?": 'get_movie("inception")["budget"]',
        "who was behind inception?": "no program",
        "do you know who directed the film inception?": PROGRAM,  # a held-out wording
        pair(5).question: PROGRAM,  # one that is there already
    }
    numbered = "\n".join(f"{n}. {question}" for n, question in enumerate(program_by_question, 1))

    def program(text: str) -> str:
        *_, question = re.findall("Question: (.*)", text)
        return program_by_question[question]

    engines.models.replies |= {"paraphrase": lambda _: numbered, "write_query": program}
    data = tmp_path / "pairs.jsonl"
    out = tmp_path / "other.jsonl"
    write_rows(data, [pair(4), pair(5)])  # both are offered the same questions
    asking = ("--settings", engines.settings)
    run("paraphrase", "--data", data, "--out", out, "--count", 5, *asking)
    assert "1 of 3 wordings kept" in capsys.readouterr().out
    (new_pair,) = read_rows(out, Pair)
    assert (new_pair.question, new_pair.program) == ("whose film is inception?", PROGRAM)
    assert (new_pair.source, new_pair.intent) == ("paraphrase", "4")
    # the writer sees the paraphrase, never the question that it came from
    assert not any(pair(4).question in text for text in engines.models.asked("write_query"))


@pytest.mark.parametrize("part", ["train", "held_out"])
def test_real_finds_programs_in_its_part_only(
    part: str, tmp_path: Path, data: Path, engines: Engines
) -> None:
    out = tmp_path / "out.jsonl"
    run("real", "--data", data, "--out", out, "--part", part, "--settings", engines.settings)
    ids = {pair.id for pair in read_rows(out, Pair)}
    assert ids == {id for id in ids_in(part) if not has_height(int(id))}


def test_pairs_that_can_be_copied_have_the_words_of_their_questions(
    tmp_path: Path, data: Path, engines: Engines
) -> None:
    out = tmp_path / "copied.jsonl"
    asking = ("--settings", engines.settings)
    run("real", "--copied", "--data", data, "--out", out, "--part", "all", *asking)
    pairs = list(read_rows(out, Pair))
    assert pairs
    assert all('"inception"' in each.program.lower() for each in pairs)


def test_the_folds_of_questions_are_disjoint_and_complete(tmp_path: Path, data: Path) -> None:
    ids: list[str] = []
    for number in range(3):
        out = tmp_path / f"{number}.txt"
        run("fold", "--data", data, "--fold", f"{number}/3", "--out", out)
        ids += out.read_text().split()
    assert sorted(ids, key=int) == [str(number) for number in NUMBERS]
