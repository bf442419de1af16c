"""Rows of the open domain: an entity's infobox."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from models.kg.execution.fetch.protocol import (
    Arguments,
    Fetched,
    Fetcher,
    FetchSteps,
    Row,
    ask,
    search,
)
from models.kg.execution.fetch.wikitext import Value, plain
from utils.text import words

# Keys whose value is the label of another key's value -> that key; \1 and \2 stand for the groups.
_LABELS = {
    r"leader_title(\d*)": r"leader_name\1",
    r"established_(?:title|event)(\d*)": r"established_date\1",
    r"subdivision_type(\d*)": r"subdivision_name\1",
    r"blank(\d*)_name(_sec\d)?": r"blank\1_info\2",
    r"demographics(\d*)_title(\d*)": r"demographics\1_info\2",
    r"stat(\d+)label": r"stat\1value",
    r"free_label(\d*)": r"free\1",
    r"event(\d+)": r"date_event\1",
    r"event_(start|end)": r"year_\1",
    r"seat(\d*)_type": r"seat\1",
    r"(parts|languages|membership|admin_center|symbol)_type": r"\1",
    r"award(\d+)_type": r"award\1_winner",
    r"label(\d+)": r"data\1",
}
_SETTING = re.compile(r"auto|n/?a|(?:\d+x)?\d+ ?px", re.I)
_NUMBERED = {"p": "predecessor_states", "s": "successor_states", "combatant": "combatants",
             "commander": "commanders"}  # fmt: skip
_LONGEST_LABEL = 6  # words


def facts(page: Any, name: str = "") -> Row:
    """The facts on an entity's page: the infobox keys with plain values, and its summary.

    Values that the infobox labels itself (`leader_title` "Mayor", `leader_name` "A. One") are also
    stored under their labels ("mayor").
    """
    if not isinstance(page, Mapping):
        return {}
    box = page.get("summary_structured")
    title = _title_of(name)
    known: Row = {}
    for key, value in box.items() if isinstance(box, Mapping) else ():
        if isinstance(value, str):
            read = plain(value)
            if isinstance(read, list):
                value = [title.sub("", line, count=1) for line in read]
            else:
                value = title.sub("", read, count=1)
        if not (isinstance(value, str) and _SETTING.fullmatch(value)):
            known[str(key)] = value
    listed = {**dict(_listed(known)), **dict(_leaders(known))}
    return {"summary_text": page.get("summary_text"), **listed, **dict(_labelled(known)), **known}


def _title_of(name: str) -> re.Pattern[str]:
    """Titles of pages with more about an entity ("Economy of Malta"), and of their sections, at the
    start of a value; the text shown for such a link follows its title."""
    core = re.escape(re.sub(r"\s*\([^()]*\)$", "", name).strip())
    return re.compile(rf"^[A-Z][\w ]* (?:of|in) (?:the )?{core} (?=[^\s,(])" if core else r"(?!)")


def _numbered(known: Row, base: str) -> list[str]:
    """The keys `base1`, `base2` and so on that have a value, in order."""
    keys = [key for key in known if re.fullmatch(rf"{base}\d+", key) and known[key]]
    return sorted(keys, key=lambda key: int(key[len(base) :]))


def _listed(known: Row) -> Iterator[tuple[str, list[str]]]:
    """Lists spread over numbered keys: predecessor states, the sides of a battle."""
    for base, name in _NUMBERED.items():
        several = [known[key] for key in _numbered(known, base)]
        if several:
            members = (each if isinstance(each, list) else [each] for each in several)
            yield name, list(chain.from_iterable(members))


def _leaders(known: Row) -> Iterator[tuple[str, Value]]:
    """The leaders in numbered keys: all with their years, the first and the last."""
    keys = _numbered(known, "leader")
    if keys:
        yield "first_leader", str(known[keys[0]])
        yield "last_leader", str(known[keys[-1]])
        years = [f" ({known[f'year_{key}']})" if known.get(f"year_{key}") else "" for key in keys]
        yield "leaders", [f"{known[k]}{year}" for k, year in zip(keys, years, strict=True)]


def _labelled(known: Row) -> Iterator[tuple[str, Value]]:
    for key, label in known.items():
        for pattern, target in _LABELS.items():
            match = re.fullmatch(pattern, key)
            value = known.get(match.expand(target)) if match else None
            name = words(label) if isinstance(label, str) else []
            if value and 0 < len(name) <= _LONGEST_LABEL:
                yield "_".join(name), value


def get_open(arguments: Arguments) -> FetchSteps:
    """One row: the facts on the entity's page."""
    name = arguments.text(0)
    if name is None:
        return Fetched()
    names = yield from search("/open/search_entity_by_name", name, str)
    page = (yield from ask("/open/get_entity", query=names[0])) if names else None
    return Fetched((facts(page, names[0]),), (names[0],)) if isinstance(page, dict) else Fetched()


FETCHERS: dict[str, Fetcher] = {
    "get_open": Fetcher(get_open, ("/open/search_entity_by_name", "/open/get_entity"))
}
