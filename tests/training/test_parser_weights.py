"""`crag training parser`: the same weights each time, of questions about the example KG."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.judge.protocol import Verdict
from models.ranking.log_linear import choose, read_model
from models.records import INVALID
from training.__main__ import main
from training.fitting.threshold import Bound, best_threshold
from training.kg import EXAMPLE_KG
from training.parser_weights import (
    KgQuestion,
    Source,
    WrongBounds,
    fit_parser,
    gather,
    read_questions,
    score_parser,
    without_guesses,
)
from training.records import KG_QUESTIONS, read_rows
from training.weak_supervision import (
    RankedQuestion,
    answer_group,
    answer_shares,
    cross_validate,
    fit,
)
from utils.errors import SettingsError

MISSING = Verdict.MISSING
CASES = Path(__file__).parents[1] / "models" / "kg" / "parsing"


def ranked_question(number: int, *, right: str = "a") -> RankedQuestion:
    """A question whose candidate with the feature "good" is right."""
    candidates = (("a", {"bias": 1.0, "good": 1.0}), ("b", {"bias": 1.0, "left": 2.0}))
    verdicts = tuple(Verdict.CORRECT if text == right else Verdict.WRONG for text, _ in candidates)
    return RankedQuestion(str(number), str(number), "movie", True, candidates, verdicts)


def test_it_learns_which_candidate_is_right() -> None:
    """Candidates that are ruled out are negatives."""
    odd = {"bias": 1.0, "odd": 1.0}
    questions = [replace(ranked_question(number), ruled_out=(odd,)) for number in range(40)]
    model = fit(questions)
    assert model.ranker["good"] > 0 >= model.ranker["left"] and model.ranker["odd"] < 0
    outcomes = cross_validate(questions)
    assert answer_shares(outcomes, 0.0).right == 1.0
    choice = choose(questions[0].candidates, model)
    assert choice is not None and choice.answer == "a" and choice.probability > 0.5


def test_the_threshold_keeps_to_its_bound() -> None:
    questions = [ranked_question(n, right="a" if n % 4 else "b") for n in range(40)]
    outcomes = cross_validate(questions)
    group = answer_group(outcomes)
    threshold = best_threshold([group], [Bound(group, 0.05)])
    assert answer_shares(outcomes, threshold).wrong <= 0.05


def test_it_writes_the_same_bytes_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for line in (CASES / "movie.jsonl").read_text(encoding="utf-8").splitlines()[:24]:
        case = json.loads(line)
        row = {
            "query": case["question"],
            "domain": "movie",
            "query_time": "02/28/2024, 08:25:51 PT",
            "answer": case["answer"] or "i don't know",
            "answerable": case["answer"] is not None,
        }
        rows.append(row)
    data = tmp_path / "questions.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        arguments = ["--data", str(data), "--kg", str(EXAMPLE_KG), "--out", str(file)]
        assert main(["parser", *arguments, "--workers", "1", "--folds", "2"]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    text = files[0].read_text(encoding="utf-8")
    assert (
        json.loads(text)["card"]["questions"]["invented"] == len(rows)
        and read_model(files[0]).ranker
    )
    assert not any(row["query"] in text for row in rows)
    assert "mean probability" in capsys.readouterr().out


def write(file: Path, rows: list[dict[str, object]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def asked(id: str, query: str, answer: str, **more: object) -> dict[str, object]:
    when = "02/28/2024, 08:25:51 PT"
    return {"interaction_id": id, "query": query, "answer": answer, "query_time": when, **more}


def test_the_first_file_with_a_question_says_where_it_comes_from(tmp_path: Path) -> None:
    real = write(tmp_path / "real.jsonl", [asked("a", "who directed dunkirk?", "Nolan")])
    more = write(
        tmp_path / "more.jsonl",
        [asked("a", "who directed dunkirk?", "Nolan"), asked("b", "who directed cats?", "Hooper")],
    )
    files = {Source.UNANSWERED: [more], Source.REAL: [real]}
    questions = read_questions(files, None, EXAMPLE_KG)
    assert [(each.row.interaction_id, each.source) for each in questions] == [
        ("a", Source.REAL),
        ("b", Source.UNANSWERED),
    ]


def test_without_a_result_of_its_program_a_right_answer_is_a_guess(tmp_path: Path) -> None:
    """The KG has Dunkirk, but lacks "Dunkirk Harbour"; a false premise needs no facts."""
    query = "was dunkirk released in 2017?"
    rows = [asked("has", query, "yes"), asked("lacks", query, "yes")]
    programs = [
        {"interaction_id": "has", "program": 'get_movie("dunkirk")["release_date"]'},
        {"interaction_id": "lacks", "program": 'get_movie("dunkirk harbour")["release_date"]'},
    ]
    questions = read_questions(
        {Source.REAL: [write(tmp_path / "q.jsonl", rows)]},
        write(tmp_path / "p.jsonl", programs),
        EXAMPLE_KG,
    )
    assert [each.has_evidence for each in questions] == [True, False]
    (has, lacks) = gather(questions, EXAMPLE_KG, 1)
    assert Verdict.CORRECT in has.verdicts and Verdict.CORRECT not in lacks.verdicts
    assert has.candidates == lacks.candidates
    kept = without_guesses(["yes", INVALID, None], [Verdict.CORRECT, Verdict.CORRECT, MISSING])
    assert list(kept) == [Verdict.WRONG, Verdict.CORRECT, MISSING]


def test_real_questions_alone_are_measured(tmp_path: Path) -> None:
    real = [replace(ranked_question(number), source=Source.REAL) for number in range(20)]
    invented = [
        replace(ranked_question(100 + number), source=Source.INVENTED) for number in range(20)
    ]
    out = tmp_path / "weights.json"
    questions = [*invented, *real]
    outcomes = fit_parser(questions, [], out, 2, WrongBounds(0.1, 0.1))
    assert [outcome.question.id for outcome in outcomes.measured] == [each.id for each in real]
    card = json.loads(out.read_text(encoding="utf-8"))["card"]
    assert card["questions"] == {"real": 20, "unanswered": 0, "invented": 20}
    assert card["out_of_fold"]["answerable"]["right"] == 1.0
    assert len(card["out_of_fold"]["reliability"]) == 10
    scored = score_parser(questions, read_model(out))
    assert len(scored.measured) == 20 and scored.threshold == outcomes.threshold


def test_our_own_questions_can_be_read() -> None:
    questions = list(read_rows(KG_QUESTIONS, KgQuestion))
    assert len(questions) == 8280
    assert sum(question.kg_has_answer for question in questions) == 46 * 150
    assert all(question.golds and question.query for question in questions)


def test_a_file_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SettingsError, match="no weights"):
        read_model(tmp_path / "x.json")
