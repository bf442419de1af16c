"""What the KG holds that a question may name: pools of values, drawn from the file it is served
from. Both the official KG and ours become such a file (mock_api/cache.py)."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from mock_api.store import Store

Drawn = dict[str, str]
Pools = Mapping[str, Sequence[Drawn]]
Draw = Callable[[Store], Iterator[Drawn]]

# Functions that take one name, and the pool that it comes from.
NAMED = {
    ("movie", "get_movie"): "movie",
    ("movie", "get_person"): "person",
    ("music", "get_person"): "artist",
    ("music", "get_song"): "song",
    ("music", "get_grammy_person"): "artist",
    ("music", "get_grammy_song"): "song",
    ("finance", "get_stock_pe_ratio"): "company",
    ("finance", "get_stock_market_cap"): "company",
    ("finance", "get_stock_eps"): "company",
    ("finance", "get_company"): "company",
    ("sports", "get_soccer_last_game"): "team",
    ("sports", "get_soccer_next_game"): "team",
}
WORDS = Path(__file__).with_name("english.toml")


@cache
def _words(kind: str) -> dict[str, str]:
    """What questions call the values of one kind: a column of games, an Oscar category."""
    found: dict[str, str] = tomllib.loads(WORDS.read_text(encoding="utf-8"))["words"][kind]
    return found


def pools(store: Store) -> dict[str, list[Drawn]]:
    """Every pool by its name: what one draw from it puts into the places of a question.

    Names are written small, as those who ask write them; the KG's search does not mind.
    """
    made = {name: _unique(make(store)) for name, make in _POOLS.items()}
    return {name: pool for name, pool in made.items() if pool}


def _rows(sql: str, *places: str, lower: bool = False) -> Draw:
    """The rows of a query: their columns fill `places`, the first in lower case if `lower`."""

    def draw(store: Store) -> Iterator[Drawn]:
        for row in store.rows(sql):
            values = [str(value) for value in row if value is not None]
            if len(values) == len(places) and values[0].strip():
                first = _small(values[0]) if lower else values[0]
                yield dict(zip(places, [first, *values[1:]], strict=True))

    return draw


def _each(make: Draw, kind: str, place: str, word: str = "asked") -> Draw:
    """The draws of `make`, each with every value of `kind` at `place`, and what it is called."""

    def draw(store: Store) -> Iterator[Drawn]:
        for drawn in make(store):
            for value, said in _words(kind).items():
                yield {**drawn, place: value, word: said}

    return draw


def _names(table: str, place: str, key: str) -> Draw:
    """The names that the records of `table` have under `key`."""

    def draw(store: Store) -> Iterator[Drawn]:
        for (value,) in store.rows(f"SELECT value FROM {table}"):
            name = json.loads(value).get(key)
            if isinstance(name, str) and name.strip():
                yield {place: _small(name)}

    return draw


def _roles(store: Store) -> Iterator[Drawn]:
    for film in _films(store):
        for member in (film.get("cast") or [])[:4]:
            if member.get("character") and film.get("title"):
                yield {"movie": _small(film["title"]), "person": _small(member["name"])}


def _actors(store: Store) -> Iterator[Drawn]:
    for film in _films(store):
        yield from ({"person": _small(m["name"])} for m in (film.get("cast") or [])[:4])


def _directors(store: Store) -> Iterator[Drawn]:
    for film in _films(store):
        for member in film.get("crew") or []:
            if member.get("job") == "Director":
                yield {"person": _small(member["name"])}


def _director_years(store: Store) -> Iterator[Drawn]:
    """Directors, each with the years of their films."""
    for film in _films(store):
        year = str(film.get("release_date") or "")[:4]
        for member in film.get("crew") or []:
            if member.get("job") == "Director" and year.isdigit():
                yield {"person": _small(member["name"]), "year": year}


def _film_years(store: Store) -> Iterator[Drawn]:
    for year, value in store.rows("SELECT year, value FROM years"):
        if json.loads(value).get("movie_list"):
            yield {"year": str(year)}


def _oscars(store: Store) -> Iterator[Drawn]:
    for (value,) in store.rows("SELECT value FROM years"):
        for award in json.loads(value).get("oscar_awards") or []:
            category = _words("categories").get(str(award.get("category")))
            if category:
                yield {"year": str(award["year_ceremony"]), "category": category}


def _companies(store: Store) -> Iterator[Drawn]:
    """Companies by what people call them: without the name of the share, and by ticker."""
    for name, ticker in store.rows("SELECT name, ticker FROM companies"):
        plain = str(name).split(" Common Stock")[0].split(" Class ")[0]
        for ending in (" Inc.", " Corporation", " Ltd.", " Company", " plc", ","):
            plain = plain.removesuffix(ending)
        yield {"company": _small(plain)}
        yield {"company": str(ticker).lower()}


def _prices(store: Store) -> Iterator[Drawn]:
    for drawn, days in _of_companies(store, "price_history"):
        for day, row in days.items():
            for name, column in _words("prices").items():
                if isinstance(row, dict) and row.get(name) is not None:
                    yield {**drawn, "day": day[:10], "column": column}


def _detailed(store: Store) -> Iterator[Drawn]:
    for drawn, minutes in _of_companies(store, "detailed_price_history"):
        yield from ({**drawn, "day": minute[:10]} for minute in minutes)


def _info(store: Store) -> Iterator[Drawn]:
    """What a company's record says in a word or a number: "fullTimeEmployees", "city"."""
    for drawn, record in _of_companies(store, "info"):
        for key, value in record.items():
            if isinstance(value, str | int | float) and key.isidentifier():
                label = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower()
                yield {**drawn, "key": key, "label": label}


