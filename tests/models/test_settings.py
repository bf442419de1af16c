"""Settings are read once, in the order file < environment < arguments, and fail loudly."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from models.records import Task
from models.settings import Settings, load_settings, read_options
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
        ("task = true", "task cannot be True"),
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


def test_an_unknown_environment_variable_is_an_error(tmp_path: Path) -> None:
    load_settings(tmp_path / "none.toml", {"OTHER": "y"})
    with pytest.raises(SettingsError, match=r"CRAG_SYSTM; did you mean CRAG_SYSTEM\?"):
        load_settings(tmp_path / "none.toml", {"CRAG_SYSTM": "x"})


def test_settings_are_changed_by_keys_with_dots(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('llm = "hf:a"\n[web]\npreset = "db3"\nrerank_k = 4\n', encoding="utf-8")
    changes = ["web.preset=default", "llms.default.think_tokens=500", "batch_size = 4",
               "llms.default.spec=hf:a", "options.kg_in_web=false"]  # fmt: skip
    settings = load_settings(file, {}, changes=changes)
    assert settings.web == {"preset": "default", "rerank_k": 4}
    assert settings.llms["default"].think_tokens == 500 and settings.batch_size == 4
    assert settings.options == {"kg_in_web": False}


def test_a_change_of_the_default_engine_goes_with_an_engine_of_the_arguments(
    tmp_path: Path,
) -> None:
    changes = ["llms.default.context=512", "system=db3"]
    env = {"CRAG_SYSTEM": "offline", "CRAG_LLM": "hf:b"}
    for given in ({"llm": "hf:a"}, {}):
        settings = load_settings(tmp_path / "none.toml", env, changes=changes, **given)
        assert settings.llms["default"].context == 512 and settings.system == "db3"
        assert settings.llms["default"].spec == given.get("llm", "hf:b")
    with pytest.raises(SettingsError, match="llms.default: give spec"):
        load_settings(tmp_path / "none.toml", {}, changes=changes)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("batch_size", "key=value"),
        ("=3", "key=value"),
        ("batch_siz=3", "did you mean batch_size"),
        ("batch_size.x=3", "batch_size"),
        ("seconds_per_question=inf", "must be positive"),
        ("batch_size=inf", "cannot be inf"),
        ("batch_size=1.9", "valid integer"),
        ("subtasks.anser_web.llm=default", "did you mean answer_web"),
    ],
)
def test_a_change_that_cannot_be_is_said(tmp_path: Path, change: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        load_settings(tmp_path / "none.toml", {}, changes=[change])


@pytest.mark.parametrize(
    "change",
    ["llm_api_key=123456", "llm_api_key:123456", "llms.default.extra_headers='123456'"],
)
def test_no_error_shows_a_secret(tmp_path: Path, change: str) -> None:
    changes = ["llms.default.spec=hf:a", change]
    with pytest.raises(SettingsError) as refused:
        load_settings(tmp_path / "none.toml", {}, changes=changes)
    assert "123456" not in str(refused.value)


def test_a_file_in_another_encoding_is_said(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes('system = "é"'.encode("latin-1"))
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(file, {})


LLMS = """
llm = "vllm:weights/llama"
llm_api_key = "secret"
[llms.default]
spec = "hf:other"
memory = 0.5
adapters = {kg = "weights/kg", web = "weights/web"}
[llms.big]
spec = "vllm:weights/big"
memory = 0.3
tensor_parallel = 2
[subtasks.write_query]
adapter = "kg"
[subtasks.answer_web]
llm = "big"
"""


def test_a_subtask_has_an_engine_and_an_adapter(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, LLMS), {"CRAG_LLM": "vllm:elsewhere"})
    assert settings.llms["default"].spec == "vllm:elsewhere"
    assert settings.llms["default"].adapters == {"kg": "weights/kg", "web": "weights/web"}
    assert settings.llms["big"].tensor_parallel == 2
    assert settings.subtasks["write_query"].adapter == "kg"
    assert settings.subtasks["answer_web"].llm == "big"
    assert "secret" not in repr(settings)


def test_an_engine_by_its_spec_alone(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "none.toml", {"CRAG_LLM": "openai:http://host/v1#m"})
    assert settings.llms["default"].kind == "openai"
    assert settings.llms["default"].place == "http://host/v1#m"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('adapter = "kg"', 'adapter = "kq"', "no adapter 'kq'; it has: kg, web"),
        ('llm = "big"', 'llm = "bg"', "no LLM is called 'bg'; there are: default, big"),
        ("memory = 0.3", "memory = 0.6", "more than 1 together: default 0.5, big 0.6"),
        ("memory = 0.3", "memory = 0", "memory must be"),
        ("memory = 0.3", "memory = true", "memory cannot be True"),
        ("memory = 0.3", "memorie = 0.3", "did you mean memory"),
        ("tensor_parallel = 2", "tensor_parallel = 0", "tensor_parallel must be positive"),
        ("tensor_parallel = 2", 'dtype = "fp8"', "dtype cannot be 'fp8'"),
        ("tensor_parallel = 2", 'quantization = "3bit"', "quantization cannot be '3bit'"),
        ('spec = "vllm:weights/big"', 'spec = "weights/big"', "vllm:PATH, hf:PATH or openai"),
        ('spec = "vllm:weights/big"', "", "llms.big.*spec"),
        ('kg = "weights/kg"', "kg = 3", "adapters cannot be"),
        ("[subtasks.answer_web]", "[subtasks]\nanswer_web = 3\n[x]", "table of tables|no setting"),
    ],
)
def test_an_engine_that_cannot_be_is_said(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in LLMS
    with pytest.raises(SettingsError, match=message):
        load_settings(write(tmp_path, LLMS.replace(old, new)), {})


def test_tables_are_read_and_other_things_refused(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[web]\npreset = "db3"\nrerank_k = 3\n[options]\nwords = 9\n')
    settings = load_settings(file, env={})
    assert settings.web == {"preset": "db3", "rerank_k": 3} and settings.options == {"words": 9}
    file.write_text("web = 3\n")
    with pytest.raises(SettingsError, match="web cannot be 3"):
        load_settings(file, env={})


@dataclass(frozen=True)
class Options:
    words: int = 5
    share: float = 0.5
    prompt: str = "a"
    file: str | None = None

    def __post_init__(self) -> None:
        if self.words < 1:
            raise ValueError("words must be positive")


def test_options_are_a_systems_own_record() -> None:
    assert read_options(Options, {}) == Options()
    assert read_options(Options, {"words": 2, "share": 1, "file": "x"}) == Options(2, 1, "a", "x")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"word": 1}, "no setting is called 'word'; did you mean words?"),
        ({"words": "2"}, "words cannot be '2'"),
        ({"words": True}, "words cannot be True"),
        ({"words": 0}, "words must be positive"),
    ],
)
def test_wrong_options_are_told(options: dict[str, object], error: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(error)):
        read_options(Options, options)
