"""An LLM engine in this process that fails: one string per question, in time, each loss counted."""

import errno
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import local_evaluation
from local_evaluation import PARTS
from models.llm.factory import LLMs
from models.llm.protocol import LLM, Completion, FinishReason, Prompt
from models.llm.replies import CleanLLM
from models.load_shedding import Pace
from models.settings import Settings
from models.systems.db3 import Db3System
from models.user_model import UserModel
from models.web.retriever import Retriever
from tests.faults.matrix import fault
from tests.faults.world import ANSWER, FAULTY, PLACES, answers, evaluate
from tests.models.systems.scripted import ScriptedLLM, never
from utils.deadline import Deadline

Fault = Callable[[list[Completion], int, Deadline], list[Completion]]


class FaultyEngine(ScriptedLLM):
    """Answers every prompt, unless one of the round is on the faulty question."""

    def __init__(self, fault: Fault) -> None:
        super().__init__("all", never, [])
        self._fault = fault

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        made = [Completion(ANSWER, FinishReason.STOP, 3) for _ in prompts]
        for place, prompt in enumerate(prompts):
            if PLACES[FAULTY] in prompt.messages[-1].text:
                return self._fault(made, place, deadline)
        return made


class OneEngine(LLMs):
    def __init__(self, engine: FaultyEngine) -> None:
        self.pace = Pace()
        self._engine = CleanLLM(engine)  # as the factory makes every engine

    def of(self, subtask: str) -> tuple[LLM, str | None]:
        return self._engine, None


def error(raised: BaseException) -> Fault:
    def fail(made: list[Completion], place: int, deadline: Deadline) -> list[Completion]:
        raise raised

    return fail


def hang(made: list[Completion], place: int, deadline: Deadline) -> list[Completion]:
    time.sleep(8)  # the batch has 4 s
    return made


def late(made: list[Completion], place: int, deadline: Deadline) -> list[Completion]:
    time.sleep(deadline.remaining() * 0.9)
    return one(text="41 me", finish_reason=FinishReason.DEADLINE)(made, place, deadline)


def one(**changes: Any) -> Fault:
    """Only the completion of the faulty question is another."""

    def change(made: list[Completion], place: int, deadline: Deadline) -> list[Completion]:
        made[place] = replace(made[place], **changes)
        return made

    return change


@pytest.mark.clock
@pytest.mark.parametrize(
    "fails",
    [
        pytest.param(error(RuntimeError("CUDA error")), marks=fault("LLM engine", "raises")),
        pytest.param(error(MemoryError()), marks=fault("LLM engine", "raises")),
        pytest.param(hang, marks=fault("LLM engine", "hangs")),
        pytest.param(late, marks=fault("LLM engine", "slow")),
        pytest.param(one(text="\ud800\x00\ufffe"), marks=fault("LLM engine", "garbage")),
        pytest.param(
            one(text="41 me", finish_reason=FinishReason.BROKEN),
            marks=fault("LLM engine", "partial"),
        ),
        pytest.param(lambda made, *_: made[1:], marks=fault("LLM engine", "partial")),
        pytest.param(one(text="no 41 " * 10**6), marks=fault("LLM engine", "huge")),
        pytest.param(error(RuntimeError("EngineCore died")), marks=fault("LLM engine", "killed")),
        pytest.param(
            error(OSError(errno.ENOSPC, "No space left")), marks=fault("LLM engine", "disk full")
        ),
        pytest.param(lambda made, *_: made * 2, marks=fault("LLM engine", "duplicate")),
    ],
)
def test_an_engine_that_fails_costs_its_own_question(
    fails: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_model(settings: Settings) -> UserModel:
        system = Db3System(OneEngine(FaultyEngine(fails)), None, Retriever())
        return UserModel(settings, system=system)

    monkeypatch.setattr(local_evaluation, "PARTS", replace(PARTS, make_model=make_model))
    rows = evaluate(tmp_path, seconds=1.0)
    assert answers(rows)[:FAULTY] + answers(rows)[FAULTY + 1 :] == [ANSWER] * 3
    assert rows[FAULTY]["prediction"] != ANSWER and rows[FAULTY]["failures"]
