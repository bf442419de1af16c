"""JSON text that every parser accepts: the form that the store keeps and the server sends."""

import json
from typing import Any

from utils.errors import InputError

MOST_TEXT = 64 * 2**20  # more than the client takes for an answer
_VALUE_BYTES = 8  # that every value counts for, however short its text: it takes memory


def dump(value: Any) -> str:
    """`value` as compact JSON; NaN and infinities become null."""
    compact: dict[str, Any] = {"allow_nan": False, "separators": (",", ":")}
    try:
        text = json.dumps(value, ensure_ascii=False, **compact)
    except ValueError:
        return dump(json.loads(json.dumps(value), parse_constant=lambda _: None))
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can carry
        return json.dumps(value, **compact)
    return text


def dump_shared(value: Any) -> str:
    """As `dump`, for a value from a pickle: its parts may be shared, and its text far larger.

    Raises:
        InputError: the text would be too large to serve, or endless.
    """
    remaining = MOST_TEXT
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend((*item, *item.values()))
        elif isinstance(item, list | tuple):
            waiting.extend(item)
        elif isinstance(item, str):
            remaining -= len(item)
        remaining -= _VALUE_BYTES
        if remaining < 0:
            raise InputError(f"a value that holds itself, or more than {MOST_TEXT >> 20} MiB")
    return dump(value)
