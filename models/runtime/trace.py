"""What a system did for one question, step by step."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Step:
    """One step of one question's trace.

    Attributes:
        name: as in docs/systems.md.
        inputs: by name.
        output: what it gave, as text.
        seconds: its duration; for work on a whole batch, the duration of that work.
        llm, adapter: the engine and adapter that wrote `output`, by their names in the settings;
            adapter None: the base model, or no model at all.
        prompt: the name of the template that `inputs` were put into (models/prompts).
        tokens: written by a model; it read `prompt_tokens`, `cached_tokens` of them from cache.
        cost: of these tokens, in dollars, by the engine's prices.
        confidence: figures of the step, by name (models/runtime/confidence.py).
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
