"""Films, the people who make them, and the Oscars."""

import re
from typing import Any

from models.kg.linking import Asked, Client, Linked, searcher, text_key
from models.kg.schema import Ask, Attribute, Read, Says, ask, key, may, number, plain
from models.records import Domain
from utils.deadline import Deadline
from utils.text import words

_movie = searcher("/movie/get_movie_info", text_key("title"))
_person = searcher("/movie/get_person_info", text_key("name"))
_WHEN = "when/date/day/year"
_KNOWN_YEARS = range(1990, 2022)  # the API refuses others


def _crew(*jobs: str) -> Read:
    def read(movie: Any) -> str | None:
        crew = movie.get("crew") or []
        return plain([person.get("name") for person in crew if person.get("job") in jobs])

    return read


def _cast(movie: Any) -> str | None:
    return plain([person.get("name") for person in (movie.get("cast") or [])[:5]])


def _genres(movie: Any) -> str | None:
    return plain([genre.get("name") for genre in movie.get("genres") or []])


def _of_movie(
    name: str, asks: tuple[Ask, ...], read: Read, extra: str = "", says: Says = Says.OTHER
) -> Attribute:
    return Attribute(Domain.MOVIE, name, asks, _movie, read, may=may(extra), says=says)


def _oscar_year(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """The awards of the one ceremony that the question names by its year."""
    asked_words = words(asked.text)
    years = [word for word in asked_words if re.fullmatch(r"(?:19|20)\d\d", word)]
    rest = [word for word in asked_words if word not in years]
    if len(years) != 1 or int(years[0]) not in _KNOWN_YEARS or asked.unexplained(rest):
        return []
    info = client.call("/movie/get_year_info", deadline=deadline, query=years[0])
    return [Linked(f"the Oscars of {years[0]}", (info or {}).get("oscar_awards") or [])]


_PEOPLE = ("ACTOR", "ACTRESS", "DIRECTING", "CINEMATOGRAPHY", "WRITING")
_OSCAR_WORDS = may(
    "academy annual at award awarded awards best category ceremony during earn earned feature film"
    " filmmaker films held home honor honored movie movies named oscar oscars outstanding"
    " performance prize receive received recognized role take took went win winner winning won year"
)


def _oscar(category: str, *asks: str) -> Attribute:
    """The winner of a category: the person where it honours one, else the film."""
    of_person = category.startswith(_PEOPLE)
    pattern = re.compile(category)

    def read(awards: Any) -> str | None:
        won = [row for row in awards if row["winner"] and pattern.fullmatch(row["category"])]
        return plain([row["name" if of_person else "film"] for row in won])

    ways = ask(*(f"oscar/oscars/academy {way}" for way in asks))
    name = f"oscar_{asks[0].replace(' ', '_')}"
    says = Says.PERSON if of_person else Says.OTHER
    return Attribute(Domain.MOVIE, name, ways, _oscar_year, read, may=_OSCAR_WORDS, says=says)


ATTRIBUTES = (
    _of_movie(
        "release_date",
        ask(
            f"{_WHEN} released/release/out/premiere/premiered/debut/debuted/theaters/theatres",
            "release date/day",
        ),
        key("release_date"),
        "first hit come came in",
    ),
    _of_movie(
        "budget",
        ask("budget", "cost make/produce/film/shoot"),
        number("${:,}", "budget", zero=False),
        "big large high production money its total much how",
    ),
    _of_movie(
        "revenue",
        ask("box office", "revenue", "gross/grossed"),
        number("${:,}", "revenue", zero=False),
        "worldwide world wide global globally total earnings earn earned sales receipts takings"
        " make made",
    ),
    _of_movie(
        "original_language",
        ask("language original/originally"),
        key("original_language"),
        "made filmed shot released come came out used first",
    ),
    _of_movie(
        "original_title",
        ask("original title/name", "originally titled/named/called/title"),
        key("original_title"),
    ),
    _of_movie(
        "length",
        ask("long", "runtime", "running/run time", "length", "minutes"),
        number("{:g} minutes", "length", zero=False),
        "last lasts",
        says=Says.NUMBER,
    ),
    _of_movie("genres", ask("genre/genres"), _genres, "kind type"),
    _of_movie(
        "director",
        ask("directed/director/directors/directs", "behind camera"),
        _crew("Director"),
        says=Says.PERSON,
    ),
    _of_movie(
        "producer", ask("produced/producer/producers"), _crew("Producer"), says=Says.PERSON
    ),
    _of_movie(
        "writer",
        ask("wrote/written/writer/writers/screenwriter", "whose/who screenplay"),
        _crew("Screenplay", "Writer"),
        "script screenplay",
        says=Says.PERSON,
    ),
    _of_movie(
        "cast",
        ask("starred/stars/cast", "who/actors star", "lead actors"),
        _cast,
        "main lead actors in",
        says=Says.PERSON,
    ),
    Attribute(
        Domain.MOVIE,
        "birthday",
        ask(f"{_WHEN} born", "birthday/birthdate", "birth date/day", "date birth"),
        _person,
        key("birthday"),
    ),
    _oscar("BEST PICTURE|BEST MOTION PICTURE|OUTSTANDING PICTURE", "best picture"),
    _oscar("ACTOR IN A LEADING ROLE", "best actor"),
    _oscar("ACTRESS IN A LEADING ROLE", "best actress"),
    _oscar("ACTOR IN A SUPPORTING ROLE", "supporting actor"),
    _oscar("ACTRESS IN A SUPPORTING ROLE", "supporting actress"),
    _oscar("DIRECTING", "best director", "best directing"),
    _oscar("ANIMATED FEATURE FILM", "animated"),
    _oscar(r"DOCUMENTARY \(Feature\)", "documentary"),
    _oscar("VISUAL EFFECTS", "visual effects"),
    _oscar("CINEMATOGRAPHY", "cinematography"),
    _oscar("FOREIGN LANGUAGE FILM", "foreign language"),
    _oscar("COSTUME DESIGN", "costume"),
)
