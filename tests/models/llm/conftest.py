"""The real small model in llama.cpp."""

from tests.models.llm.smollm2 import llamacpp, random_adapters, smollm2

__all__ = ["llamacpp", "random_adapters", "smollm2"]
