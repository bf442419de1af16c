"""Years of which a page's values are: "the population in 2020" is what a page says as of 2020."""

import re
from collections.abc import Mapping
from typing import Any

YEAR = re.compile(
    r"\b(?:(?:in|during|as of|by|at|per|according to) (?:the )?(?:year )?)?"
    r"(\d{4})(?: (?:us |u s |united states )?census)?\b"
)


def of_year(facts: Mapping[str, Any], key: str, year: str) -> bool:
    """Whether the value of a key is that of a year, as it says itself, or a key beside it."""
    stem = key.split("_")[0]
    known = [str(facts[key])] + [
        str(value)
        for other, value in facts.items()
        if other.startswith(stem) and other.endswith(("as_of", "year"))
    ]
    return any(year in text for text in known)
