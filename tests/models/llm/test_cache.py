"""Completions are cached on disk; tests/training tests how a resumed run uses them."""

from pathlib import Path

import pytest

from models.llm.cache import Calls, RememberingLLM
from models.llm.errors import Empty
from models.llm.protocol import Completion, FinishReason, Message, Prompt
from tests.models.systems.scripted import SOON, ScriptedLLM, saying
from utils.errors import InputError

HELLO = Prompt((Message("user", "hello"),))


@pytest.mark.parametrize(
    ("completion", "times"),
    [
        (Completion("hi", FinishReason.STOP, 2, (-0.5, -1.0)), 1),
        (Completion("hi", FinishReason.DEADLINE, 2), 2),
        (Completion("", FinishReason.STOP, 0, error=Empty("nothing")), 2),
    ],
)
def test_only_complete_completions_are_cached(
    tmp_path: Path, completion: Completion, times: int
) -> None:
    engine = ScriptedLLM("any", saying(completion), [])
    for _ in range(2):  # as two runs
        llm = RememberingLLM(engine, "tiny", Calls(tmp_path / "calls.sqlite"))
        assert llm.generate([HELLO, HELLO], deadline=SOON) == [completion, completion]
    assert sum(len(prompts) for _, prompts in engine.rounds) == times


def test_a_file_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "calls.sqlite").write_text("no database, " * 100)
    with pytest.raises(InputError, match="cannot be used"):
        Calls(tmp_path / "calls.sqlite")
