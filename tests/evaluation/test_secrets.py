"""No secret reaches a file of a run, the terminal, the log or an error, however it was given."""

import base64
import gzip
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from local_evaluation import main
from models.check import run_checks
from models.settings import load_settings
from tests.models.llm.fake_server import Handler, fake_server
from utils.errors import SettingsError
from utils.secrets import argument_shown, secrets_in_url, without_secrets

SECRET = "hush-0123456789"
ENCODED = base64.b64encode(f"me:{SECRET}".encode()).decode()
PACKED = re.compile(r'<script type="application/gzip" id="packed-\w+">([^<]*)</script>')


def repeats_the_key(handler: Handler, body: dict[str, Any]) -> None:
    """As servers do that tell which key was wrong."""
    keys = [handler.headers[name] for name in ("Authorization", "X-Own")]
    handler.send_json(400, {"error": f"{keys} at {handler.path}"})


def content(file: Path) -> str:
    """All text in a file, packed or not."""
    text = file.read_bytes().decode("utf-8", "replace")
    blocks = (gzip.decompress(base64.b64decode(block)).decode() for block in PACKED.findall(text))
    return "\n".join((text, *blocks))


def test_a_run_keeps_no_secret(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Keys in variables, arguments and headers; passwords in each URL; servers that repeat them."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("CRAG_LLM_API_KEY", SECRET)
    with fake_server(repeats_the_key) as server:
        for task, url in (("2", server.url.replace("//", f"//me:{SECRET}@")), ("1", server.url)):
            argv = ["--system", "db3", "--llm", f"openai:{url}#base", "--web", "default"]
            argv += ["--set", "web.reranker=lexical", "--set", f"judge_api_key={SECRET}"]
            argv += ["--set", f'llms.default.extra_headers={{X-Own = "{SECRET}"}}', "--no-check"]
            argv += ["--set", f"llms.other.spec=openai:http://me:{SECRET}@host/v1#m"]
            argv += ["--judge", f"openai:http://me:{SECRET}@127.0.0.1:9/v1#base"]
            argv += ["--limit", "2", "--task", task]
            argv += ["--api-url", f"http://me:{SECRET}@127.0.0.1:9/?token={SECRET}"]
            # Without KG and LLM, task 2 ends after its first batch, and no question is answered.
            assert main([*argv, "--out", str(tmp_path / task)]) == 3
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {"about.json", "traces.jsonl", "report.html"} <= {file.name for file in files}
    output = capfd.readouterr()
    places = {str(file.relative_to(tmp_path)): content(file) for file in files}
    places["output"] = output.out
    places["errors"] = output.err
    places["log"] = caplog.text
    assert r"Bearer \u2026" in places["1/report.html"], "nothing was there to be hidden"
    for name, text in places.items():
        assert SECRET not in text, name
        assert ENCODED not in text, name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("llm", f"http://me:{SECRET}@host/v1"),
        ("api_url", f"me:{SECRET}@host"),
        ("batch_size", f"http://host?api_key={SECRET}"),
    ],
)
def test_no_error_about_settings_shows_a_secret(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(None, {}, **{name: value})  # type: ignore[arg-type]
    assert SECRET not in str(refused.value)


def test_no_check_shows_a_secret() -> None:
    with fake_server(repeats_the_key) as server:
        url = server.url.replace("//", f"//me:{SECRET}@")
        changes = [f'llms.default.extra_headers.X-Own="{SECRET}"', "system=db3"]
        api = f"http://me:{SECRET}@127.0.0.1:9/?key={SECRET}"
        settings = load_settings(None, {}, changes=changes, llm=f"openai:{url}#base", api_url=api)
        checks = run_checks(settings)
    assert not all(check.ok for check in checks)
    assert SECRET not in repr(checks)


@pytest.mark.parametrize(
    ("text", "without_secret"),
    [
        ("http://a:b@h/x", "http://…@h/x"),
        ("openai:http://h/v1?x=1&api_key=b#m", "openai:http://h/v1?x=1&api_key=…#m"),
        ("--set=llm_api_key=b c", "--set=llm_api_key=…"),
        ("llms.a.extra_headers.X-Own=b", "llms.a.extra_headers.X-Own=…"),
        ('llms.a.extra_headers = {Authorization = "b"}', "llms.a.extra_headers =…"),
        ("status 401: Authorization: Bearer b.c-d", "status 401: Authorization: Bearer …"),
        ("Authorization: Basic bWU6== is basic", "Authorization: Basic … is basic"),
        ("plain text, a//b, think_tokens=3", "plain text, a//b, think_tokens=3"),
        ("llms.a.think_tokens=3", "llms.a.think_tokens=3"),
        ("tokenizer=a/b", "tokenizer=a/b"),
    ],
)
def test_keys_and_passwords_are_secrets(text: str, without_secret: str) -> None:
    assert argument_shown(text) == without_secret


def test_a_url_s_password_and_keys_are_found() -> None:
    assert set(secrets_in_url("http://me:a%40b@h/v1?api_key=c&n=1")) == {"a%40b", "a@b", "c"}
    assert list(secrets_in_url("http://[h")) == []


@pytest.mark.parametrize("value", ["sk-0123456789", "sk-0123456789\n", "Bearer sk-0123456789"])
def test_a_key_is_hidden_where_it_stands_alone(value: str) -> None:
    assert without_secrets("the key sk-0123456789 is not known", [value]) == (
        "the key … is not known"
    )
    assert without_secrets("ann is not known", ["Bearer ann"]) == "ann is not known"
