"""What the KG holds that a question may name: pools of values, drawn from the file it is served
from. Both the official KG and ours become such a file (mock_api/cache.py)."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from mock_api.store import Store

Drawn = dict[str, str]
Pools = Mapping[str, Sequence[Drawn]]

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
_CATEGORIES = {
    "ACTOR IN A LEADING ROLE": "best actor",
    "ACTRESS IN A LEADING ROLE": "best actress",
    "ACTOR IN A SUPPORTING ROLE": "best supporting actor",
    "ACTRESS IN A SUPPORTING ROLE": "best supporting actress",
    "DIRECTING": "best director",
}
_COLUMNS = {"Open": "open", "High": "high", "Low": "low", "Close": "close"}
_REDUCED = {"MAX": "highest", "MIN": "lowest", "AVG": "average"}
_CHART = {"song": "which song was", "artist": "whose song was"}
_PARTS = {"date": "when was", "value": "how much was"}
_SOCCER = {
    "goals": "how many goals were scored by",
    "opponent_goals": "how many goals were conceded by",
    "opponent": "who was the opponent of",
    "venue": "what was the venue of",
    "result": "what was the result of",
    "Captain": "who was the captain of",
}
_NBA = {
    "points": "how many points were scored by",
    "opponent_points": "how many points were conceded by",
    "opponent": "who was the opponent of",
    "venue": "what was the venue of the game of",
    "result": "what was the result of the game of",
    "reb": "how many rebounds had",
}


def pools(store: Store) -> dict[str, list[Drawn]]:
    """Every pool by its name: what one draw from it puts into the places of a question.

    Names are written small, as those who ask write them; the KG's search does not mind.
    """
    made = {name: _unique(make(store)) for name, make in _POOLS.items()}
    return {name: pool for name, pool in made.items() if pool}


def _names(sql: str, place: str, key: str | None = None) -> Callable[[Store], Iterator[Drawn]]:
    def draw(store: Store) -> Iterator[Drawn]:
        for (value,) in store.rows(sql):
            name = value if key is None else json.loads(value).get(key)
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
            category = _CATEGORIES.get(str(award.get("category")))
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
            for name, column in _COLUMNS.items():
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


def _yesterday(make: Callable[[Store], Iterator[Drawn]]) -> Callable[[Store], Iterator[Drawn]]:
    """The draws of `make`, asked on the day after theirs."""

    def draw(store: Store) -> Iterator[Drawn]:
        for drawn in make(store):
            asked = date.fromisoformat(drawn["day"]) + timedelta(days=1)
            yield {**drawn, "query_time": f"{asked:%m/%d/%Y}, 12:00:00 PT"}

    return draw


def _dividends(store: Store) -> Iterator[Drawn]:
    for drawn, _ in _of_companies(store, "dividends_history"):
        yield from ({**drawn, "reduce": kind, "word": word} for kind, word in _REDUCED.items())


def _latest(store: Store) -> Iterator[Drawn]:
    for drawn, _ in _of_companies(store, "dividends_history"):
        yield from ({**drawn, "part": part, "asked": asked} for part, asked in _PARTS.items())


def _of_companies(store: Store, kind: str) -> Iterator[tuple[Drawn, dict[str, Any]]]:
    names = {str(t): n for n, t in store.rows("SELECT name, ticker FROM companies")}
    for ticker, value in store.rows("SELECT ticker, value FROM finance WHERE kind = ?", kind):
        days = json.loads(value)
        if ticker in names and isinstance(days, dict) and days:
            yield {"company": str(ticker).lower()}, days
            yield {"company": _small(str(names[ticker]).split(" ")[0])}, days


def _soccer(store: Store) -> Iterator[Drawn]:
    rows = store.rows("SELECT DISTINCT team, date FROM soccer")
    yield from _games(rows, _SOCCER)


def _nba(store: Store) -> Iterator[Drawn]:
    for side in ("home", "away"):
        rows = store.rows(f"SELECT DISTINCT team_name_{side}, game_date FROM nba_games")
        yield from _games(rows, _NBA)


def _games(rows: Sequence[tuple[Any, ...]], columns: Mapping[str, str]) -> Iterator[Drawn]:
    for team, day in rows:
        for column, asked in columns.items():
            yield {
                "team": _small(str(team)),
                "day": str(day)[:10],
                "column": column,
                "asked": asked,
            }


def _plays(store: Store) -> Iterator[Drawn]:
    """The games of which the plays are known."""
    for side in ("home", "away"):
        sql = (
            f"SELECT DISTINCT team_name_{side}, game_date FROM nba_games"
            " WHERE game_id IN (SELECT game_id FROM nba_plays)"
        )
        for team, day in store.rows(sql):
            yield {"team": _small(str(team)), "day": str(day)[:10]}


def _billboard(store: Store) -> Iterator[Drawn]:
    for rank, day in store.rows("SELECT DISTINCT rank, date FROM billboard_ranks"):
        for part, asked in _CHART.items():
            yield {"rank": str(rank), "day": str(day), "part": part, "asked": asked}


def _billboard_songs(store: Store) -> Iterator[Drawn]:
    """Names as the chart writes them: the API finds no others."""
    for song, day in store.rows("SELECT song, date FROM billboard_songs"):
        yield {"song": str(song), "day": str(day)}


def _grammys(store: Store) -> Iterator[Drawn]:
    for (year,) in store.rows("SELECT DISTINCT year FROM grammy"):
        yield {"year": str(year)}


def _series(store: Store) -> Iterator[Drawn]:
    """First words of titles that several films share."""
    begins: dict[str, int] = {}
    for film in _films(store):
        words = _small(str(film.get("title"))).split()
        name = " ".join(words[:2]).rstrip(":")
        begins[name] = begins.get(name, 0) + (len(words) > 1)
    yield from ({"name": name} for name, count in begins.items() if count > 1)


def _artist_works(store: Store) -> Iterator[Drawn]:
    for (artist,) in store.rows("SELECT artist FROM works"):
        yield {"artist": _small(str(artist))}


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


_POOLS: dict[str, Callable[[Store], Iterator[Drawn]]] = {
    "movie": _names("SELECT value FROM movies", "movie", "title"),
    "person": _names("SELECT value FROM persons", "person", "name"),
    "artist": _names("SELECT name FROM artists", "artist"),
    "song": _names("SELECT name FROM songs", "song"),
    "company": _companies,
    "team": _names("SELECT DISTINCT team FROM soccer", "team"),
    "role": _roles,
    "actor": _actors,
    "director": _directors,
    "director_year": _director_years,
    "film_year": _film_years,
    "oscar": _oscars,
    "grammy_year": _grammys,
    "billboard": _billboard,
    "billboard_song": _billboard_songs,
    "price": _prices,
    "price_yesterday": _yesterday(_prices),
    "detailed": _detailed,
    "info": _info,
    "dividends": _dividends,
    "dividends_latest": _latest,
    "soccer": _soccer,
    "soccer_yesterday": _yesterday(_soccer),
    "nba": _nba,
    "plays": _plays,
    "series": _series,
    "artist_works": _artist_works,
    "open": _open,
}
