from tests.utils.scripted_api import server

__all__ = ["server"]
