"""The KG in this process: answers as `utils.crag_api.CragClient` does, without a server."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mock_api.answers import ANSWERS
from mock_api.cache import ready_file
from mock_api.store import Store
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError, ApiRejected, CragError

_CACHED_REPLIES = 50_000


class LocalClient:
    """Answers calls from the KG of a folder or file; each call is looked up once."""

    def __init__(self, data: Path) -> None:
        """Raises InputError: there is no KG at `data`."""
        self._store = Store(ready_file(data, lambda _: None))
        self._made: dict[str, str | ApiError] = {}

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        """The values of `calls`, in their order; an error in the place of one that failed."""
        return [self._one(call) for call in calls]

    def _one(self, call: Call) -> Any | ApiError:
        key = json.dumps([call.endpoint, dict(call.params)], sort_keys=True)
        if key not in self._made:
            if len(self._made) >= _CACHED_REPLIES:
                self._made.clear()
            try:
                self._made[key] = ANSWERS[call.endpoint](self._store, **call.params)
            except CragError as error:
                self._made[key] = ApiRejected(str(error))
        found = self._made[key]
        return json.loads(found) if isinstance(found, str) else found
