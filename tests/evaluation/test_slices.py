"""Figures group by group."""

from evaluation.judge.protocol import Verdict
from evaluation.score import Result, measure
from evaluation.slices import SLICES, grouped, sliced


def result(verdict: Verdict, **slices: str) -> Result:
    return Result("q", "who?", "he", verdict, 1.0, slices=slices)


RESULTS = [
    result(Verdict.WRONG, domain="sports", question_type="set"),
    result(Verdict.CORRECT, domain="movie", question_type="set"),
    result(Verdict.CORRECT, domain="movie", question_type="simple"),
    result(Verdict.UNSCORED, domain="finance"),
]


def test_each_group_is_measured_by_itself() -> None:
    groups = grouped(RESULTS, "domain")
    assert groups["movie"] == measure(RESULTS[1:3])
    assert groups["sports"].score == -1.0
    assert groups["finance"].unscored == 1


def test_the_largest_group_comes_first_then_by_name() -> None:
    assert list(grouped(RESULTS, "domain")) == ["movie", "finance", "sports"]


def test_all_slices_cover_all_questions_and_the_unlabelled_are_unknown() -> None:
    tables = sliced(RESULTS)
    assert list(tables) == ["domain", "question_type"]  # of the others nothing is known
    for groups in tables.values():
        assert sum(metrics.total for metrics in groups.values()) == len(RESULTS)
    assert tables["question_type"]["unknown"].total == 1


def test_no_questions_no_groups() -> None:
    assert sliced([]) == dict.fromkeys(SLICES, {})
