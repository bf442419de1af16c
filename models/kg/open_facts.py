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
# How English asks for what an infobox calls otherwise: a question's word -> words of the key.
_SYNONYMS = {
    "born": "birth",
    "built": "built construction",
    "city": "place location city",
    "country": "country place location",
    "created": "creator author",
    "designed": "designer architect",
    "designer": "designer designers",
    "developed": "developer",
    "died": "death",
    "founded": "founder founders founded foundation established",
    "high": "height elevation",
    "husband": "spouse",
    "invented": "inventor",
    "long": "length duration",
    "made": "manufacturer developer",
    "married": "spouse",
    "metres": "m metres meters",
    "meters": "m metres meters",
    "located": "location",
    "opened": "opened opening",
    "published": "publisher",
    "tall": "height",
    "where": "place location",
    "when": "date year",
    "wife": "spouse",
    "written": "author writer",
    "wrote": "author writer",
}
_HINTS = {"when", "where", "city", "country", "metres", "meters"}  # say more than they ask for
_KEY_FILLER = {"date", "year", "place", "name", "location", "total", "m"}


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
    hinted = {word for hint in hints for word in _SYNONYMS.get(hint, hint).split()}
    fitting = []
    for key, value in facts.items():
        key_words = set(words(key.replace("_", " "))) - FUNCTION_WORDS
        if str(value or "").strip() and _asks_for(wanted, key_words, hinted):
            fitting.append((key, bool(key_words & hinted)))
    best = [key for key, is_hinted in fitting if is_hinted] or [key for key, _ in fitting]
    return best[0] if len(best) == 1 else None


def _asks_for(wanted: set[str], key_words: set[str], hinted: set[str]) -> bool:
    meant = {word: {word, *_SYNONYMS.get(word, "").split()} & key_words for word in wanted}
    named = {part for parts in meant.values() for part in parts}
    return all(meant.values()) and not key_words - named - hinted - _KEY_FILLER


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
