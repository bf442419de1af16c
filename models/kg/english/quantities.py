"""Reads numbers."""

import re
from typing import Any

_NUMBER = re.compile(
    r"(?P<number>[-+]?\$?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)"
    r"(?:\s*(?P<scale>thousand|million|billion|trillion))?"
)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def as_number(value: Any) -> float | None:
    """A number, or the number that a text spells; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    match = _NUMBER.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    if match is None:
        return None
    number = float(match["number"].replace(",", "").replace("$", ""))
    return number * _SCALES.get(match["scale"], 1.0)
