"""The benchmark's mixed batches write what the engine writes, and its table has every figure."""

import pytest

from benchmarks.engines import QUESTIONS, Call, MixedBatchLLM, TimedLLM, figures_of
from models.llm.config import LLMSettings
from models.llm.hf import TransformersLLM
from tests.models.engines import Tiny
from utils.deadline import Deadline

CALL = Call("short", 40, 6)


@pytest.mark.engine
def test_a_mixed_batch_writes_what_a_batch_for_each_adapter_writes(tiny: Tiny) -> None:
    settings = LLMSettings(f"hf:{tiny.folder}", tiny.adapters)
    names = list(tiny.adapters)
    mixed = MixedBatchLLM.load(settings)
    prompts = TimedLLM(mixed).prompts(CALL, [None, *names])
    texts = []
    for llm in (TransformersLLM.load(settings), mixed):
        completions = llm.generate(prompts, deadline=Deadline.after(60))
        texts.append([completion.text for completion in completions])
    assert texts[0] == texts[1]
    figures = figures_of(TimedLLM(mixed), CALL, names)
    columns = ["call", "first token", "alone", f"{QUESTIONS}, no adapter", "one adapter"]
    assert list(figures) == [*columns, "3 at once", "3 in turn"]
