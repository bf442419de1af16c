"""Readers of common public CSV files: each yields entities with their facts.

Oscars and Grammys: Kaggle's `unanimad/the-oscar-award` and `unanimad/grammy-awards`; films:
`rounakbanik/the-movies-dataset`; finance: any table of tickers (columns are found by name).
"""

import ast
import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.records import Domain
from utils.errors import InputError

_LITERAL_CHARS = 2_000_000  # characters of a cell that contains a list
_MOST_SHARE = 2  # winners of one Grammy in case of a tie
_STARS = 5  # cast members included
_FINANCE = {
    "ticker": ("symbol", "ticker"),
    "name": ("name", "company", "companyname", "longname", "shortname", "securityname", "security"),
    "price-to-earnings ratio": ("pe", "peratio", "trailingpe", "priceearnings", "pricetoearnings"),
    "market cap": ("marketcap", "marketcapitalization"),
    "earnings per share": ("eps", "trailingeps", "earningsshare", "earningspershare"),
}


@dataclass(frozen=True, slots=True)
class PublicFact:
    """A fact about an entity, phrased as in db3: "The [attribute] is [value]."

    Attributes:
        entity: key of the entity, which distinguishes entities of the same name.
    """

    domain: Domain
    entity: str
    names: tuple[str, ...]
    attribute: str
    value: str

    @property
    def sentence(self) -> str:
        verb = "are" if self.attribute.endswith("s") and " and " in self.value else "is"
        return f"The {self.attribute} {verb} {self.value}."


def read_oscars(file: Path) -> Iterator[PublicFact]:
    """Each nomination, as a fact of the film, of the person, and, if it won, of the ceremony."""
    for row in _rows(file, ("year_film", "year_ceremony", "category", "name", "film", "winner")):
        won = row["winner"].strip().lower() == "true"
        what = f"{'Oscar won' if won else 'Oscar nomination'} ({row['year_ceremony']} ceremony)"
        category, person, film = row["category"], row["name"].strip(), row["film"].strip()
        if film:
            value = f"{category}, {person}" if person else category
            entity = f"film {film} {row['year_film']}"
            yield PublicFact(Domain.MOVIE, entity, (film,), what, value)
        if person:
            value = f"{category}, for {film}" if film else category
            yield PublicFact(Domain.MOVIE, f"person {person}", (person,), what, value)
        if won:
            year = row["year_ceremony"]
            names = (f"{year} oscars", f"oscars {year}", f"{year} academy awards")
            value = ", ".join(filter(None, (person, film)))
            yield PublicFact(Domain.MOVIE, f"oscars {year}", names, f"winner of {category}", value)


def read_grammys(file: Path) -> Iterator[PublicFact]:
    """Each award, as a fact of the work, of the artist, and of the ceremony.

    The table marks all rows as winners, even the nominees of its last year, which come after the
    winner. If a category has more rows than can share an award, all but the first are nominees.
    """
    rows = list(_rows(file, ("year", "category", "nominee", "artist", "winner")))
    sizes = Counter((row["year"], row["category"]) for row in rows)
    seen: set[tuple[str, str]] = set()
    for row in rows:
        work, artist = row["nominee"].strip(), row["artist"].strip()
        award = (row["year"], row["category"])
        alone = sizes[award] <= _MOST_SHARE or award not in seen
        seen.add(award)
        won = alone and row["winner"].strip().lower() == "true"
        year = _held(row["year"])
        what = f"{'Grammy won' if won else 'Grammy nomination'} ({year} ceremony)"
        if work:
            value = f"{row['category']}, {artist}" if artist else row["category"]
            yield PublicFact(Domain.MUSIC, f"work {work}", (work,), what, value)
        if artist:
            value = f"{row['category']}, for {work}" if work else row["category"]
            yield PublicFact(Domain.MUSIC, f"artist {artist}", (artist,), what, value)
        if won and (work or artist):
            names = (f"{year} grammys", f"grammys {year}", f"{year} grammy awards")
            value = ", by ".join(filter(None, (work, artist)))
            yield PublicFact(
                Domain.MUSIC, f"grammys {year}", names, f"winner of {row['category']}", value
            )


