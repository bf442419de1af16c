"""Settings are read in the order file < environment < arguments; a misspelt one is an error."""

from pathlib import Path
from typing import Any

import pytest

from models.records import Task
from models.settings import Settings, load_settings
from utils.errors import SettingsError


@pytest.fixture
def load(tmp_path: Path) -> Any:
    """Settings from the text of a file, an environment, changes and arguments."""

    def load(text: str = "", env: Any = None, **changes_and_arguments: Any) -> Settings:
        file = tmp_path / "settings.toml"
        file.write_text(text, encoding="utf-8")
        return load_settings(file, env or {}, **changes_and_arguments)

    return load


def test_each_source_overrides_the_one_before(load: Any) -> None:
    text = 'batch_size = 3\ntask = 1\napi_url = "http://file"\n'
    env = {"CRAG_BATCH_SIZE": "4", "CRAG_MOCK_API_URL": "http://env", "CRAG_TASK": ""}
    settings = load(text, env, task=3, api_url=None)
    assert (settings.batch_size, settings.api_url) == (4, "http://env")
    assert settings.task is Task.END_TO_END


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({"text": "batchsize = 3"}, "batchsize.*did you mean batch_size"),
        ({"text": "batch_size = 17"}, "equal to 16"),
        ({"text": "task = true"}, "task cannot be True"),
        ({"text": "margin_s = 30"}, "margin_s"),
        ({"text": "retry_share = 1"}, "retry_share"),
        ({"text": "seconds_per_question = 0"}, "seconds_per_question"),
        ({"text": 'api_url = "localhost:8000"'}, "api_url cannot be"),
        ({"sistem": "offline"}, "did you mean system"),
        ({"env": {"CRAG_SYSTM": "x"}}, r"CRAG_SYSTM; did you mean CRAG_SYSTEM\?"),
        ({"changes": ["batch_size"]}, "KEY=VALUE"),
        ({"changes": ["=3"]}, "KEY=VALUE"),
        ({"changes": ["batch_size.x=3"]}, "batch_size"),
        ({"changes": ["seconds_per_question=inf"]}, "a finite number"),
        ({"changes": ["subtasks.answer_web.llm=x"]}, "answer_web: no LLM is called 'x'"),
        ({"changes": ["llms.default.context=512"]}, "llms.default: give spec"),
    ],
)
def test_the_error_names_the_setting_that_cannot_be_used(
    load: Any, sources: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        load(**sources)


def test_keys_with_dots_change_tables(load: Any) -> None:
    changes = [
        "web.preset=default",
        "llms.default.think_tokens=500",
        "batch_size = 4",
        "llms.default.spec=hf:a",
        "options.kg_in_web=false",
    ]
    settings = load('llm = "hf:a"\n[web]\npreset = "db3"\nrerank_k = 4\n', changes=changes)
    assert settings.web == {"preset": "default", "rerank_k": 4}
    assert settings.llms["default"].think_tokens == 500 and settings.batch_size == 4
    assert settings.options == {"kg_in_web": False}


def test_the_default_engines_table_takes_its_spec_from_other_sources(load: Any) -> None:
    changes = ["llms.default.context=512", "system=db3"]
    for llm, spec in (("hf:a", "hf:a"), (None, "hf:b")):
        settings = load(env={"CRAG_SYSTEM": "x", "CRAG_LLM": "hf:b"}, changes=changes, llm=llm)
        default = settings.llms["default"]
        assert (default.context, default.spec, settings.system) == (512, spec, "db3")


@pytest.mark.parametrize(
    "change", ["llm_api_key=123456", "llm_api_key:123456", "llms.default.extra_headers='123456'"]
)
def test_no_error_shows_a_secret(load: Any, change: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load(changes=["llms.default.spec=hf:a", change])
    assert "123456" not in str(refused.value)


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


def test_a_subtask_has_an_engine_and_an_adapter(load: Any) -> None:
    settings = load(LLMS, {"CRAG_LLM": "vllm:elsewhere"})
    default = settings.llms["default"]
    assert (default.spec, default.kind, default.place) == ("vllm:elsewhere", "vllm", "elsewhere")
    assert default.adapters == {"kg": "weights/kg", "web": "weights/web"}
    assert settings.llms["big"].tensor_parallel == 2
    assert settings.subtasks["write_query"].adapter == "kg"
    assert settings.subtasks["answer_web"].llm == "big"
    assert "secret" not in repr(settings)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('adapter = "kg"', 'adapter = "kq"', "no adapter 'kq'; it has: kg, web"),
        ('llm = "big"', 'llm = "bg"', "no LLM is called 'bg'; there are: default, big"),
        ("memory = 0.3", "memory = 0.6", "more than 1 together: default 0.5, big 0.6"),
        ("tensor_parallel = 2", "tensor_parallel = 0", "tensor_parallel cannot be 0"),
        ("tensor_parallel = 2", "prices = {tokens = 1}", "prices cannot be that"),
        ('spec = "vllm:weights/big"', 'spec = "weights/big"', "hf:PATH, llamacpp:PATH or openai"),
        ('spec = "vllm:weights/big"', "", "llms.big.*spec"),
        ("[subtasks.answer_web]", "[subtasks]\nanswer_web = 3\n[x]", "table of tables|no setting"),
    ],
)
def test_the_error_names_the_engines_field_that_cannot_be_used(
    load: Any, old: str, new: str, message: str
) -> None:
    assert old in LLMS
    with pytest.raises(SettingsError, match=message):
        load(LLMS.replace(old, new))


def test_a_variable_like_no_setting_is_named_and_ignored(
    load: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert load(env={"CRAG_FOO": "1"}) == load()
    assert "no setting is called CRAG_FOO: it is ignored" in caplog.text
