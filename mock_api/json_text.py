"""JSON text that every parser takes: the form in which the store keeps and the server sends."""

import json
import math
from typing import Any


def dump(value: Any) -> str:
    """`value` as compact JSON; what JSON cannot say (NaN, infinities) becomes null."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return dump(without_non_finite(value))
    if not _encodable(text):  # a lone surrogate, which only an escape can carry
        return json.dumps(value, separators=(",", ":"))
    return text


def without_non_finite(value: Any) -> Any:
    """A copy of `value` in which each NaN or infinity is None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: without_non_finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_non_finite(item) for item in value]
    return value


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
