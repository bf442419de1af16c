"""The scripted KG API as a fixture."""

from tests.utils.scripted_api import server

__all__ = ["server"]
