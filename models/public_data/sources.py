"""Readers of common public CSV files: each yields entities with their facts.

Oscars and Grammys: Kaggle's `unanimad/the-oscar-award` and `unanimad/grammy-awards`; films:
`rounakbanik/the-movies-dataset`; finance: any table of tickers (columns are found by name).
"""

import ast
import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from models.records import Domain
from utils.errors import InputError

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
        title, original = row["title"].strip(), row["original_title"].strip()
        if not title:
            continue
        about = people.get(row["id"], {"cast": "", "crew": ""})
        facts = {
            "title": title,
            "director": _and(one.name for one in _listed(about["crew"]) if one.job == "Director"),
            "lead actors": _and(one.name for one in _listed(about["cast"])[:_STARS]),
            "release date": row["release_date"],
            "original title": row["original_title"],
            "original language": row["original_language"],
            "genres": _and(one.name for one in _listed(row["genres"])),
            "budget": _amount(row["budget"], "dollars"),
            "revenue": _amount(row["revenue"], "dollars"),
            "runtime": _amount(row["runtime"], "minutes"),
            "average vote": row["vote_average"],
        }
        names = tuple(dict.fromkeys(filter(None, (title, original))))
        entity = f"film {title} {row['release_date'][:4]}"
        for attribute, value in facts.items():
            yield PublicFact(Domain.MOVIE, entity, names, attribute, value)


def read_finance(file: Path) -> Iterator[PublicFact]:
    """Ticker, name, P/E, market cap and EPS of each company, for any spelling of the columns."""
    for row in _rows(file, ()):
        plain = {"".join(filter(str.isalpha, key.lower())): row[key].strip() for key in row}
        if plain.keys().isdisjoint(_FINANCE["ticker"]):
            raise InputError(f"{file}: no column is called Symbol or Ticker")
        facts = {
            attribute: next(filter(None, map(plain.get, columns)), "")
            for attribute, columns in _FINANCE.items()
        }
        names = tuple(filter(None, (facts["ticker"], facts["name"])))
        for attribute, value in facts.items() if facts["ticker"] else ():
            yield PublicFact(Domain.FINANCE, f"company {names[0]}", names, attribute, value)


def _rows(file: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The rows of a CSV file; a column that it lacks is empty.

    Raises:
        InputError: it cannot be read, or lacks one of `columns`.
    """
    csv.field_size_limit(2**31 - 1)  # of the whole process
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(f"{file}: no column is called {', '.join(missing)}")
            for row in reader:
                row.pop(None, "")  # cells beyond the last column
                if None not in row.values():  # a misplaced line break split the row
                    yield defaultdict(str, row)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file}: cannot be read as CSV ({error})") from error


@dataclass(frozen=True, slots=True)
class _Listed:
    """A person or genre in a cell that contains a list."""

    name: str
    job: str = ""


_LIST = TypeAdapter(list[_Listed])


def _listed(cell: str) -> list[_Listed]:
    """The list in a cell that contains a Python literal; empty if it contains anything else."""
    try:
        return _LIST.validate_python(ast.literal_eval(cell))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []


def _amount(cell: str, unit: str) -> str:
    value = cell.removesuffix(".0")
    return f"{value} {unit}" if value not in ("", "0") else ""  # 0: unknown


def _and(names: Iterable[str]) -> str:
    *others, last = [*dict.fromkeys(filter(None, map(str.strip, names)))] or [""]
    return f"{', '.join(others)} and {last}" if others else last
