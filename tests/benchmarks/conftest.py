"""The tiny random model with its adapters."""

from tests.models.engines import tiny

__all__ = ["tiny"]
