"""Replies made fit to be read, whatever the engine."""

import time
from dataclasses import replace

import pytest

from models.llm.errors import Empty
from models.llm.protocol import Completion, FinishReason
from models.llm.replies import CleanLLM, readable
from tests.models.llm.test_cache import HELLO
from tests.models.systems.scripted import SOON, ScriptedLLM, saying


def says(text: str, reason: FinishReason = FinishReason.STOP) -> ScriptedLLM:
    """An engine that says one thing."""
    return ScriptedLLM("any", saying(Completion(text, reason, 5)), [], context=100)


def test_room_for_thoughts_is_added_to_every_prompt_and_taken_from_the_context() -> None:
    engine = says("41")
    reader = CleanLLM(engine, "default", think_tokens=30)
    reader.generate([replace(HELLO, max_tokens=8)], deadline=SOON)
    ((_, (asked,)),) = engine.rounds
    assert (reader.context, asked.max_tokens) == (70, 38)


@pytest.mark.parametrize(
    ("text", "think_tokens", "answer", "why"),
    [
        ("", 0, "", "wrote nothing"),
        ("<think>40?", 0, "", "raise llms.NAME.think_tokens"),
        ("Okay, so the user asks", 9, "", "raise llms.NAME.think_tokens"),
        ("Okay, so the user asks", 0, "Okay, so the user asks", None),
        ("40? no</think> 41", 9, "41", None),
        ("<Thinking>40?</Thinking> 41", 0, "41", None),
        ("41 <think>or 40", 0, "41 ", None),
    ],
)
def test_thoughts_are_left_out(text: str, think_tokens: int, answer: str, why: str | None) -> None:
    """A text at its bound without an end of thoughts is thoughts, where the model thinks."""
    llm = CleanLLM(says(text, FinishReason.LENGTH), think_tokens=think_tokens)
    (done,) = llm.generate([HELLO], deadline=SOON)
    assert done.text == answer
    assert isinstance(done.error, Empty) and why in str(done.error) if why else not done.error


def test_a_text_is_cut_its_blanks_are_short_and_it_can_be_encoded() -> None:
    began = time.perf_counter()
    assert readable("a" + " " * 10_000 + "b\ud800") == "a b"
    assert readable("a" + "\n " * 5_000 + "b") == "a\nb"
    assert len(readable("ab " * 100_000)) == 16_000
    assert time.perf_counter() - began < 5


def test_the_cost_is_that_of_all_samples_and_cached_tokens_may_be_cheaper() -> None:
    sample = Completion("a", FinishReason.STOP, 1_000)
    made = Completion(
        "a", FinishReason.STOP, 1_000, others=(sample,), prompt_tokens=10_000, cached_tokens=4_000
    )
    prices = {"prompt": 1.0, "completion": 10.0}
    assert CleanLLM(says("a"), prices=prices).cost(made) == pytest.approx(0.03)
    assert CleanLLM(says("a"), prices={**prices, "cached": 0.5}).cost(made) == pytest.approx(0.028)
    assert CleanLLM(says("a")).cost(made) == 0