def _yesterday(make: Draw) -> Draw:
    """The draws of `make`, asked on the day after theirs."""

    def draw(store: Store) -> Iterator[Drawn]:
        for drawn in make(store):
            asked = date.fromisoformat(drawn["day"]) + timedelta(days=1)
            yield {**drawn, "query_time": f"{asked:%m/%d/%Y}, 12:00:00 PT"}

    return draw


def _paying(store: Store) -> Iterator[Drawn]:
    """Companies whose dividends are known."""
    yield from (drawn for drawn, _ in _of_companies(store, "dividends_history"))


def _of_companies(store: Store, kind: str) -> Iterator[tuple[Drawn, dict[str, Any]]]:
    names = {str(t): n for n, t in store.rows("SELECT name, ticker FROM companies")}
    for ticker, value in store.rows("SELECT ticker, value FROM finance WHERE kind = ?", kind):
        days = json.loads(value)
        if ticker in names and isinstance(days, dict) and days:
            yield {"company": str(ticker).lower()}, days
            yield {"company": _small(str(names[ticker]).split(" ")[0])}, days


def _series(store: Store) -> Iterator[Drawn]:
    """First words of titles that several films share."""
    begins: dict[str, int] = {}
    for film in _films(store):
        words = _small(str(film.get("title"))).split()
        name = " ".join(words[:2]).rstrip(":")
        begins[name] = begins.get(name, 0) + (len(words) > 1)
    yield from ({"name": name} for name, count in begins.items() if count > 1)


def _open(store: Store) -> Iterator[Drawn]:
    """Each thing with each key that its record has."""
    for name, value in store.rows("SELECT name, value FROM open"):
        record = json.loads(value).get("summary_structured")
        for key in record if isinstance(record, dict) else ():
            if key != "name" and key.isidentifier() and key.islower():
                yield {"name": _small(name), "key": key, "label": key.replace("_", " ")}


def _films(store: Store) -> Iterator[dict[str, Any]]:
    for (value,) in store.rows("SELECT value FROM movies"):
        film = json.loads(value)
        if isinstance(film, dict):
            yield film


def _small(name: str) -> str:
    return " ".join(name.lower().split())


def _unique(drawn: Iterator[Drawn]) -> list[Drawn]:
    """Each once, in a fixed order, so that a seed draws the same again."""
    found = {tuple(sorted(one.items())): one for one in drawn}
    return [found[key] for key in sorted(found)]


_PLAYED = " WHERE game_id IN (SELECT game_id FROM nba_plays)"
_NBA = (
    "SELECT team_name_home, substr(game_date, 1, 10) FROM nba_games{0} UNION"
    " SELECT team_name_away, substr(game_date, 1, 10) FROM nba_games{0}"
)
_SOCCER = _each(
    _rows("SELECT DISTINCT team, substr(date, 1, 10) FROM soccer", "team", "day", lower=True),
    "soccer",
    "column",
)
_POOLS: dict[str, Draw] = {
    "movie": _names("movies", "movie", "title"),
    "person": _names("persons", "person", "name"),
    "artist": _rows("SELECT name FROM artists", "artist", lower=True),
    "song": _rows("SELECT name FROM songs", "song", lower=True),
    "company": _companies,
    "team": _rows("SELECT DISTINCT team FROM soccer", "team", lower=True),
    "role": _roles,
    "actor": _actors,
    "director": _directors,
    "director_year": _director_years,
    "film_year": _film_years,
    "oscar": _oscars,
    "grammy_year": _rows("SELECT DISTINCT year FROM grammy", "year"),
    "billboard": _each(
        _rows("SELECT DISTINCT rank, date FROM billboard_ranks", "rank", "day"), "chart", "part"
    ),
    # names as the chart writes them: the API finds no others
    "billboard_song": _rows("SELECT song, date FROM billboard_songs", "song", "day"),
    "price": _prices,
    "price_yesterday": _yesterday(_prices),
    "detailed": _detailed,
    "info": _info,
    "dividends": _each(_paying, "reduced", "reduce", "word"),
    "dividends_latest": _each(_paying, "dividends", "part"),
    "soccer": _SOCCER,
    "soccer_yesterday": _yesterday(_SOCCER),
    "nba": _each(_rows(_NBA.format(""), "team", "day", lower=True), "nba", "column"),
    "plays": _rows(_NBA.format(_PLAYED), "team", "day", lower=True),
    "series": _series,
    "artist_works": _rows("SELECT artist FROM works", "artist", lower=True),
    "open": _open,
}
