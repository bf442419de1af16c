"""An LLM engine in this process that fails: one string per question, in time, and counted."""

import errno
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import local_evaluation
from local_evaluation import PARTS
from models.llm.protocol import Completion, FinishReason, OnEnd, Prompt, ignore_end
from models.llm.replies import CleanLLM
from models.settings import Settings
from models.systems.db3 import Db3System
from models.user_model import UserModel
from models.web.retriever import Retriever
from tests.faults.matrix import fault
from tests.faults.world import ANSWER, FAULTY, PLACES, answers, evaluate
from tests.models.systems.scripted import ScriptedLLM, ScriptedLLMs, never
from utils.deadline import Deadline

Fault = Callable[[list[Completion], int, Deadline], list[Completion]]


@dataclass
class FaultyEngine(ScriptedLLM):
    """Answers every prompt; a round with the faulty question has the fault `fails`."""

    fails: Any = None

    def generate(
        self, prompts: Sequence[Prompt], *, deadline: Deadline, on_end: OnEnd = ignore_end
    ) -> list[Completion]:
        completions = [Completion(ANSWER, FinishReason.STOP, 3) for _ in prompts]
        for index, prompt in enumerate(prompts):
            if PLACES[FAULTY] in prompt.messages[-1].text:
                if isinstance(self.fails, Exception):
                    raise self.fails
                return self.fails(completions, index, deadline)
        return completions


def hang(completions: list[Completion], index: int, deadline: Deadline) -> list[Completion]:
    time.sleep(8)  # the batch has 4 s
    return completions


def late(completions: list[Completion], index: int, deadline: Deadline) -> list[Completion]:
    time.sleep(deadline.remaining() * 0.9)
    return one("41 me", FinishReason.DEADLINE)(completions, index, deadline)


def one(text: str, reason: FinishReason = FinishReason.STOP) -> Fault:
    """Replaces the completion of the faulty question only."""
    faulty = Completion(text, reason, 3)

    def replace_one(completions: list[Completion], index: int, _: Deadline) -> list[Completion]:
        return [*completions[:index], faulty, *completions[index + 1 :]]

    return replace_one


@pytest.mark.clock
@pytest.mark.parametrize(
    "fails",
    [
        pytest.param(RuntimeError("CUDA error"), marks=fault("LLM engine", "raises")),
        pytest.param(MemoryError(), marks=fault("LLM engine", "raises")),
        pytest.param(hang, marks=fault("LLM engine", "hangs")),
        pytest.param(late, marks=fault("LLM engine", "slow")),
        pytest.param(one("\ud800\x00\ufffe"), marks=fault("LLM engine", "garbage")),
        pytest.param(one("41 me", FinishReason.BROKEN), marks=fault("LLM engine", "partial")),
        pytest.param(lambda completions, *_: completions[1:], marks=fault("LLM engine", "partial")),
        pytest.param(one("no 41 " * 10**6), marks=fault("LLM engine", "huge")),
        pytest.param(RuntimeError("EngineCore died"), marks=fault("LLM engine", "killed")),
        pytest.param(OSError(errno.ENOSPC, "No space"), marks=fault("LLM engine", "disk full")),
        pytest.param(
            lambda completions, *_: completions * 2, marks=fault("LLM engine", "duplicate")
        ),
    ],
)
def test_a_failing_engine_affects_only_its_question(
    fails: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_model(settings: Settings) -> UserModel:
        llms = ScriptedLLMs({})
        engine = FaultyEngine("all", never, llms.rounds, fails=fails)
        llms._scripted["answer_web"] = CleanLLM(engine)  # as `make_llm` makes every engine
        return UserModel(settings, system=Db3System(llms, None, Retriever()))

    monkeypatch.setattr(local_evaluation, "PARTS", replace(PARTS, make_model=make_model))
    rows = evaluate(tmp_path, seconds=1.0)
    faulty = rows.pop(FAULTY)
    assert answers(rows) == [ANSWER] * 3
    assert faulty["prediction"] != ANSWER
    assert faulty["failures"]
