"""Records of an unexpected shape: they come from outside, so they are the API's failure."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from utils.errors import ApiGarbage

_log = logging.getLogger(__name__)


@contextmanager
def as_garbage() -> Iterator[None]:
    """What reading a record of an unexpected shape raises is raised as an `ApiGarbage`: a number
    where a list is due, a day that no calendar has, an integer that no float holds."""
    try:
        yield
    except (
        ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError
    ) as error:  # fmt: skip
        _log.warning("a record has an unexpected form", exc_info=True)
        raise ApiGarbage(f"a record has an unexpected form: {error!r:.200}") from error
