"""The real small model, for the adapters that the repository ships."""

from tests.models.llm.smollm2 import smollm2

__all__ = ["smollm2"]
