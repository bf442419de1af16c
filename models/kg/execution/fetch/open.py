"""Rows of the open domain: an entity's infobox."""

import re
from collections.abc import Iterator, Mapping
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
from models.kg.execution.fetch.wikitext import PlainText, plain
from models.kg.execution.known_facts import is_placeholder, says_there_is_none
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
_SETTING = re.compile(r"auto|(?:\d+x)?\d+ ?px", re.I)  # a value that is a setting of the page
# Keys with numbers -> the key of the list of their values.
_NUMBERED = {
    "p": "predecessor_states",
    "s": "successor_states",
    "combatant": "combatants",
    "commander": "commanders",
}
_LONGEST_LABEL = 6  # words


def facts(page: Any, name: str = "") -> Row:
    """The facts on an entity's page: the infobox keys with plain values, and its summary.

    Values that the infobox labels itself (`leader_title` "Mayor", `leader_name` "A. One") are also
    stored under their labels ("mayor").
    """
    if not isinstance(page, Mapping):
        return {}
    infobox = page.get("summary_structured")
    written = _plain_values(infobox, name) if isinstance(infobox, Mapping) else {}
    return {
        "summary_text": page.get("summary_text"),
        **dict(_numbered_lists(written)),
        **dict(_leaders(written)),
        **dict(_labelled_values(written)),
        **written,
    }


def _plain_values(infobox: Mapping[Any, Any], name: str) -> Row:
    """The keys of an infobox with their values as plain text; without settings of the page, and
    without placeholders, which would get labels."""
    title = _title_pattern(name)
    row: Row = {}
    for key, value in infobox.items():
        if isinstance(value, str):
            value = _without_title(plain(value), title)
        is_setting = isinstance(value, str) and _SETTING.fullmatch(value)
        is_fact = says_there_is_none(value) or not is_placeholder(value)
        if is_fact and not is_setting:
            row[str(key)] = value
    return row


def _without_title(text: PlainText, title: re.Pattern[str]) -> PlainText:
    if isinstance(text, list):
        return [title.sub("", line, count=1) for line in text]
    return title.sub("", text, count=1)


def _title_pattern(name: str) -> re.Pattern[str]:
    """Titles of pages with more about an entity ("Economy of Malta"), and of their sections, at the
    start of a value; the text shown for such a link follows its title."""
    core = re.escape(re.sub(r"\s*\([^()]*\)$", "", name).strip())
    if not core:
        return re.compile(r"(?!)")  # matches nothing
    return re.compile(rf"^[A-Z][\w ]* (?:of|in) (?:the )?{core} (?=[^\s,(])")


def _numbered_keys(row: Row, base: str) -> list[str]:
    """The keys `base1`, `base2` and so on that have a value, in order."""
    keys = [key for key in row if re.fullmatch(rf"{base}\d+", key) and row[key]]
    return sorted(keys, key=lambda key: int(key[len(base) :]))


def _numbered_lists(row: Row) -> Iterator[tuple[str, list[str]]]:
    """Lists spread over numbered keys: predecessor states, the sides of a battle."""
    for base, name in _NUMBERED.items():
        members = []
        keys = _numbered_keys(row, base)
        for key in keys:
            value = row[key]
            members += value if isinstance(value, list) else [value]
        if keys:
            yield name, members


def _leaders(row: Row) -> Iterator[tuple[str, PlainText]]:
    """The leaders in numbered keys: all with their years, the first and the last."""
    keys = _numbered_keys(row, "leader")
    if not keys:
        return
    yield "first_leader", str(row[keys[0]])
    yield "last_leader", str(row[keys[-1]])
    leaders = []
    for key in keys:
        years = row.get(f"year_{key}")
        leaders.append(f"{row[key]} ({years})" if years else f"{row[key]}")
    yield "leaders", leaders


def _labelled_values(row: Row) -> Iterator[tuple[str, PlainText]]:
    """The values that have a label in another key, under that label."""
    for key, label in row.items():
        for pattern, target in _LABELS.items():
            match = re.fullmatch(pattern, key)
            if match is None:
                continue
            value = row.get(match.expand(target))
            label_words = words(label) if isinstance(label, str) else []
            if value and 0 < len(label_words) <= _LONGEST_LABEL:
                yield "_".join(label_words), value


def get_open(arguments: Arguments) -> FetchSteps:
    """One row: the facts on the entity's page."""
    name = arguments.text(0)
    if name is None:
        return Fetched()
    matches = yield from search("/open/search_entity_by_name", name, str)
    if not matches.hits:
        return Fetched()
    entity = matches.hits[0]
    page = yield from ask("/open/get_entity", query=entity)
    if not isinstance(page, dict):
        return Fetched()
    return Fetched((facts(page, entity),), (entity,), readings=matches.readings)


FETCHERS: dict[str, Fetcher] = {
    "get_open": Fetcher(get_open, ("/open/search_entity_by_name", "/open/get_entity"))
}
