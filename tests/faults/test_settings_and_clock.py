"""Unreadable settings are one clear error; a clock that jumps changes no answer."""

import itertools
import time
from pathlib import Path
from typing import Any

import pytest

from models.settings import load_settings
from tests.faults.matrix import fault
from tests.faults.world import ANSWER, answers, batch, evaluate, page, user_model
from utils.errors import SettingsError


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(None, marks=fault("settings", "raises")),
        pytest.param(b"\xff\xfe\x00", marks=fault("settings", "garbage")),
        pytest.param(b"<settings>", marks=fault("settings", "garbage")),
        pytest.param(b'llm = "openai:http://h', marks=fault("settings", "partial")),
        pytest.param(b"margin_s = 1e999", marks=fault("settings", "huge")),
        pytest.param(b"x = [" + b"[" * 10**5, marks=fault("settings", "huge")),
        pytest.param(b"task = 1\ntask = 2\n", marks=fault("settings", "duplicate")),
    ],
)
def test_unreadable_settings_are_an_error(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"settings\.toml|margin_s"):
        load_settings(file, {})


@fault("settings", "out of order")
def test_the_order_of_settings_does_not_matter() -> None:
    changes = ["web.preset=db3", "web.rerank_k=4", "llms.default.spec=hf:a", "batch_size=4"]
    settings = load_settings(None, {}, changes=changes)
    assert settings.batch_size == 4
    for order in itertools.permutations(changes):
        assert load_settings(None, {}, changes=order) == settings


@fault("clock", "garbage")
@fault("clock", "partial")
@fault("clock", "huge")
@pytest.mark.parametrize(
    "asked_at",
    [
        None,
        "soon",
        "03/10/2024",
        "23:19:21 PT",
        "12/31/9999, 23:59:59 PT",
        "1/1/0001, 0:0:0 PT",
        "03/10/99999999, 23:19:21 PT",
        "9" * 10**6,
    ],
)
def test_a_question_with_any_time_is_answered(asked_at: Any) -> None:
    question = batch(("how tall is the northport lighthouse?", [page("northport")]))
    question["query_time"] = [asked_at]
    assert user_model().batch_generate_answer(question) == [ANSWER]


@fault("clock", "out of order")
def test_a_wall_clock_that_jumps_changes_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_time = time.time
    jumps = itertools.cycle([0.0, 10.0**8, -(10.0**8)])
    monkeypatch.setattr(time, "time", lambda: real_time() + next(jumps))
    assert answers(evaluate(tmp_path)) == [ANSWER] * 4
