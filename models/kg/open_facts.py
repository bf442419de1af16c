"""Facts of the open domain: an entity's infobox, whose keys are whatever its page had."""

import re
from typing import Any

from models.kg.linking import KIND_WORDS, Client
from models.synonyms import meanings
from utils.deadline import Deadline
from utils.text import FUNCTION_WORDS, find_run, stem, words

_MARKUP = re.compile(r"<ref.*?(?:</ref>|/>)|<[^>]*>|'{2,}|\[\[(?:[^|\]]*\|)?|\]\]", re.S)
_TEMPLATE = re.compile(r"\{\{|\}\}")
_YEARS_IN_TEMPLATE = re.compile(
    r"\{\{\s*(?:birth|start|death|release)[ _]?date"
    r"[^}]*?(\d{4})[ |]+(\d{1,2})[ |]+(\d{1,2})[^}]*\}\}",
    re.I,
)
_HINTS = {"when", "where", "city", "country", "metres", "meters"}  # say more than they ask for
_KEY_FILLER = {stem(word) for word in "date year place name location total m tip".split()}


def open_fact(text: str, client: Client, deadline: Deadline) -> tuple[str, str, str] | None:
    """(entity, key, value) where `text` names one entity and, else, only the words of one key."""
    query = " ".join(word for word in words(text) if word not in FUNCTION_WORDS)
    names = client.call("/open/search_entity_by_name", deadline=deadline, query=query) or []
    asked = words(text)
    named = [name for name in names if find_run(words(name), asked) >= 0]
    if not named:
        return None
    entity = max(named, key=lambda name: len(words(name)))
    start, length = find_run(words(entity), asked), len(words(entity))
    rest = asked[:start] + asked[start + length :]
    page = client.call("/open/get_entity", deadline=deadline, query=entity)
    facts = page.get("summary_structured") if isinstance(page, dict) else None
    key = _key_asked_for(rest, facts) if isinstance(facts, dict) else None
    if key is None or not isinstance(facts, dict):
        return None
    value = plain_value(str(facts[key]))
    return (entity, key, value) if value else None


def _key_asked_for(rest: list[str], facts: dict[str, Any]) -> str | None:
    """The one key of `facts` that `rest` asks for; None where it is not just one.

    Each word of `rest` must be one of the key or mean one, and each word of the key must be asked
    for or add little. Of several keys, those that fit a hint ("when", "where") are meant.
    """
    hints = {word for word in rest if word in _HINTS}
    wanted = set(rest) - FUNCTION_WORDS - KIND_WORDS - hints
    wanted |= set(rest) & {"date"} if not wanted else set()
    if not wanted:
        return None
    hinted = {part for hint in hints for part in meanings(stem(hint))}
    fitting = []
    for key, value in facts.items():
        label = {stem(word) for word in words(key.replace("_", " ")) if word not in FUNCTION_WORDS}
        meant = [meanings(stem(word)) & label for word in wanted]
        told = label - set().union(*meant) - hinted - _KEY_FILLER
        if str(value or "").strip() and all(meant) and not told:
            fitting.append((key, bool(label & hinted)))
    best = [key for key, is_hinted in fitting if is_hinted] or [key for key, _ in fitting]
    return best[0] if len(best) == 1 else None


def plain_value(value: str) -> str:
    """An infobox value without wiki markup, links, references and doubled commas."""
    value = _YEARS_IN_TEMPLATE.sub(
        lambda match: f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}", value
    )
    plain = _MARKUP.sub(" ", value).replace("&nbsp;", " ")
    if _TEMPLATE.search(plain):
        return ""  # another template: its meaning is not known here
    plain = re.sub(r"\s*,(?:\s*,)+", ",", " ".join(plain.split()))
    return plain.strip(" ,")
