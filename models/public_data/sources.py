"""Readers of common public CSV files: each yields entities with their facts.

Oscars and Grammys: Kaggle's `unanimad/the-oscar-award` and `unanimad/grammy-awards`; films:
`rounakbanik/the-movies-dataset`; finance: any table of tickers (columns are found by name).
"""

import ast
import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from models.records import Domain
from utils.errors import InputError

_MOST_WINNERS = 2  # of one Grammy, in case of a tie
_MOST_ACTORS = 5
# The facts of a company, each with the names of its column, without anything but letters.
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
        domain: the entity's domain.
        entity: key of the entity, which distinguishes entities of the same name.
        names: of the entity.
        attribute: such as "director".
        value: in words.
    """

    domain: Domain
    entity: str
    names: tuple[str, ...]
    attribute: str
    value: str

    @property
    def sentence(self) -> str:
        """The fact in words."""
        plural = self.attribute.endswith("s") and " and " in self.value
        return f"The {self.attribute} {'are' if plural else 'is'} {self.value}."


def read_oscars(file: Path) -> Iterator[PublicFact]:
    """Each nomination, as a fact of the film, of the person, and, if it won, of the ceremony.

    Raises:
        InputError: the file cannot be read, or lacks a column.
    """
    for row in _rows(file, ("year_film", "year_ceremony", "category", "name", "film", "winner")):
        won = _is_true(row["winner"])
        year = row["year_ceremony"]
        attribute = f"{'Oscar won' if won else 'Oscar nomination'} ({year} ceremony)"
        category = row["category"]
        person = row["name"].strip()
        film = row["film"].strip()
        if film:
            value = f"{category}, {person}" if person else category
            entity = f"film {film} {row['year_film']}"
            yield PublicFact(Domain.MOVIE, entity, (film,), attribute, value)
        if person:
            value = f"{category}, for {film}" if film else category
            yield PublicFact(Domain.MOVIE, f"person {person}", (person,), attribute, value)
        if won:
            names = (f"{year} oscars", f"oscars {year}", f"{year} academy awards")
            value = ", ".join(filter(None, (person, film)))
            yield PublicFact(Domain.MOVIE, f"oscars {year}", names, f"winner of {category}", value)


def read_grammys(file: Path) -> Iterator[PublicFact]:
    """Each award, as a fact of the work, of the artist, and of the ceremony.

    The table marks all rows as winners, even the nominees of its last year, which come after the
    winner. If a category has more rows than can share an award, all but the first are nominees.

    Raises:
        InputError: the file cannot be read, or lacks a column.
    """
    rows = list(_rows(file, ("year", "category", "nominee", "artist", "winner")))
    rows_per_award = Counter((row["year"], row["category"]) for row in rows)
    awards_before: set[tuple[str, str]] = set()
    for row in rows:
        award = (row["year"], row["category"])
        may_have_won = rows_per_award[award] <= _MOST_WINNERS or award not in awards_before
        awards_before.add(award)
        won = may_have_won and _is_true(row["winner"])
        year = _ceremony_year(row["year"])
        attribute = f"{'Grammy won' if won else 'Grammy nomination'} ({year} ceremony)"
        category = row["category"]
        work = row["nominee"].strip()
        artist = row["artist"].strip()
        if work:
            value = f"{category}, {artist}" if artist else category
            yield PublicFact(Domain.MUSIC, f"work {work}", (work,), attribute, value)
        if artist:
            value = f"{category}, for {work}" if work else category
            yield PublicFact(Domain.MUSIC, f"artist {artist}", (artist,), attribute, value)
        if won and (work or artist):
            names = (f"{year} grammys", f"grammys {year}", f"{year} grammy awards")
            value = ", by ".join(filter(None, (work, artist)))
            yield PublicFact(Domain.MUSIC, f"grammys {year}", names, f"winner of {category}", value)


def _is_true(cell: str) -> bool:
    return cell.strip().lower() == "true"


def _ceremony_year(year: str) -> str:
    """The year of a Grammy ceremony: the one after the table's, but 1959 for the second."""
    if not year.isdecimal() or year == "1959":
        return year
    return str(int(year) + 1)


