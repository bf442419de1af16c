"""What commands ask: judges that fail, and replies that are kept."""

from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.judge.protocol import Item, Judgement, Verdict, correct
from models.llm.cache import AT_A_TIME, Calls, RememberingLLM
from models.llm.protocol import Message, Prompt
from models.settings import Settings
from tests.models.llm.fake_server import fake_server, says
from tests.models.systems.scripted import SOON, ScriptedLLM
from training.engines import IN_A_ROW, Agrees, remembering
from training.records import Sample
from training.truthfulness import answer_samples
from utils.errors import JudgeError

DOWN = Judgement(Verdict.UNSCORED, "no key", failed=True)


def scripted_judge(*judgements: Judgement) -> Any:
    """Gives these judgements, one after the other."""
    upcoming = iter(judgements)
    return SimpleNamespace(name="scripted", judge=lambda items: [next(upcoming) for _ in items])


def test_a_judge_that_is_down_ends_the_work_and_one_that_fails_now_and_then_does_not() -> None:
    item = Item("q", "how long?", ("3 m",), "3 m")
    now_and_then = [*[DOWN] * (IN_A_ROW - 1), correct("the same")]
    agrees = Agrees(scripted_judge(*now_and_then, *now_and_then, *[DOWN] * IN_A_ROW))
    assert [agrees(item) for _ in range(2 * IN_A_ROW)].count(True) == 2
    with pytest.raises(JudgeError, match="no key"):
        for _ in range(IN_A_ROW):
            assert not agrees(item)


def test_answers_are_not_measured_by_a_judge_that_is_down() -> None:
    llm = ScriptedLLM("x", lambda prompt: "41 m", [])
    sample = Sample("t", (("user", "?"),), "", question="?", golds=("40 m",))
    with pytest.raises(JudgeError, match="no verdict on any of 1 answers that needed one: no key"):
        answer_samples(llm, None, "x", [sample], scripted_judge(DOWN))


def test_a_repeated_run_asks_only_what_the_stopped_one_did_not_keep(tmp_path: Path) -> None:
    texts = [str(number) for number in range(2 * AT_A_TIME)]
    prompts = [Prompt((Message("user", text),)) for text in texts]
    asked_texts: list[str] = []

    def reply(prompt: Prompt) -> str | Exception:
        asked_texts.append(prompt.messages[0].text)
        if len(asked_texts) == AT_A_TIME + 1:
            return RuntimeError("stopped")
        return asked_texts[-1]

    for _ in range(3):
        llm = RememberingLLM(ScriptedLLM("x", reply, []), "x", Calls(tmp_path / "calls.sqlite"))
        with suppress(RuntimeError):
            completions = llm.generate(prompts, deadline=SOON)
    assert asked_texts == texts[: AT_A_TIME + 1] + texts[AT_A_TIME:]
    assert [completion.text for completion in completions] == texts


def test_a_reply_of_thoughts_alone_is_asked_again(tmp_path: Path) -> None:
    with fake_server(says("<think>hm</think>"), says("fine"), says("never asked for")) as server:
        settings = Settings(llm=f"openai:{server.url}#base")
        engine, _ = remembering(settings, Calls(tmp_path / "calls"), ["any"]).of("any")
        prompt = Prompt((Message("user", "hello"),))
        texts = [engine.generate([prompt], deadline=SOON)[0].text for _ in range(3)]
    assert texts == ["", "fine", "fine"]
