"""The trace of a question: the steps that a system took for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Step:
    """One step of one question's trace.

    Attributes:
        name: of the step; each system's page in docs/systems/ lists its own.
        inputs: by name.
        output: its result, as text.
        seconds: its duration; for work on a whole batch, the duration of that work.
        adapter: the name of the adapter that wrote `output`; None: the base model, or no model.
        tokens: the number that a model wrote.
        confidence: figures of the step, by name (models/runtime/confidence_model.py).
        llm: the engine that wrote `output`, by its name in the settings.
        prompt: the name of the template that was filled with `inputs` (models/prompts).
        prompt_tokens: the number that a model read.
        cached_tokens: how many of these came from the engine's cache.
        cost: of all tokens, in dollars, by the engine's prices.
        answers: whether `output` is an answer, or reasoning that ends with one.
    """

    name: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    output: str = ""
    seconds: float = 0.0
    adapter: str | None = None
    tokens: int = 0
    confidence: Mapping[str, float] = field(default_factory=dict)
    llm: str = ""
    prompt: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0
    answers: bool = False
