"""What the engine of transformers alone does: it reads a prompt once for all of its samples."""

from itertools import chain

import pytest

from models.llm.protocol import LLM, Prompt
from tests.models.llm.test_contract import ask, soon

pytestmark = pytest.mark.engine


def test_samples_of_a_prompt_are_those_of_single_prompts_with_the_next_seeds(hf: LLM) -> None:
    film, song = "a film " * 9, "a song"  # of several lengths, which are padded

    def sampled(text: str, seed: int, n: int = 1) -> Prompt:
        return ask(text, adapter="route", temperature=1.0, seed=seed, n=n, logprobs=True)

    together = hf.generate([sampled(film, 7, n=3), sampled(song, 40, n=2)], deadline=soon())
    alone = [sampled(film, 7), sampled(film, 8), sampled(film, 9), sampled(song, 40)]
    alone.append(sampled(song, 41))
    written = chain.from_iterable(done.samples for done in together)
    for one, other in zip(written, hf.generate(alone, deadline=soon()), strict=True):
        assert one.text == other.text
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-3)
