"""Treats records of an unexpected shape as failures of the API."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from utils.errors import ApiGarbage

_log = logging.getLogger(__name__)
_ERRORS_OF_SHAPE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


@contextmanager
def as_garbage() -> Iterator[None]:
    """Turn the errors of reading a malformed record into an `ApiGarbage`: a number instead of a
    list, an impossible date, an integer too large for a float.

    An error of our own code in the block counts as one, too; the log has its traceback.

    Raises:
        ApiGarbage: the block raised such an error.
    """
    try:
        yield
    except _ERRORS_OF_SHAPE as error:
        _log.warning("a record has an unexpected form", exc_info=True)
        raise ApiGarbage(f"a record has an unexpected form: {error!r:.200}") from error
