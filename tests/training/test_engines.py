"""What commands ask: judges that fail, and replies that are kept."""

from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.judge.protocol import Item, Judgement, Verdict, correct
from models.llm.cache import AT_A_TIME, Calls, RememberingLLM
from models.llm.protocol import Message, Prompt
from tests.models.systems.scripted import SOON, ScriptedLLM
from training.engines import IN_A_ROW, Agrees
from training.evaluate import evaluate_answers
from training.records import Sample
from utils.errors import JudgeError

DOWN = Judgement(Verdict.UNSCORED, "no key", failed=True)


def scripted_judge(*said: Judgement) -> Any:
    """Gives these judgements, one after the other."""
    left = iter(said)
    return SimpleNamespace(name="scripted", judge=lambda items: [next(left) for _ in items])


def test_a_judge_that_is_down_ends_the_work_and_one_that_fails_now_and_then_does_not() -> None:
    item = Item("q", "how long?", ("3 m",), "3 m")
    some = [*[DOWN] * (IN_A_ROW - 1), correct("the same")]
    agrees = Agrees(scripted_judge(*some, *some, *[DOWN] * IN_A_ROW))
    assert [agrees(item) for _ in some * 2].count(True) == 2
    with pytest.raises(JudgeError, match="no key"):
        for _ in range(IN_A_ROW):
            assert not agrees(item)
    llm, sample = ScriptedLLM("x", lambda prompt: "41 m", []), Sample("t", (("user", "?"),), "")
    with pytest.raises(JudgeError, match="no verdict at all: no key"):
        evaluate_answers(llm, None, "x", [sample], scripted_judge(DOWN))


def test_a_stopped_run_that_is_repeated_asks_only_what_was_not_kept(tmp_path: Path) -> None:
    prompts = [Prompt((Message("user", f"{number}"),)) for number in range(2 * AT_A_TIME)]
    asked: list[str] = []

    def reply(prompt: Prompt) -> str | Exception:
        asked.append(prompt.messages[0].text)
        return RuntimeError("stopped") if len(asked) == AT_A_TIME + 1 else asked[-1]

    for _ in range(3):
        llm = RememberingLLM(ScriptedLLM("x", reply, []), "x", Calls(tmp_path / "calls.sqlite"))
        with suppress(RuntimeError):
            said = llm.generate(prompts, deadline=SOON)
    texts = [prompt.messages[0].text for prompt in prompts]
    assert asked == texts[: AT_A_TIME + 1] + texts[AT_A_TIME:]
    assert [one.text for one in said] == texts
