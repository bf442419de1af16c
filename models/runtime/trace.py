"""What a system did for one question, step by step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """One step of one question's path.

    Attributes:
        name: what the step is called in docs/systems.md.
        given: what it worked on, by name.
        made: what came of it.
        seconds: how long it took; of what a batch does together, how long that took for all of it.
        llm, adapter: the engine and adapter that wrote `made`, by their names in the settings; an
            adapter of None is the base model, or no model at all.
        prompt: the name of the template that `given` was put into (models/prompts).
        tokens: written by a model, which read `prompt_tokens`, some of them from its cache.
        cost: of all these, in dollars, by the engine's prices.
        sure: figures that tell how sure the step is, by name (models/runtime/confidence.py).
    """

    name: str
    given: Mapping[str, str] = field(default_factory=dict)
    made: str = ""
    seconds: float = 0.0
    adapter: str | None = None
    tokens: int = 0
    sure: Mapping[str, float] = field(default_factory=dict)
    llm: str = ""
    prompt: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The step as a JSON object."""
        return {
            "name": self.name,
            "given": dict(self.given),
            "made": self.made,
            "seconds": self.seconds,
            "adapter": self.adapter,
            "tokens": self.tokens,
            "sure": dict(self.sure),
            "llm": self.llm,
            "prompt": self.prompt,
            "prompt_tokens": self.prompt_tokens,
            "cached_tokens": self.cached_tokens,
            "cost": self.cost,
        }