def read_movies(metadata: Path, credits: Path | None = None) -> Iterator[PublicFact]:
    """The facts of each film; with `credits`, also its cast and director.

    Raises:
        InputError: a file cannot be read, or lacks a column.
    """
    credits_by_id: dict[str, dict[str, str]] = {}
    if credits is not None:
        credits_by_id = {row["id"]: row for row in _rows(credits, ("id", "cast", "crew"))}
    no_credits = {"cast": "", "crew": ""}
    for row in _rows(metadata, ("id", "title", "release_date")):
        title = row["title"].strip()
        if not title:
            continue
        film_credits = credits_by_id.get(row["id"], no_credits)
        crew = _members(film_credits["crew"])
        cast = _members(film_credits["cast"])
        facts = {
            "title": title,
            "director": _enumeration(person.name for person in crew if person.job == "Director"),
            "lead actors": _enumeration(person.name for person in cast[:_MOST_ACTORS]),
            "release date": row["release_date"],
            "original title": row["original_title"],
            "original language": row["original_language"],
            "genres": _enumeration(genre.name for genre in _members(row["genres"])),
            "budget": _amount(row["budget"], "dollars"),
            "revenue": _amount(row["revenue"], "dollars"),
            "runtime": _amount(row["runtime"], "minutes"),
            "average vote": row["vote_average"],
        }
        names = [title]
        original_title = row["original_title"].strip()
        if original_title and original_title != title:
            names.append(original_title)
        entity = f"film {title} {row['release_date'][:4]}"
        for attribute, value in facts.items():
            yield PublicFact(Domain.MOVIE, entity, tuple(names), attribute, value)


def read_finance(file: Path) -> Iterator[PublicFact]:
    """Ticker, name, P/E, market cap and EPS of each company, for any spelling of the columns.

    Raises:
        InputError: the file cannot be read, or lacks a column of tickers.
    """
    for row in _rows(file, ()):
        cells = {_letters(column): cell.strip() for column, cell in row.items()}
        if cells.keys().isdisjoint(_FINANCE["ticker"]):
            raise InputError(f"{file}: no column is called Symbol or Ticker")
        facts = {attribute: _first_cell(cells, columns) for attribute, columns in _FINANCE.items()}
        ticker = facts["ticker"]
        if not ticker:
            continue
        names = (ticker, facts["name"]) if facts["name"] else (ticker,)
        for attribute, value in facts.items():
            yield PublicFact(Domain.FINANCE, f"company {ticker}", names, attribute, value)


def _letters(column: str) -> str:
    """The letters of a column's name, in lower case."""
    return "".join(char for char in column.lower() if char.isalpha())


def _first_cell(cells: Mapping[str, str], columns: Iterable[str]) -> str:
    """The first cell of one of `columns` that is not empty, else an empty text."""
    for column in columns:
        cell = cells.get(column)
        if cell:
            return cell
    return ""


def _rows(file: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The rows of a CSV file; a column that the file lacks is empty.

    Raises:
        InputError: the file cannot be read, or lacks one of `columns`.
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
class _Member:
    """A person or genre in a cell that contains a list."""

    name: str
    job: str = ""


_MEMBERS = TypeAdapter(list[_Member])


def _members(cell: str) -> list[_Member]:
    """The list in a cell that contains a Python literal; empty if it contains anything else."""
    try:
        return _MEMBERS.validate_python(ast.literal_eval(cell))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []


def _amount(cell: str, unit: str) -> str:
    """The number in a cell with its unit; empty if it is unknown, which the tables write as 0."""
    value = cell.removesuffix(".0")
    if value in ("", "0"):
        return ""
    return f"{value} {unit}"


def _enumeration(names: Iterable[str]) -> str:
    """The different names in words, such as "a, b and c"; empty without names."""
    stripped = (name.strip() for name in names)
    different = list(dict.fromkeys(name for name in stripped if name))
    if len(different) < 2:
        return "".join(different)
    return f"{', '.join(different[:-1])} and {different[-1]}"
