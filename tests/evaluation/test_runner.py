"""A run from questions to predictions.jsonl: failures, interruptions, resuming, progress."""

import io
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from evaluation.dataset import SLICES, Example
from evaluation.finished_run import read_run
from evaluation.judge.protocol import Item, Judge, Judgement
from evaluation.judge.rules import RulesJudge
from evaluation.report import listed_runs
from evaluation.run_folder import (
    PREDICTIONS,
    RESULTS,
    STOPPED,
    TRACES,
    RunFolder,
    fresh_folder,
    named_folder,
)
from evaluation.runner import (
    WRONG_LENGTH,
    Answerer,
    Run,
    SetupFailed,
)
from evaluation.score import QuestionResult, measure
from evaluation.streams import ReadNotes
from models.records import IDK
from models.runtime.case import Failure
from models.runtime.trace import Step
from tests.evaluation.run_files import rows_of
from tests.faults.matrix import fault
from utils.errors import ApiRejected, ApiUnavailable, InputError, JudgeError
from utils.progress import Progress, line, shown_on

Spoil = Callable[[int, list[Any]], Any]


@dataclass
class EchoModel:
    """Answers with the query's last word, and gives up the pages of each question.

    `spoil` changes the answers, given the number of the batch.
    """

    spoil: Spoil = lambda _, answers: answers
    last_failures: Sequence[list[Failure]] = ()
    last_traces: Sequence[Sequence[Step]] = ()
    last_seconds: Sequence[float] = ()
    batches: list[dict[str, Any]] = field(default_factory=list)
    given_up: Counter[str] = field(default_factory=Counter)

    def get_batch_size(self) -> int:
        return 2

    def batch_generate_answer(self, batch: dict[str, Any]) -> Any:
        self.batches.append(batch)
        self.given_up["pages"] += len(batch["query"])
        return self.spoil(len(self.batches), [query.split()[-1] for query in batch["query"]])


def questions(number: int) -> list[Example]:
    """So many questions; `EchoModel` answers the even ones correctly."""
    examples = []
    for n in range(number):
        gold = f"1{n}" if n % 2 == 0 else "99"
        examples.append(Example(f"q{n}", f"say 1{n}", "", golds=(gold,), domain="d"))
    return examples


def go(
    folder: Path,
    examples: Iterable[Example],
    model: EchoModel | None = None,
    *,
    judge: Judge | None = None,
    cut: Callable[[str], str] = str,
    show: Callable[[Progress], None] = lambda _: None,
    **fields: Any,
) -> list[QuestionResult]:
    store = RunFolder(folder)
    done = store.start({"judge": "rules"})
    answerer = Answerer(model or EchoModel(), cut, count(0.0, 3.0).__next__)
    run = Run(partial(map, answerer), judge or RulesJudge(), store, batch_size=2, **fields)
    return run.go(examples, done, show)


def test_every_question_is_answered_judged_timed_and_written(tmp_path: Path) -> None:
    model = EchoModel()
    results = go(tmp_path, questions(3), model)
    assert [result.verdict for result in results] == ["correct", "wrong", "correct"]
    assert [result.seconds for result in results] == [1.5, 1.5, 3.0]  # the batch's 3 s, shared
    assert [len(batch["query"]) for batch in model.batches] == [2, 1]
    assert rows_of(tmp_path / PREDICTIONS)[1] == {
        "interaction_id": "q1",
        "query": "say 11",
        "prediction": "11",
        "verdict": "wrong",
        "seconds": 1.5,
        "answered_after": None,
        "failures": [],
        "usage": {},
        "reason": results[1].reason,
        "judge_failed": False,
        "rule": "number",
        "disputed": False,
        "by_model": False,
        "golds": ["99"],
        "slices": {"domain": "d"} | dict.fromkeys(SLICES[1:], "unknown"),
        "batch_failed": False,
    }


def test_a_model_that_tells_when_it_answered_is_timed_by_that(tmp_path: Path) -> None:
    results = go(tmp_path, questions(2), EchoModel(last_seconds=[0.5, 2.5]))
    assert [result.answered_after for result in results] == [0.5, 2.5]
    assert [result.seconds for result in results] == [1.5, 1.5]
    metrics = measure(results)
    assert metrics.timed_each
    assert (metrics.seconds_p50, metrics.seconds_max) == (1.5, 2.5)


