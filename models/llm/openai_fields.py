"""What a server calls the fields of a request, and which of them it takes: its refusals tell."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

# Fields that a request can do without.
_DISPENSABLE = ("stream_options", "logprobs", "seed", "top_p", "temperature", "stop", "n")
_REFUSED = re.compile(
    r"unsupported|unknown|unrecogni[sz]ed|unexpected|extra|not (?:supported|allowed|permitted)"
    r"|does not support|only the default",
    re.I,
)
MOST_LESSONS = len(_DISPENSABLE) + 1


class Fields:
    """The fields of requests as one server takes them."""

    def __init__(self) -> None:
        self._names: dict[str, str | None] = {}  # None: it is not sent

    def __contains__(self, name: str) -> bool:
        """Whether the server takes a field, as far as is known."""
        return self._names.get(name, name) is not None

    @property
    def learned(self) -> frozenset[str]:
        """The fields that are left out, or called otherwise."""
        return frozenset(self._names)

    def written(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A request as the server takes it."""
        named = {self._names.get(name, name): value for name, value in body.items()}
        return {name: value for name, value in named.items() if name is not None}

    def learn(self, said: str, body: Mapping[str, Any]) -> bool:
        """Whether a refusal of `body` tells how it must be written."""
        if not _REFUSED.search(said):
            return False
        if "max_completion_tokens" in said and "max_tokens" in body:
            self._names["max_tokens"] = "max_completion_tokens"
            return True
        for name in _DISPENSABLE:
            word = rf"\b{name}\b" if len(name) > 1 else rf"['\"`]{name}['\"`]"
            if name in body and re.search(word, said):
                self._names[name] = None
                return True
        return False

    def forget(self, names: Iterable[str]) -> None:
        """Take lessons back."""
        for name in names:
            self._names.pop(name, None)