def _held(year: str) -> str:
    """The year of a Grammy ceremony: the one after the table's, but 1959 for the second."""
    return str(int(year) + 1) if year.isdecimal() and year != "1959" else year


def read_movies(metadata: Path, credits: Path | None = None) -> Iterator[PublicFact]:
    """The facts of each film; cast and director if `credits` is given."""
    people = {row["id"]: row for row in _rows(credits, ("id", "cast", "crew"))} if credits else {}
    for row in _rows(metadata, ("id", "title", "release_date")):
        title = (row["title"] or "").strip()
        if not title:
            continue
        year = (row["release_date"] or "")[:4]
        names = tuple(
            dict.fromkeys(filter(None, (title, (row.get("original_title") or "").strip())))
        )
        for attribute, value in _of_movie(row, people.get(row["id"], {})):
            yield PublicFact(Domain.MOVIE, f"film {title} {year}", names, attribute, value)


def read_finance(file: Path) -> Iterator[PublicFact]:
    """Ticker, name, P/E, market cap and EPS of each company, for any spelling of the columns."""
    for row in _rows(file, ()):
        plain = {"".join(c for c in key.lower() if c.isalpha()): v for key, v in row.items() if key}
        found = {
            what: next((plain[name].strip() for name in names if plain.get(name, "").strip()), "")
            for what, names in _FINANCE.items()
        }
        ticker, name = found["ticker"], found["name"]
        if not plain.keys() & set(_FINANCE["ticker"]):
            raise InputError(f"{file}: no column is called Symbol or Ticker")
        if not ticker:
            continue
        for attribute, value in found.items():
            if value:
                names = tuple(filter(None, (ticker, name)))
                yield PublicFact(Domain.FINANCE, f"company {ticker}", names, attribute, value)


def _of_movie(row: Mapping[str, str], people: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "title", row["title"].strip()
    crew = [
        _text(one, "name") for one in _list(people.get("crew")) if _text(one, "job") == "Director"
    ]
    cast = [_text(one, "name") for one in _list(people.get("cast"))[:_STARS]]
    yield "director", _and(crew)
    yield "lead actors", _and(cast)
    yield "release date", row["release_date"] or ""
    yield "original title", row.get("original_title") or ""
    yield "original language", row.get("original_language") or ""
    yield "genres", _and([_text(one, "name") for one in _list(row.get("genres"))])
    for attribute, unit in (
        ("budget", " dollars"),
        ("revenue", " dollars"),
        ("runtime", " minutes"),
    ):
        value = (row.get(attribute) or "").removesuffix(".0")
        yield attribute, f"{value}{unit}" if value not in ("", "0") else ""
    yield "average vote", row.get("vote_average") or ""


def _rows(file: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The rows of a CSV file. Raises InputError: it cannot be read, or lacks one of `columns`."""
    limit = csv.field_size_limit(2**31 - 1)  # of the whole process
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(f"{file}: no column is called {', '.join(missing)}")
            for row in reader:
                if None not in row.values():  # a misplaced line break split the row
                    yield {key: value for key, value in row.items() if key is not None}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file}: cannot be read as CSV ({error})") from error
    finally:
        csv.field_size_limit(limit)


def _list(text: str | None) -> list[Any]:
    """The list in a cell that contains a Python literal; empty if it is not a list."""
    if not text or len(text) > _LITERAL_CHARS:
        return []
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    return value if isinstance(value, list) else []


def _text(value: Any, key: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    return found.strip() if isinstance(found, str) else ""


def _and(names: list[str]) -> str:
    names = list(dict.fromkeys(filter(None, names)))
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
