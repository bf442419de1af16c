"""`crag model serve smollm2`: llama.cpp's real server, by the client of any OpenAI server."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from models.check import State, run_checks
from models.llm.config import LLMSettings
from models.llm.constraints import accepts
from models.llm.errors import ContextTooLong, ServerUnavailable
from models.llm.llamacpp import LlamaCppLLM
from models.llm.llms import make_llm
from models.llm.model_command import main
from models.llm.openai import OpenAILLM
from models.llm.protocol import LLM, Completion, Constraint, ConstraintKind, FinishReason
from models.settings import Settings
from tests.models.llm.smollm2 import CONTEXT
from tests.models.llm.test_llamacpp import CONSTRAINTS, ask, soon
from utils.deadline import Deadline

ROOT = Path(__file__).parents[3]


@dataclass
class Served:
    """A running `crag model serve`."""

    url: str
    process: "subprocess.Popen[str]"

    @classmethod
    def start(cls, *arguments: str) -> "Served":
        command = [sys.executable, "-m", "crag", "model", "serve", "smollm2"]
        command += ["--context", str(CONTEXT), "--slots", "2", "--threads", "1", *arguments]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:") and url.endswith("/v1")
        return cls(url, process)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:  # closes its output
            self.kill()


@pytest.fixture(scope="module")
def served(smollm2: Path, random_adapters: dict[str, str]) -> Iterator[Served]:
    with Served.start("--port", "0", "--adapter", f"a={random_adapters['a']}") as server:
        yield server


@pytest.fixture(scope="module")
def client(served: Served) -> LLM:
    return make_llm(LLMSettings(f"openai:{served.url}#smollm2"))


def test_it_answers_and_streams(client: LLM) -> None:
    (completion,) = client.generate([ask(logprobs=True)], deadline=soon())
    assert completion.finished and completion.text
    assert completion.prompt_tokens > 10
    assert len(completion.logprobs) == completion.tokens


def test_partial_text_is_there_at_the_deadline(client: LLM) -> None:
    client.generate([ask(max_tokens=2)], deadline=soon())
    prompt = ask("Write a long story.", max_tokens=400)
    (completion,) = client.generate([prompt], deadline=Deadline.after(1.5))
    assert completion.finish_reason is FinishReason.DEADLINE
    assert completion.text


@pytest.mark.parametrize("kind", list(ConstraintKind))
def test_it_keeps_to_constraints(client: LLM, kind: ConstraintKind) -> None:
    constraint = Constraint(kind, CONSTRAINTS[kind])
    (completion,) = client.generate([ask(constraint=constraint, max_tokens=60)], deadline=soon())
    assert completion.error is None
    assert accepts(constraint, completion.text)


def test_a_prompt_beyond_the_context_states_the_excess(client: LLM) -> None:
    short, long = client.generate([ask(), ask("film " * 2 * CONTEXT)], deadline=soon())
    assert short.finished
    assert isinstance(long.error, ContextTooLong)
    assert long.error.context == CONTEXT and long.error.over > CONTEXT


def test_an_adapter_is_named_by_its_number(
    served: Served, random_adapters: dict[str, str], llamacpp: LlamaCppLLM
) -> None:
    settings = LLMSettings(f"openai:{served.url}#smollm2", {"a": "lora:0"})
    llm = make_llm(settings)
    texts = []
    for adapter in (None, "a", None):
        (completion,) = llm.generate([ask(adapter=adapter)], deadline=soon())
        (in_process,) = llamacpp.generate([ask(adapter=adapter)], deadline=soon())
        assert completion.text == in_process.text
        texts.append(completion.text)
    assert texts[0] == texts[2] != texts[1]


def test_it_tells_what_the_engine_in_this_process_knows(served: Served) -> None:
    settings = LLMSettings(f"openai:{served.url}#smollm2", {"a": "lora:0"})
    checks = run_checks(Settings(system="db3", llms={"default": settings}))
    own = {check.what: check for check in checks if check.what.startswith("default: ")}
    assert [check.state for check in own.values()] == [State.OK] * 4
    assert own["default: a"].says.startswith("lora:0, /")
    assert own["default: a"].says.endswith(".gguf; for no subtask")
    client = OpenAILLM.load(settings)
    assert client.context == CONTEXT
    server = client.llama_cpp()
    assert server is not None
    assert server.end_tokens == (2,)  # <|im_end|>
    (completion,) = client.generate([ask()], deadline=soon())
    assert completion.prompt_tokens == client.count_prompt(ask())


@pytest.mark.clock
def test_a_killed_server_fails_its_requests_and_its_successor_answers(smollm2: Path) -> None:
    endless = Constraint(ConstraintKind.REGEX, "a{300,400}")
    with Served.start("--port", "0") as server:
        client = make_llm(LLMSettings(f"openai:{server.url}#smollm2"))
        client.generate([ask(max_tokens=2)], deadline=soon())
        completions: list[Completion] = []
        prompts = [ask(constraint=endless, max_tokens=400)] * 2
        asking = threading.Thread(
            target=lambda: completions.extend(client.generate(prompts, deadline=Deadline.after(20)))
        )
        asking.start()
        time.sleep(1.0)
        server.kill()
        asking.join(30)
    assert [one.finish_reason for one in completions] == [FinishReason.BROKEN] * 2
    assert all(isinstance(one.error, ServerUnavailable) for one in completions)
    port = server.url.removesuffix("/v1").rpartition(":")[2]
    with Served.start("--port", port):
        (completion,) = client.generate([ask()], deadline=soon())
        assert completion.finished


def test_wrong_arguments_are_explained(smollm2: Path) -> None:
    for arguments, message in (
        (["serve", "nothing"], "one of smollm2"),
        (["serve", "smollm2", "--adapter", "a"], "NAME=FOLDER"),
        (["serve", "smollm2", "--adapter", "a=/nowhere"], "no adapter 'a'"),
    ):
        command = [sys.executable, "-m", "crag", "model", *arguments]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert result.returncode == 2
        assert message in result.stderr


def test_a_port_that_is_taken_is_said_before_the_model_is_loaded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["serve", "absent.gguf", "--port", str(port)]) == 2
    assert f"port {port} of 127.0.0.1 cannot be used" in capsys.readouterr().err
