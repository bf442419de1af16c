"""Treats replies of an unexpected shape as failures of the API."""

import logging

from models.kg.execution.fetch.protocol import CallGenerator, Fetched
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


def guarded(work: CallGenerator[Fetched]) -> CallGenerator[Fetched]:
    """What a fetcher finds in the API's replies, which may have any shape: a number instead of a
    list, an impossible date, a record without its name.

    An error of the fetcher's own counts as one of the reply, too; the log has its traceback. The
    replies of searches for names are checked where they are read (`names/finder.py`).

    Raises:
        ApiGarbage: a reply has another shape than the fetcher reads.
    """
    try:
        fetched = yield from work
    except _ERRORS_OF_SHAPE as error:
        _log.warning("a record has an unexpected form", exc_info=True)
        raise ApiGarbage(f"a record has an unexpected form: {error!r:.200}") from error
    for name in (*fetched.entities, *fetched.subjects):
        if not isinstance(name, str):
            raise ApiGarbage(f"the name of a record is no text: {name!r:.200}")
    return fetched
