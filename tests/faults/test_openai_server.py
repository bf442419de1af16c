"""An LLM server that fails for one question: the others keep their answers."""

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.faults.matrix import fault
from tests.faults.world import ANSWER, FAULTY, PLACES, answers, evaluate
from tests.models.llm.fake_server import (
    Handler,
    Reply,
    breaks_off,
    chunk,
    fake_server,
    hangs,
    refuses,
    says,
    streams,
)


def evaluate_db3(folder: Path, reply: Reply, seconds: float = 5.0) -> list[dict[str, Any]]:
    """The rows of db3 over a server that gives this reply."""
    with fake_server(reply) as server:
        argv = ("--system", "db3", "--web", "default", "--llm", f"openai:{server.url}#base")
        return evaluate(folder, *argv, seconds=seconds)


def drips(handler: Handler, body: dict[str, Any]) -> None:
    """A word now and then, without an end."""
    handler.begin_stream()
    while not handler.server.over.wait(0.1):
        handler.send_event("a ")


def endless(handler: Handler, body: dict[str, Any]) -> None:
    """A line of 100 MB."""
    handler.begin_stream()
    for _ in range(100):
        handler.wfile.write(b"x" * 2**20)


def hangs_up(handler: Handler, body: dict[str, Any]) -> None:
    handler.connection.close()


@pytest.mark.clock
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(refuses(500, "boom"), marks=fault("OpenAI server", "raises")),
        pytest.param(hangs(), marks=fault("OpenAI server", "hangs")),
        pytest.param(drips, marks=fault("OpenAI server", "slow")),
        pytest.param(streams("no JSON", {}, [1]), marks=fault("OpenAI server", "garbage")),
        pytest.param(breaks_off("41 me"), marks=fault("OpenAI server", "partial")),
        pytest.param(endless, marks=fault("OpenAI server", "huge")),
        pytest.param(hangs_up, marks=fault("OpenAI server", "killed")),
        pytest.param(refuses(507, "No space left"), marks=fault("OpenAI server", "disk full")),
    ],
)
def test_a_failing_reply_affects_only_its_question(reply: Reply, tmp_path: Path) -> None:
    def one_fails(handler: Handler, body: dict[str, Any]) -> None:
        prompt = body["messages"][-1]["content"]
        if PLACES[FAULTY] in prompt:
            reply(handler, body)
        else:
            says(ANSWER)(handler, body)

    rows = evaluate_db3(tmp_path, one_fails, seconds=1.0)
    assert [bool(row["failures"]) for row in rows] == [False, True, False, False]
    del rows[FAULTY]
    assert answers(rows) == [ANSWER] * 3


@fault("OpenAI server", "duplicate")
def test_a_reply_with_a_second_choice_gives_one_answer(tmp_path: Path) -> None:
    (choice,) = chunk("stop", content=ANSWER)["choices"]
    twice = {"choices": [choice, {**choice, "index": 1}]}
    assert answers(evaluate_db3(tmp_path, streams(twice))) == [ANSWER] * 4


@fault("OpenAI server", "out of order")
def test_replies_in_reverse_order_go_to_their_own_questions(tmp_path: Path) -> None:
    replied = [threading.Event() for _ in PLACES]

    def last_first(handler: Handler, body: dict[str, Any]) -> None:
        _, _, question = body["messages"][-1]["content"].rpartition("how tall is")
        (number,) = [n for n, place in enumerate(PLACES) if place in question]
        if number + 1 < len(PLACES):
            replied[number + 1].wait(5)
        says(f"{number} metres")(handler, body)
        replied[number].set()

    expected = [f"{number} metres" for number in range(4)]
    assert answers(evaluate_db3(tmp_path, last_first)) == expected
