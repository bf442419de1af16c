"""Judges by name."""

import pytest

from evaluation.judge.factory import make_judge
from utils.errors import SettingsError


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("rules", "rules"),
        ("openai:http://h/v1#org/grader-8b", "openai:org/grader-8b"),
        ("rules+openai:http://h/v1#m", "rules+openai:m"),
    ],
)
def test_names(spec: str, name: str) -> None:
    assert make_judge(spec).name == name


@pytest.mark.parametrize("spec", ["", "rule", "openai", "openai:#m", "rules+rule"])
def test_a_bad_name_says_what_is_allowed(spec: str) -> None:
    with pytest.raises(SettingsError, match="openai:URL#MODEL"):
        make_judge(spec)
