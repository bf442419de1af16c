"""Judges by name."""

import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.judge.factory import make_judge
from utils.errors import InputError, SettingsError


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


def test_a_cache_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    path.write_bytes(b"this is no database, but a text of some length" * 100)
    with pytest.raises(InputError, match="cannot be used"):
        make_judge("openai:http://127.0.0.1:1#m", cache=path)


def test_the_rules_judge_needs_no_http() -> None:
    code = (
        "import sys; from evaluation.judge.factory import make_judge; make_judge('rules');"
        "sys.exit('requests' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, check=False)
    assert done.returncode == 0