@pytest.mark.parametrize(
    ("spoil", "failure"),
    [
        (lambda *_: 1 // 0, "ZeroDivisionError"),
        (lambda _, answers: answers[:-1], WRONG_LENGTH),
        (lambda _, answers: [7, *answers[1:]], WRONG_LENGTH),
        (lambda _, answers: answers[0], WRONG_LENGTH),
    ],
)
def test_a_batch_without_usable_answers_is_missing(
    tmp_path: Path, spoil: Spoil, failure: str
) -> None:
    def first_only(number: int, answers: list[Any]) -> Any:
        return spoil(number, answers) if number == 1 else answers

    results = go(tmp_path, questions(4), EchoModel(first_only))
    assert [result.prediction for result in results[:2]] == [IDK] * 2
    kinds = [[one["kind"] for one in result.failures] for result in results]
    assert kinds == [[failure], [failure], [], []]
    assert [result.verdict for result in results] == ["missing", "missing", "correct", "wrong"]


def test_the_models_own_failures_and_traces_are_written_by_question(tmp_path: Path) -> None:
    failures = [[], [Failure(ApiUnavailable("gone"), "ask")]]
    steps = [[Step("ask", llm="small", tokens=2)], []]
    model = EchoModel(last_failures=failures, last_traces=steps)
    first, second = go(tmp_path, questions(2), model, traced=True)
    assert read_run(tmp_path).traces == {"q0": steps[0], "q1": []}
    assert first.usage["ask"]["completion"] == 2
    assert second.usage == {}
    failure = {"kind": "ApiUnavailable", "step": "ask", "example": "gone", "of_setup": "yes"}
    assert first.failures == ()
    assert second.failures == (failure,)


@pytest.mark.parametrize(
    ("errors", "ends"),
    [
        ((ApiUnavailable("gone"), ApiUnavailable("gone")), True),
        ((ApiUnavailable("gone"), ApiRejected("no")), False),
        ((ApiRejected("no"), ApiRejected("no")), False),  # of these questions, not of the setup
    ],
)
def test_a_run_ends_if_the_setup_makes_its_whole_first_batch_fail(
    tmp_path: Path, errors: tuple[Exception, Exception], ends: bool
) -> None:
    model = EchoModel(lambda _, answers: [IDK, IDK], [[Failure(error)] for error in errors])
    if ends:
        with pytest.raises(SetupFailed, match="first 2 questions failed: ApiUn.*: gone"):
            go(tmp_path, questions(4), model)
        assert len(model.batches) == 1
        assert not (tmp_path / PREDICTIONS).read_bytes()
    else:
        assert len(go(tmp_path, questions(4), model)) == 4


@dataclass
class DyingModel(EchoModel):
    """Its server is gone in the batches `dead`; with `idk`, nothing else answers then."""

    dead: Sequence[int] = ()
    idk: bool = True

    def batch_generate_answer(self, batch: dict[str, Any]) -> Any:
        answers = super().batch_generate_answer(batch)
        dead = len(self.batches) in self.dead
        self.last_failures = [[Failure(ApiUnavailable("gone"), "ask")] if dead else []] * 2
        return [IDK] * len(answers) if dead and self.idk else answers


def test_a_run_ends_after_two_batches_in_a_row_without_the_setup(tmp_path: Path) -> None:
    model = DyingModel(dead=(2, 4, 5))
    with pytest.raises(SetupFailed, match="last 4 questions failed: ApiUnavailable: gone"):
        go(tmp_path, questions(12), model)
    assert len(model.batches) == 5
    ids = [row["interaction_id"] for row in rows_of(tmp_path / PREDICTIONS)]
    assert ids == [f"q{n}" for n in range(6)]  # the batch that was lost alone is among them
    assert [run.state for run in listed_runs(tmp_path.parent) if run.name == tmp_path.name] == [
        "stopped: each of the last 4 questions failed: ApiUnavailable: gone; "
        "2 questions lost: --resume asks again"
    ]
    resumed = EchoModel()
    results = go(tmp_path, questions(12), resumed)
    asked = [id for batch in resumed.batches for id in batch["interaction_id"]]
    assert asked == ["q2", "q3", *(f"q{n}" for n in range(6, 12))]
    assert not (tmp_path / STOPPED).exists()
    (tmp_path / "at once").mkdir()
    assert results == go(tmp_path / "at once", questions(12))
    rows = rows_of(tmp_path / PREDICTIONS)
    assert sorted(row["interaction_id"] for row in rows) == sorted(result.id for result in results)


def test_what_the_setup_failed_at_the_end_is_saved_and_asked_again(tmp_path: Path) -> None:
    results = go(tmp_path, questions(4), DyingModel(dead=(2,)))
    assert measure(results).lost == 2
    assert len(rows_of(tmp_path / PREDICTIONS)) == 4
    (tmp_path / RESULTS).write_text("{}")  # of the questions as they were
    assert measure(go(tmp_path, questions(4))).lost == 0
    assert not (tmp_path / RESULTS).exists()


def test_a_last_batch_that_another_part_answered_is_asked_again(tmp_path: Path) -> None:
    answers_all_the_same = DyingModel(dead=(2,), idk=False)
    results = go(tmp_path, questions(4), answers_all_the_same)
    assert all(result.prediction != IDK for result in results)
    assert measure(results).lost == 2
    resumed = EchoModel()
    go(tmp_path, questions(4), resumed)
    assert [batch["interaction_id"] for batch in resumed.batches] == [["q2", "q3"]]


def test_a_batch_that_another_part_answers_is_lost_all_the_same(tmp_path: Path) -> None:
    failures = [[Failure(ApiUnavailable("gone"), "ask")]] * 2
    with pytest.raises(SetupFailed, match="first 2 questions"):
        go(tmp_path, questions(4), EchoModel(last_failures=failures))


def down(_: Sequence[Item]) -> list[Judgement]:
    raise JudgeError("the endpoint is down")


@fault("judge", "raises")
@pytest.mark.parametrize(
    ("judge", "says"), [(down, "JudgeError"), (lambda _: [], "0 judgements for 2 items")]
)
def test_a_judge_that_fails_makes_nothing_wrong(tmp_path: Path, judge: Any, says: str) -> None:
    """The public evaluator counted its judge's failures as hallucination."""
    results = go(tmp_path, questions(2), judge=SimpleNamespace(name="broken", judge=judge))
    metrics = measure(results)
    assert metrics.unscored == 2
    assert metrics.judge_failures == 2
    assert metrics.wrong == 0
    assert results[0].prediction == "10"
    assert says in results[0].reason


def test_a_resumed_run_has_the_results_of_an_uninterrupted_one(tmp_path: Path) -> None:
    def interrupted(number: int, answers: list[str]) -> list[str]:
        if number == 2:
            raise KeyboardInterrupt
        return answers

    with pytest.raises(KeyboardInterrupt):
        go(tmp_path, questions(6), EchoModel(interrupted))
    assert len(rows_of(tmp_path / PREDICTIONS)) == 2  # each batch is written before the next
    model = EchoModel()
    counts = Counter[str]()
    sliced = [replace(one, more={"colour": "red"}) for one in questions(6)]
    results = go(tmp_path, sliced, model, counts=counts)
    assert [batch["interaction_id"] for batch in model.batches] == [["q2", "q3"], ["q4", "q5"]]
    ids = [row["interaction_id"] for row in rows_of(tmp_path / PREDICTIONS)]
    assert ids == [f"q{n}" for n in range(6)]
    assert counts == {"questions without pages, for lack of time": 6}
    assert {result.slices["colour"] for result in results} == {"red"}
    assert not (tmp_path / STOPPED).exists()
    (tmp_path / "at once").mkdir()
    assert results == go(tmp_path / "at once", sliced)
    assert [result.id for result in go(tmp_path, questions(2))] == ["q0", "q1"]


@fault("disk", "partial")
@pytest.mark.parametrize("keep", [1, 40, -1])
def test_a_torn_last_line_is_dropped_and_rewritten(tmp_path: Path, keep: int) -> None:
    go(tmp_path, questions(4), traced=True)
    for file in (tmp_path / PREDICTIONS, tmp_path / TRACES):
        lines = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(b"".join(lines[:3]) + lines[3][:keep])
    model = EchoModel()
    assert len(go(tmp_path, questions(4), model, traced=True)) == 4
    assert [batch["interaction_id"] for batch in model.batches] == [["q3"]]
    for file in (tmp_path / PREDICTIONS, tmp_path / TRACES):
        assert [row["interaction_id"] for row in rows_of(file)] == ["q0", "q1", "q2", "q3"]


@fault("disk", "garbage")
@pytest.mark.parametrize("line", ["{", "[]", '{"id": "q1", "steps": [{}]}', '{"id": "q1"}'])
@pytest.mark.parametrize("file", [PREDICTIONS, TRACES])
def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path, file: str, line: str) -> None:
    go(tmp_path, questions(3), traced=True)
    lines = (tmp_path / file).read_text().splitlines()
    (tmp_path / file).write_text("\n".join([lines[0], line, lines[2], ""]))
    with pytest.raises(InputError, match=rf"{file}, line 2: not what this version"):
        read_run(tmp_path)


