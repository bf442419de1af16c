"""The names of months and weekdays, with their abbreviations, in lower case.

Everything that reads them reads these tables: `sept` is a month wherever `sep` is.
"""

from collections.abc import Mapping, Sequence

_MONTHS: Mapping[str, Sequence[str]] = {
    "january": ("jan",),
    "february": ("feb",),
    "march": ("mar",),
    "april": ("apr",),
    "may": (),
    "june": ("jun",),
    "july": ("jul",),
    "august": ("aug",),
    "september": ("sep", "sept"),
    "october": ("oct",),
    "november": ("nov",),
    "december": ("dec",),
}
_WEEKDAYS: Mapping[str, Sequence[str]] = {
    "monday": ("mon",),
    "tuesday": ("tue", "tues"),
    "wednesday": ("wed", "weds"),
    "thursday": ("thu", "thur", "thurs"),
    "friday": ("fri",),
    "saturday": ("sat",),
    "sunday": ("sun",),
}


def _positions(table: Mapping[str, Sequence[str]], start: int) -> dict[str, int]:
    """Each name and abbreviation with the position of its row, counted from `start`."""
    positions: dict[str, int] = {}
    for position, (name, abbreviations) in enumerate(table.items(), start):
        positions.update(dict.fromkeys((name, *abbreviations), position))
    return positions


def _full_names(*tables: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The full name of each abbreviation."""
    names: dict[str, str] = {}
    for table in tables:
        for name, abbreviations in table.items():
            names.update(dict.fromkeys(abbreviations, name))
    return names


MONTH_NAMES: Sequence[str] = tuple(_MONTHS)
MONTH_ABBREVIATIONS: Sequence[str] = tuple(_full_names(_MONTHS))
MONTHS: Mapping[str, int] = _positions(_MONTHS, 1)  # "sept" is 9
WEEKDAY_NAMES: Sequence[str] = tuple(_WEEKDAYS)
WEEKDAYS: Mapping[str, int] = _positions(_WEEKDAYS, 0)  # "mon" is 0, as in datetime
FULL_CALENDAR_NAMES: Mapping[str, str] = _full_names(_MONTHS, _WEEKDAYS)
