"""From the words of a question to the one thing in the KG that they name."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from models.kg.dates import find_day
from utils.deadline import Deadline
from utils.text import FUNCTION_WORDS, find_run, words

# Words that say what kind of thing is named, or that the present is meant: they need no further
# explanation.
KIND_WORDS = frozenset(
    """
    actor actress album animated artist band business club company corporation current currently
    director entity film filmmaker firm game group league match motion movie musician name named nba
    now person picture renowned right season show singer soccer song star stock songs team ticker
    title titled track
    """.split()
)


class Client(Protocol):
    """The one method of `utils.crag_api.CragClient` that look-ups need."""

    def call(self, endpoint: str, /, *, deadline: Deadline, **params: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as look-ups see it: its words less the cue of an attribute, and its time."""

    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Linked:
    """A thing of the KG: its name there, what is known of it so far, its place in the question."""

    name: str
    record: Any


Linker = Callable[[Asked, Client, Deadline], list[Linked]]


def _named(candidates: Sequence[tuple[str, Any]], text: str) -> list[Linked]:
    """The candidates whose names explain every word of `text` that needs explaining.

    A name must stand in `text` word for word. Of several the longest wins; equal ones all stay.
    """
    asked = words(text)
    found: list[tuple[int, Linked]] = []
    for name, record in candidates:
        run = words(name)
        start = find_run(run, asked)
        if start < 0 or not set(run) - FUNCTION_WORDS - KIND_WORDS:
            continue
        rest = asked[:start] + asked[start + len(run) :]
        if not set(rest) - FUNCTION_WORDS - KIND_WORDS:
            found.append((len(run), Linked(name, record)))
    longest = max((length for length, _ in found), default=0)
    return [linked for length, linked in found if length == longest]


def _mention(text: str) -> str:
    return " ".join(word for word in words(text) if word not in FUNCTION_WORDS | KIND_WORDS)


def _searcher(endpoint: str, name_of: Callable[[Any], str]) -> Linker:
    def link(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
        hits: list[Any] = []
        for query in dict.fromkeys((_mention(asked.text), " ".join(words(asked.text)))):
            hits += (client.call(endpoint, deadline=deadline, query=query) or []) if query else []
        named = _named([(name_of(hit), hit) for hit in hits if name_of(hit)], asked.text)
        return [linked for index, linked in enumerate(named) if linked not in named[:index]]

    return link


def _text_field(key: str) -> Callable[[Any], str]:
    return lambda hit: str(hit.get(key) or "") if isinstance(hit, dict) else ""


link_movie = _searcher("/movie/get_movie_info", _text_field("title"))
link_person = _searcher("/movie/get_person_info", _text_field("name"))
link_artist = _searcher("/music/search_artist_entity_by_name", str)
link_song = _searcher("/music/search_song_entity_by_name", str)
link_entity = _searcher("/open/search_entity_by_name", str)

_CEREMONY_WORDS = frozenset(
    "annual award awards ceremony grammy grammys grammies win won year".split()
)

_COMPANY_FORMS = frozenset(
    """
    ab adr ads ag american and class co common company corp corporation cv depositary each
    holding holdings inc incorporated limited llc lp ltd nv ordinary plc representing sa se share
    shares stock the trust a b c
    """.split()
)


def link_company(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """The company that a name or a ticker in `asked` means; `Linked.name` is its ticker."""
    hits = client.call("/finance/get_company_name", deadline=deadline, query=_mention(asked.text))
    cores = [(_core(str(hit)), str(hit)) for hit in hits or []]
    named = _named(cores, asked.text)
    tickers = [
        client.call("/finance/get_ticker_by_name", deadline=deadline, query=linked.record)
        for linked in named
    ]
    found = {str(ticker): linked for ticker, linked in zip(tickers, named, strict=True) if ticker}
    if found:
        return [Linked(ticker, linked.record) for ticker, linked in found.items()]
    symbols = [word for word in words(asked.text) if word not in FUNCTION_WORDS | KIND_WORDS]
    if len(symbols) == 1 and symbols[0].isascii() and len(symbols[0]) <= 5:
        return [Linked(symbols[0].upper(), None)]
    return []


def _core(company: str) -> str:
    """The name of a company less its legal form and kind of share."""
    kept = words(company)
    while len(kept) > 1 and kept[-1] in _COMPANY_FORMS:
        kept.pop()
    return " ".join(kept)


def link_year(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """The one year that `asked` names; its record is the year as a number."""
    asked_words = words(asked.text)
    years = [word for word in asked_words if re.fullmatch(r"(?:19|20)\d\d", word)]
    rest = set(asked_words) - set(years) - FUNCTION_WORDS - KIND_WORDS - _CEREMONY_WORDS
    return [Linked(years[0], int(years[0]))] if len(years) == 1 and not rest else []


def link_trading_day(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """A company's prices on the one day that `asked` names."""
    when = find_day(asked.text, asked.at.date()) if asked.at else None
    if when is None:
        return []
    rest = Asked(asked.text[: when.start] + " " + asked.text[when.end :], asked.at)
    days = []
    for company in link_company(rest, client, deadline):
        history = client.call("/finance/get_price_history", deadline=deadline, query=company.name)
        by_day = {date.fromisoformat(key[:10]): value for key, value in (history or {}).items()}
        day = when.pick(by_day)
        if day:
            days.append(Linked(f"{company.name} on {day}", by_day[day]))
    return days