def test_another_dataset_of_the_same_name_is_refused(tmp_path: Path) -> None:
    go(tmp_path, questions(1))
    other = [Example("q0", "say something else", "", golds=("10",))]
    with pytest.raises(InputError, match="question q0 is another one"):
        go(tmp_path, other)


def test_surrogates_and_separators_survive_the_file(tmp_path: Path) -> None:
    odd = "a\ud800\u2028\x85\rb\nc"
    (before,) = go(tmp_path, questions(1), cut=lambda _: odd)
    (after,) = go(tmp_path, questions(1))
    assert before == after
    assert after.prediction == odd  # an answer is cut, then judged
    assert after.verdict == "unscored"


@fault("clock", "duplicate")
def test_runs_within_a_second_never_share_a_folder(tmp_path: Path) -> None:
    """The public evaluator's log of one run overwrote that of another in the same second."""
    now = datetime(2024, 3, 10, 23, 19, 21)
    names = [fresh_folder(tmp_path / "runs", "off/line", now).name for _ in range(3)]
    first = "20240310-231921-off_line"
    assert names == [first, f"{first}-2", f"{first}-3"]
    assert sorted(folder.name for folder in (tmp_path / "runs").iterdir()) == names


@fault("disk", "raises")
def test_a_named_folder_is_used_only_if_nothing_in_it_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert named_folder(folder).is_dir()
    go(folder, questions(1))
    with pytest.raises(InputError, match="--resume.*--out"):
        named_folder(folder)
    assert named_folder(folder, resume=True) == folder
    for resume in (False, True):
        with pytest.raises(InputError, match="not a run"):
            named_folder(tmp_path, resume=resume)
    with pytest.raises(InputError, match="cannot be written"):
        named_folder(folder / "run.json" / "c")


