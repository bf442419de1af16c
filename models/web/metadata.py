"""A page's machine-readable metadata (JSON-LD and `<meta>`) as lines of text."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from models.web.decoding import repair_text

MAX_FACTS = 40
MAX_CHARS = 500  # of one fact
_MAX_JSON = 300_000  # of one script
_META = {
    "description": "Description",
    "og:description": "Description",
    "article:published_time": "Published",
    "article:modified_time": "Updated",
    "music:release_date": "Release date",
    "video:release_date": "Release date",
    "product:price:amount": "Price",
}
# schema.org properties that describe the thing itself, not the site or the markup.
_PROPERTIES = frozenset(
    """
    actor address aggregateRating albumRelease author award awayTeam birthDate birthPlace byArtist
    caption children creator datePublished deathDate description director duration employee endDate
    founder foundingDate genre headquarters height homeTeam inLanguage isbn jobTitle knowsAbout
    location lowPrice material memberOf nationality numberOfEmployees numberOfEpisodes
    numberOfPages numberOfSeasons parent performer population price priceCurrency producer
    ratingValue recordLabel releaseDate spouse startDate tickerSymbol track weight worksFor
    """.split()
)
LD_JSON = "application/ld+json"  # the type of the scripts that contain facts
_TAG = re.compile(r"<[^<>]*>")


def facts_of(scripts: Sequence[str], metas: Sequence[Mapping[str, str | None]]) -> list[str]:
    """Lines such as "Description: ..." or "Jane Doe, birthDate: 1950-01-02", without duplicates.

    Args:
        scripts: the texts of the page's JSON-LD scripts; invalid JSON is skipped.
        metas: the attributes of its `<meta>` elements.
    """
    facts = chain(_of_metas(metas), chain.from_iterable(map(_of_script, scripts)))
    return list(dict.fromkeys(facts))[:MAX_FACTS]


def _of_metas(metas: Sequence[Mapping[str, str | None]]) -> Iterator[str]:
    for meta in metas:
        label = _META.get((meta.get("name") or meta.get("property") or "").lower())
        if label and (value := _text(meta.get("content"))):
            yield f"{label}: {value}"


def _of_script(script: str) -> Iterator[str]:
    if len(script) <= _MAX_JSON:
        with suppress(ValueError, RecursionError):
            yield from _walk(json.loads(script, strict=False), 0)


def _walk(data: Any, depth: int) -> Iterator[str]:
    """The facts of a JSON-LD value, including nested things."""
    if depth > 6:
        return
    if isinstance(data, list):
        for item in data:
            yield from _walk(item, depth + 1)
    elif isinstance(data, dict):
        if data.get("@type") == "Question":
            question, answer = _text(data.get("name")), data.get("acceptedAnswer")
            reply = _text(answer.get("text")) if isinstance(answer, dict) else ""
            if question and reply:
                yield f"{question} {reply}"
            return
        name = _text(data.get("name") or data.get("headline"))
        for key, value in data.items():
            if key in _PROPERTIES and name and (said := _said(value)):
                yield f"{name}, {key}: {said}"
        for value in data.values():
            if isinstance(value, list | dict):
                yield from _walk(value, depth + 1)


def _said(value: Any) -> str:
    """A property's value as text: a text, a number, the names of things; else empty."""
    if isinstance(value, list):
        said = (_said(item) for item in value[:20] if not isinstance(item, list))
        return ", ".join(filter(None, said))[:MAX_CHARS]
    if isinstance(value, dict):
        return _text(value.get("name") or value.get("ratingValue") or value.get("value"))
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = " ".join(_TAG.sub(" ", repair_text(str(value))).split())
    return text if len(text) <= MAX_CHARS else text[:MAX_CHARS].rsplit(" ", 1)[0] + " \u2026"
