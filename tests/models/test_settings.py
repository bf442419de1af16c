"""Settings are read once, in the order file < environment < arguments, and fail loudly."""

import logging
from pathlib import Path
from typing import Any

import pytest

from models.records import Task
from models.settings import Settings, load_settings
from utils.errors import SettingsError


def write(folder: Path, text: str) -> Path:
    file = folder / "settings.toml"
    file.write_text(text)
    return file


def test_defaults_need_nothing(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml", {}) == Settings()


def test_each_source_overrides_the_one_before(tmp_path: Path) -> None:
    file = write(tmp_path, 'batch_size = 3\ntask = 1\napi_url = "http://file"\n')
    env = {"CRAG_BATCH_SIZE": "4", "CRAG_MOCK_API_URL": "http://env", "CRAG_TASK": ""}
    settings = load_settings(file, env, task=3, api_url=None)
    assert settings.batch_size == 4
    assert settings.api_url == "http://env"
    assert settings.task is Task.END_TO_END


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("batchsize = 3", "batchsize.*did you mean batch_size"),
        ("batch_size = 17", "1-16"),
        ("batch_size = 0", "1-16"),
        ('batch_size = "many"', "batch_size cannot be 'many'"),
        ("task = 4", "task cannot be 4"),
        ("margin_s = 30", "margin_s"),
        ("retry_share = 1", "retry_share"),
        ("seconds_per_question = 0", "seconds_per_question"),
        ('api_url = "localhost:8000"', "http://"),
        ("= 3", "not TOML"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load_settings(write(tmp_path, text), {})


def test_an_unknown_override_is_an_error(tmp_path: Path) -> None:
    overrides: dict[str, Any] = {"sistem": "offline"}
    with pytest.raises(SettingsError, match="did you mean system"):
        load_settings(tmp_path / "none.toml", {}, **overrides)


def test_an_unknown_environment_variable_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        load_settings(tmp_path / "none.toml", {"CRAG_SYSTM": "x", "OTHER": "y"})
    assert "CRAG_SYSTM; did you mean CRAG_SYSTEM?" in caplog.text
    assert "OTHER" not in caplog.text
