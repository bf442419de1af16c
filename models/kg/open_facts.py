"""Facts of the open domain: an entity's infobox, whose keys are whatever its page had."""

import re
from typing import Any

from models.kg.linking import KIND_WORDS, Client
from utils.deadline import Deadline
from utils.text import FUNCTION_WORDS, find_run, words

_MARKUP = re.compile(r"<ref.*?(?:</ref>|/>)|<[^>]*>|'{2,}|\[\[(?:[^|\]]*\|)?|\]\]", re.S)
_TEMPLATE = re.compile(r"\{\{|\}\}")
_YEARS_IN_TEMPLATE = re.compile(
    r"\{\{\s*(?:birth|start|death|release)[ _]?date"
    r"[^}]*?(\d{4})[ |]+(\d{1,2})[ |]+(\d{1,2})[^}]*\}\}",
    re.I,
)
# How English asks for what an infobox calls otherwise: question words -> words of the key.
_SYNONYMS = {
    "born": ("birth",),
    "died": ("death",),
    "designed": ("designer",),
    "developed": ("developer",),
    "founded": ("founder", "foundation", "founded"),
    "invented": ("inventor",),
    "language": ("language", "languages"),
    "published": ("publisher",),
    "located": ("location",),
    "built": ("built", "construction"),
}
_DATE_KEYS = {"date", "year", "day"}
_PLACE_KEYS = {"place", "location"}


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
    """The one key of `facts` whose words `rest` asks for; None where it is not just one."""
    wanted = set(rest) - FUNCTION_WORDS - KIND_WORDS
    if not wanted:
        return None
    hint = _DATE_KEYS if "when" in rest else _PLACE_KEYS if "where" in rest else set()
    fitting = []
    for key, value in facts.items():
        if not str(value or "").strip():
            continue
        key_words = set(words(key.replace("_", " "))) - FUNCTION_WORDS
        asked = {
            word
            for word in wanted
            if word in key_words or key_words & set(_SYNONYMS.get(word, ()))
        }
        named = {part for word in asked for part in (word, *_SYNONYMS.get(word, ()))}
        if asked == wanted and not key_words - named - hint and (not hint or key_words & hint):
            fitting.append(key)
    if not fitting and hint:
        return _key_asked_for([word for word in rest if word not in ("when", "where")], facts)
    return fitting[0] if len(fitting) == 1 else None


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
