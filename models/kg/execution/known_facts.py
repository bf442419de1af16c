"""The facts that the KG knows: neither placeholders, nor dates and numbers that are none.

A row of any function, from any KG, passes here once, before it is filtered, sorted or read.
"""

import math
import re
from datetime import date
from typing import Any

from models.kg.execution.decimals import meant_number
from models.kg.execution.fetch.protocol import Row
from models.kg.schema.codes import in_words
from models.kg.schema.functions import Function, Key, Type
from models.records import Domain

# What sources of data write where they have no value.
_PLACEHOLDERS = frozenset(
    [
        *"n/a na #n/a #na none null nil nan inf infinity tba tbc tbd unknown".split(),
        *"unspecified undefined undisclosed #inf #qnan #div/0!".split(),
        *("not known", "not available", "not applicable", "not specified", "not disclosed"),
        *("to be announced", "to be confirmed", "to be determined", "no data"),
    ]
)
_MOST_BITS = 1023  # of an integer that a float can hold
_LONGEST_PLACEHOLDER = 24  # characters, with signs around it
_SIGNS_AROUND = " \t\n.-+–—−‐*?_()[]{}<>\"'"
# Keys that the schema does not list.
_INFOBOX_KEY = Key("of an infobox")
_PROFILE_KEY = Key("of a company's profile")
_ADDED_KEY = Key("", proper_name=True)  # by the execution, such as `ENTITY`
_ISO_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ][\d:.]*)?)?)?")


def is_placeholder(value: Any) -> bool:
    """Whether a value stands where there is none: a text like "N/A" or "—", a date that no calendar
    has, or a number like NaN.

    >>> texts = ("N/A", "none", "—", "(unknown)", "-Infinity", "0000-00-00", "no", "A-", "2024")
    >>> [text for text in texts if not is_placeholder(text)]
    ['no', 'A-', '2024']
    """
    if isinstance(value, float):
        return not math.isfinite(value)
    if not isinstance(value, str) or len(value) > _LONGEST_PLACEHOLDER:
        return False
    word = value.strip(_SIGNS_AROUND).casefold().removeprefix("1.")  # "1.#INF"
    return not word or word in _PLACEHOLDERS or _is_impossible_date(value.strip())


def says_there_is_none(value: Any) -> bool:
    """Whether a value of an infobox says that there is no such thing: no vice president."""
    return isinstance(value, str) and value.strip(_SIGNS_AROUND).casefold() == "none"


def _is_impossible_date(text: str) -> bool:
    match = _ISO_DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = (1 if part is None else int(part) for part in match.groups())
    try:
        date(year, month, day)
    except ValueError:
        return True
    return False


def known_facts(row: Row, function: Function) -> Row:
    """The row of a function with the values that are facts; prices as the decimals that they mean.

    >>> keys = (Key("title", proper_name=True), Key("budget", Type.NUMBER, unknown=(0,)))
    >>> known_facts({"title": "Unknown", "budget": 0}, Function("get_movie", "movie", (), keys))
    {'title': 'Unknown'}
    """
    keys = {key.name: key for key in function.keys}
    other_key = _other_key_of(function)
    facts: Row = {}
    for name, value in row.items():
        key = keys.get(name, other_key)
        if not isinstance(value, list):
            if _is_known(value, key):
                facts[name] = _as_meant(value)
            continue
        members = [_as_meant(member) if _is_known(member, key) else None for member in value]
        if key.type is not Type.SPAN:  # whose end may be unknown
            members = [member for member in members if member is not None]
        if any(member is not None for member in members):
            facts[name] = members
    return facts


def _other_key_of(function: Function) -> Key:
    """What a key is that a function does not list."""
    if not function.any_key:
        return _ADDED_KEY
    return _INFOBOX_KEY if function.domain is Domain.OPEN else _PROFILE_KEY


def _is_known(value: Any, key: Key) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return False
    if isinstance(value, bool):
        return key.type is not Type.NUMBER and not key.type.is_time
    if isinstance(value, str):
        is_name = key.proper_name or key.entity is not None or key.may_be_blank
        is_code = bool(key.codes) and in_words(key.codes, value) != value
        is_fact = key is _INFOBOX_KEY and says_there_is_none(value)
        return is_name or is_code or is_fact or not is_placeholder(value)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return False
    return value is not None and value not in key.unknown


def _as_meant(value: Any) -> Any:
    return meant_number(value) if isinstance(value, float) else value
