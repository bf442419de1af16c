"""Questions about one film: what it earned and cost, when it came out, its length, its titles."""

from collections.abc import Collection, Iterator

from models.kg.english.compose import Listed, Value
from models.kg.english.movie import film_people, film_polar
from models.kg.english.movie.compose import OtherGenre
from models.kg.english.movie.dates import OtherYear, Year
from models.kg.english.movie.film_polar import MAY_SAY, OTHER, asks_value_too, known
from models.kg.english.movie.keys import BIRTH, GENRES, KEYS, RELEASED, WHEN
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import FILM, KIND, asks_what, is_polar, unexplained
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_FIRST_OUT = rf"first (?:\w+ ){{0,2}}?(?:{RELEASED}|see|seen|watch)|(?:{RELEASED}) (?:\w+ )?first"
_MONEY = ("budget", "revenue")
# Which film of a title is meant, by when it came out: the words, and the order that puts it first.
_VERSION = r"(?:version|adaptation|take|telling|iteration)"
_VERSIONS = (
    (
        rf"(?:remake|reboot|(?:new|newer|newest|latest|modern|recent) {_VERSION}) (?:of|for) "
        rf"(?:(?:the|film|movie|classic) )*{FILM}"
        rf"|{FILM} (?:remake|reboot|(?:new|newest|latest|modern) {_VERSION})",
        "-release_date",
    ),
    (
        rf"(?:original|first|oldest) (?:(?:film|movie) )?{_VERSION} of (?:(?:the|film"
        rf"|movie) )*{FILM}"
        rf"|the original {FILM} (?:{KIND}|{_VERSION})",
        "release_date",
    ),
)
_SURE = r"comedy|horror|western|documentary|animated"  # no one calls a film of none of these so
_VERSION_WORDS = (
    "remake", "reboot", "newer", "newest", "latest", "recent", "oldest", "first", "version",
    "adaptation", "iteration", "telling",
)  # fmt: skip


def read(seen: Seen) -> Iterator[Reading]:
    """The readings of a question about one film."""
    if len(seen.films) != 1 or seen.people:
        return
    film, year = seen.films[0], _year_of(seen)
    if _wrong_year(seen):
        yield Reading(f'get_movie({film.text})["year"]', OtherYear(seen.years[0]))
        return
    genre = seen.rest.match(rf"the (?P<genre>{_SURE}) (?:{KIND} )?{FILM}")
    if genre:
        yield Reading(film_polar.get(film, "genres"), OtherGenre(GENRES[genre["genre"]]))
    if is_polar(seen.rest):
        yield from film_polar.of_time(seen, film)
    if len(seen.years) > (year is not None):
        return
    order = next((order for pattern, order in _VERSIONS if seen.rest.match(pattern)), None)
    if order is not None and not is_polar(seen.rest):
        yield from _version(seen, film, order)
        return
    yield from about(seen, film, year)


def about(seen: Seen, film: Thing, year: int | None = None) -> Iterator[Reading]:
    """The readings of what is asked about `film`."""
    if seen.rest.match(BIRTH) or seen.rest.match("how old"):
        return
    if is_polar(seen.rest):
        yield from film_polar.read(seen, film, year)
        if not asks_value_too(seen.rest) and not asks_of_kind(seen.rest):
            return
    yield from _attribute(seen, film, year)
    yield from film_people.about(seen, film, year)


def asks_of_kind(rest: Asked) -> bool:
    """Whether "is there a language that …" stands for "which language …"."""
    return rest.match(r"there (?:an?|any) (?:original )?language") is not None and (
        rest.match(OTHER) is None
    )


def _version(seen: Seen, film: Thing, order: str) -> Iterator[Reading]:
    """An attribute, or the director, of one of the films of a title."""
    key = key_of(seen.rest)
    if not _fits(seen, _VERSION_WORDS):
        return
    if key is not None and key != "original_title":
        where = "".join(f", {condition}" for condition in known(key))
        program = f"get_movie({film.text}{where}); sort(None, {order})[{quoted(key)}]"
        yield Reading(program, composed(key, seen.rest))
    elif seen.rest.match(r"direct\w*"):
        crew = f'get_movie_person_crew({film.text}, None, eq(job, "Director"))'
        by_year = order.replace("release_date", "year")
        yield Reading(f'{crew}; sort(None, {by_year})["name"]', Value(first=True))


def _year_of(seen: Seen) -> int | None:
    """The year that tells which film of a title is meant: "the 1984 film X", "X (1984)"."""
    years = r"(?P<year>(?:19|20)\d\d)"
    kind = r"(?:(?:version|movie|film|picture|release|adaptation|remake|classic)(?: of| called)? )?"
    match = seen.rest.match(rf"{FILM} (?:(?:movie|film|from|of|in) )*{years}") or seen.rest.match(
        rf"{years} {kind}{FILM}"
    )
    return int(match["year"]) if match else None


def _wrong_year(seen: Seen) -> bool:
    """Whether the question takes it for granted that the film came out in a year."""
    clause = rf"(?:{FILM}|when|that|which|it) (?:(?:it|was|that|first|which|the|movie|film) )*"
    out = r"(?:released|came out|premiered|debuted)"
    return (
        len(seen.years) == 1
        and not (
            is_polar(seen.rest) and seen.rest.match(rf"(?:was|did) (?:the )?(?:\w+ )?{FILM} {out}")
        )
        and seen.rest.match(rf"{clause}{out} in {seen.years[0]}") is not None
    )


def _fits(seen: Seen, allowed: Collection[str], most: int = 1) -> bool:
    count = unexplained(seen.rest, allowed)
    return count is not None and count <= most


def key_of(rest: Asked) -> str | None:
    """The attribute of a film that is asked for, by its key."""
    for key, pattern in KEYS:
        if rest.match(pattern):
            if key == "rating" and rest.match(r"(?:r|pg|g|nc|x|age) rat(?:ed|ing)"):
                return None
            return key
    if rest.match(WHEN) and rest.match(RELEASED) or rest.match(r"release (?:date|day|year)|year"):
        return "release_date"
    if rest.match(r"when") and rest.match(r"made|produced|filmed|shot|film(?:ing)?"):
        return "release_date"
    return None


def _attribute(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    key = key_of(seen.rest)
    if key is None or not _fits(seen, [*MAY_SAY.get(key, "").split(), str(year)], _tolerance(film)):
        return
    if key == "release_date" and seen.rest.match("first") and not seen.rest.match(_FIRST_OUT):
        return
    if key == "revenue" and seen.rest.match(r"first|opening|profit"):
        return
    if key == "original_title" and not asks_what(seen.rest) and seen.rest.match(OTHER):
        return
    yield Reading(film_polar.get(film, key, year, *known(key)), composed(key, seen.rest))


def composed(key: str, rest: Asked) -> Compose:
    """How the value of an attribute is said."""
    if key in _MONEY:
        return Value("${:,}")
    if key == "length":
        return Value("{} minutes")
    if key == "genres":
        return Listed()
    if key == "release_date" and rest.match(r"(?:what|which|the|in|release) (?:\w+ )?year|year"):
        return Value() if rest.match(r"date|day") else Year()
    return Value()


def _tolerance(film: Thing) -> int:
    """How many words may be left unexplained: more where the name is surely a name."""
    return 2 if film.exact and len(film.name.split()) > 1 else 1
