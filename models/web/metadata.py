"""A page's machine-readable metadata (JSON-LD and `<meta>`) as lines of text."""

import html as html_entities
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from models.web.decoding import MAX_JSON, repair_text

MAX_FACTS = 40  # of a page
MAX_CHARS = 500  # of one fact
_MAX_DEPTH = 6  # of nested things
_MAX_ITEMS = 20  # of one property
_UPDATED = "Updated"
_PUBLISHED = "Published"
_META = {
    "description": "Description",
    "og:description": "Description",
    "article:published_time": _PUBLISHED,
    "article:modified_time": _UPDATED,
    "music:release_date": "Release date",
    "video:release_date": "Release date",
    "product:price:amount": "Price",
}
# schema.org properties that describe the thing itself, not the site or the markup.
_PROPERTIES = frozenset(
    """
    actor address aggregateRating albumRelease author award awayTeam birthDate birthPlace byArtist
    caption children creator datePublished deathDate description director duration employee endDate
    founder foundingDate genre headquarters height homeTeam isbn jobTitle knowsAbout
    location lowPrice material memberOf nationality numberOfEmployees numberOfEpisodes
    numberOfPages numberOfSeasons parent performer population price priceCurrency producer
    ratingValue recordLabel releaseDate spouse startDate tickerSymbol track weight worksFor
    """.split()
)
# Of these types, whose subject is the page, only what it says of other things counts.
_PAGES = frozenset(
    "Article NewsArticle BlogPosting ReportageNewsArticle WebPage ItemPage ProfilePage WebSite"
    " CollectionPage ImageObject BreadcrumbList SiteNavigationElement".split()
)
_OF_A_PAGE = frozenset("author caption creator datePublished height parent".split())
_DATES_OF_A_PAGE = {"dateModified": _UPDATED, "datePublished": _PUBLISHED}
_WITH_DATE = frozenset("Article NewsArticle BlogPosting ReportageNewsArticle WebPage".split())
_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
_DATE = re.compile(rf"(?P<label>{_UPDATED}|{_PUBLISHED}): (?P<day>{_DAY.pattern})")
LD_JSON = "application/ld+json"  # the type of the scripts that contain facts
_TAG = re.compile(r"<[^<>]*>")
# What surrounds JSON in a script that must also be valid XML, and commas that JavaScript allows.
_WRAPPER = re.compile(r"(?:/\*|//)?[ \t]{0,9}(?:<!\[CDATA\[|\]\]>)|<!--|-->")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_VALUE = re.compile(r"[{[]")  # where an object or a list begins
_DECODER = json.JSONDecoder(strict=False)


def facts_of(scripts: Sequence[str], metas: Sequence[Mapping[str, str | None]]) -> list[str]:
    """Lines such as "Description: ..." or "Jane Doe, birthDate: 1950-01-02", without duplicates.

    Args:
        scripts: the texts of the page's JSON-LD scripts; invalid JSON is skipped.
        metas: the attributes of its `<meta>` elements.
    """
    script_facts = chain.from_iterable(map(_facts_of_script, scripts))
    facts = dict.fromkeys(chain(_facts_of_metas(metas), script_facts))
    return list(facts)[:MAX_FACTS]


def date_apart(facts: Sequence[str]) -> tuple[str, list[str]]:
    """The day on which a page was last changed, or else published; empty if no fact says it, or
    facts name several days, of which each is another article's. And the other facts.

    >>> date_apart(["Published: 2024-03-01T08:00", "Description: Two towers."])
    ('2024-03-01', ['Description: Two towers.'])
    """
    days: dict[str, set[str]] = {_UPDATED: set(), _PUBLISHED: set()}
    others: list[str] = []
    for fact in facts:
        date = _DATE.match(fact)
        if date is None:
            others.append(fact)
        else:
            days[date["label"]].add(date["day"])
    single = [day for found in days.values() if len(found) == 1 for day in found]
    return next(iter(single), ""), others


def _facts_of_metas(metas: Sequence[Mapping[str, str | None]]) -> Iterator[str]:
    for meta in metas:
        name = meta.get("name") or meta.get("property") or ""
        label = _META.get(name.lower())
        content = _one_line(meta.get("content"))
        if label and content:
            yield f"{label}: {content}"


def _facts_of_script(script: str) -> Iterator[str]:
    if len(script) > MAX_JSON:
        return
    with suppress(ValueError, RecursionError):
        for value in _json_in(script):
            yield from _facts_of_json(value, 0)


def _json_in(script: str) -> Iterator[Any]:
    """The JSON values of a script, which may be wrapped in marks of XML or have trailing commas.

    Raises:
        ValueError: what begins a value is not JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        yield json.loads(script, strict=False)
    except ValueError:
        bare = _WRAPPER.sub("", script)
        if "&quot;" in bare and '"' not in bare:
            bare = html_entities.unescape(bare)
        bare = _TRAILING_COMMA.sub("", bare)
        begin = _VALUE.search(bare)
        while begin is not None:
            value, end = _DECODER.raw_decode(bare, begin.start())
            yield value
            begin = _VALUE.search(bare, end)


def _facts_of_json(data: Any, depth: int) -> Iterator[str]:
    """The facts of a JSON-LD value, including nested things."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(data, list):
        for item in data:
            yield from _facts_of_json(item, depth + 1)
    elif isinstance(data, dict) and data.get("@type") == "Question":
        yield from _question_and_answer(data)
    elif isinstance(data, dict):
        yield from _properties(data)
        for value in data.values():
            if isinstance(value, list | dict):
                yield from _facts_of_json(value, depth + 1)


def _question_and_answer(data: Mapping[str, Any]) -> Iterator[str]:
    """The question of an FAQ page with its answer, if it has both."""
    question = _one_line(data.get("name"))
    answer = data.get("acceptedAnswer")
    answer_text = _one_line(answer.get("text")) if isinstance(answer, dict) else ""
    if question and answer_text:
        yield f"{question} {answer_text}"


def _properties(thing: Mapping[str, Any]) -> Iterator[str]:
    """A fact for each known property of a thing that has a name."""
    name = _one_line(thing.get("name") or thing.get("headline"))
    if not name:
        return
    kinds = thing.get("@type")
    kinds = set(map(str, kinds if isinstance(kinds, list) else [kinds]))
    is_page = not _PAGES.isdisjoint(kinds)
    is_dated = not _WITH_DATE.isdisjoint(kinds)
    for key, value in thing.items():
        if is_dated and key in _DATES_OF_A_PAGE and _DAY.match(_one_line(value)):
            yield f"{_DATES_OF_A_PAGE[key]}: {_one_line(value)}"
        elif key in _PROPERTIES and not (is_page and key in _OF_A_PAGE):
            text = _property_text(value)
            if text:
                yield f"{name}, {key}: {text}"


def _property_text(value: Any) -> str:
    """A property's value as text: a text, a number, the names of things; else empty."""
    if isinstance(value, list):
        items = [item for item in value[:_MAX_ITEMS] if not isinstance(item, list)]
        return ", ".join(filter(None, map(_property_text, items)))[:MAX_CHARS]
    if isinstance(value, dict):
        return _one_line(value.get("name") or value.get("ratingValue") or value.get("value"))
    return _one_line(value)


def _one_line(value: Any) -> str:
    """A text or number as one line without markup, shortened to `MAX_CHARS`; else empty."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = " ".join(_TAG.sub(" ", repair_text(str(value))).split())
    if len(text) <= MAX_CHARS:
        return text
    return text[:MAX_CHARS].rsplit(" ", 1)[0] + " \u2026"
