"""The KG in this process: answers as `utils.crag_api.CragClient` does, without a server."""

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from mock_api.answers import ANSWERS
from mock_api.cache import ready_file
from mock_api.store import Store
from utils.crag_api import ApiCall
from utils.deadline import Deadline
from utils.errors import ApiError, ApiRejected, CragError

_CACHED_REPLIES = 50_000


class LocalClient:
    """Answers calls from the KG of a folder or file; each call is looked up once."""

    def __init__(self, data: Path) -> None:
        """A client of the KG at `data`, a folder of facts or a file that an import made.

        Raises:
            InputError: there is no KG at `data`.
        """
        self._store = Store(ready_file(data, lambda _: None))
        self._reply = lru_cache(_CACHED_REPLIES)(self._look_up)

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any | ApiError]:
        """The values of `calls`, in their order; an error in the place of one that failed."""
        return [self._one(call) for call in calls]

    def _one(self, call: ApiCall) -> Any | ApiError:
        """The value of one call, or its error."""
        reply = self._reply(call.endpoint, json.dumps(dict(call.params), sort_keys=True))
        return json.loads(reply) if isinstance(reply, str) else reply

    def _look_up(self, endpoint: str, params: str) -> str | ApiError:
        """The answer as JSON text, or an error where the request is refused."""
        try:
            return ANSWERS[endpoint](self._store, **json.loads(params))
        except (CragError, UnicodeEncodeError) as error:
            return ApiRejected(str(error))