def test_a_folder_has_one_run_at_a_time_and_is_removed_without_answers(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    RunFolder(folder).start({"judge": "misspelt"})
    run = RunFolder(named_folder(folder))
    assert run.start({"judge": "rules"}) == {}
    with pytest.raises(InputError, match="another run is writing there"):
        RunFolder(folder)
    run.discard_if_unused()
    assert not folder.exists()
    folder.mkdir()
    go(folder, questions(1))
    RunFolder(folder).discard_if_unused()
    assert len(rows_of(folder / PREDICTIONS)) == 1


def test_progress_has_the_score_so_far_and_the_expected_total(tmp_path: Path) -> None:
    updates: list[Progress] = []
    notes = ReadNotes(bytes_read=50, bytes_in_all=100)
    go(tmp_path, questions(5), show=updates.append, notes=notes, limit=7)
    totals = [(progress.done, progress.total) for progress in updates]
    assert list(dict.fromkeys(totals)) == [(0, 7), (2, 4), (4, 7), (5, 7), (5, 5)]
    scores = {progress.done: progress.says for progress in updates}
    assert scores == {
        0: "",
        2: "score so far +0.0%",
        4: "score so far +0.0%",
        5: "score so far +20.0%",
    }
    assert updates[-1].estimated is False
    assert all(progress.estimated for progress in updates[:-1])
    go(tmp_path, questions(7), show=updates.append)
    assert updates[-1] == Progress(7, "score so far +14.3%", resumed=5, total=7)


def test_a_known_number_of_questions_is_the_total_from_the_start(tmp_path: Path) -> None:
    updates: list[Progress] = []
    go(tmp_path, questions(5), show=updates.append, notes=ReadNotes(rows_in_all=5))
    assert {progress.total for progress in updates} == {5}
    assert not any(progress.estimated for progress in updates)


def test_progress_in_words_has_the_rate_and_the_time_left() -> None:
    assert line(Progress(4, "pairs"), 8.0) == "4, pairs, 0.50/s"
    assert line(Progress(4, "pairs", total=10), 8.0) == "4/10, pairs, 0.50/s, 0:00:12 left"
    resumed = Progress(8, "pairs", resumed=4, total=100)
    assert line(resumed, 40.0) == "8/100, pairs, 0.10/s, 0:15:20 left"
    assert line(Progress(4, "pairs", resumed=4, total=9), 1.0) == "4/9, pairs"
    assert line(Progress(4, "pairs", total=9, estimated=True), 0.0) == "4 of about 9, pairs"


def test_a_terminal_shows_every_update_and_a_file_one_in_ten_seconds() -> None:
    def output(terminal: bool) -> str:
        console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
        with shown_on(console, count(4.0, 4.0).__next__) as show:
            for done in range(1, 8):
                show(Progress(done, "pairs", total=7))
        return console.file.getvalue()

    assert "7/7, pairs" in output(terminal=True)
    plain = output(terminal=False).splitlines()
    assert [text.split(",")[0] for text in plain] == ["1/7", "4/7", "7/7"]
