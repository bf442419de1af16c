"""Replies of any engine are cleaned: no thoughts, bounded, readable; and their cost."""

import time
from dataclasses import replace

import pytest

from models.llm.errors import Empty
from models.llm.protocol import Completion, FinishReason
from models.llm.replies import CleanLLM, readable
from tests.models.llm.test_cache import HELLO
from tests.models.systems.scripted import SOON, ScriptedLLM, saying


def says(text: str, reason: FinishReason = FinishReason.STOP) -> ScriptedLLM:
    """An engine that always writes one text."""
    return ScriptedLLM("any", saying(Completion(text, reason, 5)), [], context=100)


def test_tokens_for_thoughts_are_added_to_every_prompt_and_taken_from_the_context() -> None:
    engine = says("41")
    reader = CleanLLM(engine, "default", think_tokens=30)
    reader.generate([replace(HELLO, max_tokens=8)], deadline=SOON)
    ((_, (prompt,)),) = engine.rounds
    assert (reader.context, prompt.max_tokens) == (70, 38)


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
        ("[THINK]40?[/THINK]41", 0, "41", None),
        ("<reasoning>40?</reasoning>\n41", 0, "41", None),
        ("<thought>40?</thought>41", 0, "41", None),
        ("<seed:think>40?</seed:think>41", 0, "41", None),
        ("\u25c1think\u25b740?\u25c1/think\u25b741", 0, "41", None),
        ("<|START_THINKING|>40?<|END_THINKING|><|START_RESPONSE|>41", 0, "41", None),
        (
            "<|channel|>analysis<|message|>40?<|end|>"
            "<|start|>assistant<|channel|>final<|message|>41<|return|>",
            0,
            "41",
            None,
        ),
        ("<|channel|>analysis<|message|>40?", 0, "", "raise llms.NAME.think_tokens"),
        ("analysisIs it 40?assistantfinal41", 0, "41", None),
        (
            "analysis of the film: the assistant final cut is 5",
            0,
            "analysis of the film: the assistant final cut is 5",
            None,
        ),
        ("<|begin_of_thought|>40?<|end_of_thought|><|begin_of_solution|>41", 0, "41", None),
        ("The analysis is final: 41", 0, "The analysis is final: 41", None),
    ],
)
def test_thoughts_are_left_out(text: str, think_tokens: int, answer: str, why: str | None) -> None:
    """If the model thinks, a text at its token limit without an end of thoughts is thoughts."""
    llm = CleanLLM(says(text, FinishReason.LENGTH), think_tokens=think_tokens)
    (done,) = llm.generate([HELLO], deadline=SOON)
    assert done.text == answer
    if why is None:
        assert not done.error
    else:
        assert isinstance(done.error, Empty)
        assert why in str(done.error)


def test_a_readable_text_is_bounded_without_long_blanks_and_can_be_encoded() -> None:
    start = time.perf_counter()
    assert readable("a" + " " * 10_000 + "b\ud800") == "a b"
    assert readable("a" + "\n " * 5_000 + "b") == "a\nb"
    assert len(readable("ab " * 100_000)) == 16_000
    assert time.perf_counter() - start < 5


def test_the_cost_includes_all_samples_and_cached_tokens_may_be_cheaper() -> None:
    sample = Completion("a", FinishReason.STOP, 1_000)
    completion = replace(sample, others=(sample,), prompt_tokens=10_000, cached_tokens=4_000)

    def cost(**prices: float) -> float:
        return CleanLLM(says("a"), prices=prices).cost(completion)  # type: ignore[arg-type]

    assert cost(prompt=1.0, completion=10.0) == pytest.approx(0.03)
    assert cost(prompt=1.0, completion=10.0, cached=0.5) == pytest.approx(0.028)
    assert cost() == 0
