"""Questions about one film: its attributes, its titles and languages, its cast and crew."""

import re
from collections.abc import Collection, Iterator

from models.kg.english.compose import Is, Listed, Value
from models.kg.english.movie.compose import Credited, Leads, OtherYear, Player, Titled, Year
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import (
    BIRTH,
    CAST,
    COUNTS,
    FILM,
    JOBS,
    KEYS,
    LANGUAGES,
    PERSON,
    PLAYED,
    RELEASED,
    WHEN,
    asks_what,
    is_polar,
    unexplained,
)
from models.kg.english.question import Asked
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted
from utils.text import FUNCTION_WORDS

_OTHER = (
    r"something else|anything else|another|different(?:ly)?|other|alternat(?:e|ive)|differs?|beforehand|before|prior|previous(?:ly)?"
    r"|chang(?:e|ed)|renamed|retitled|earlier|former(?:ly)?|aliases|alias|precede[ds]?"
)
_TITLE = r"titled?|titles|names?|named|entitled|called|known|moniker"
_CALLED = r"(?:called|titled|named|entitled|known as)"
_FIRST = r"original(?:ly)?|initial(?:ly)?|official(?:ly)?|first|at first"
_FIRST_OUT = rf"first (?:\w+ ){{0,2}}?(?:{RELEASED}|see|seen|watch)|(?:{RELEASED}) (?:\w+ )?first"
# What each attribute's question may say besides, that would change another question.
_MAY_SAY = {
    "release_date": "first before last",
    "original_title": "first before second other others",
    "original_language": "first before filmed other country",
    "budget": "most",
    "revenue": "",
}
_ZERO_IS_UNKNOWN = ("budget", "revenue", "length", "rating")
_MONEY = ("budget", "revenue")


def read(seen: Seen) -> Iterator[Reading]:
    """The readings of a question about one film."""
    if len(seen.films) != 1 or seen.people:
        return
    film, year = seen.films[0], _year_of(seen)
    if _wrong_year(seen):
        yield Reading(f'get_movie({film.text})["year"]', OtherYear(seen.years[0]))
        return
    if len(seen.years) > (year is not None):
        return
    yield from about(seen, film, year)


def about(seen: Seen, film: Thing, year: int | None = None) -> Iterator[Reading]:
    """The readings of what is asked about `film`."""
    if seen.rest.match(BIRTH) or seen.rest.match("how old"):
        return
    if is_polar(seen.rest):
        yield from _polar(seen, film, year)
        if not _asks_value_too(seen.rest):
            return
    yield from _role(seen, film, year)
    yield from _attribute(seen, film, year)
    yield from _crew(seen, film, year)
    yield from _cast(seen, film, year)


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


def _allowed(seen: Seen, year: int | None, said: str = "") -> frozenset[str]:
    return frozenset(said.split()) | ({str(year)} if year else frozenset())


def _fits(seen: Seen, allowed: Collection[str], most: int = 1) -> bool:
    count = unexplained(seen.rest, allowed)
    return count is not None and count <= most


def _get(film: Thing, key: str, year: int | None = None, *more: str) -> str:
    conditions = [f"eq(year, {year})"] if year else []
    conditions += more
    where = f", [{', '.join(conditions)}]" if conditions else ""
    return f"ALL get_movie({film.text}{where})[{quoted(key)}]"


def _people(part: str, film: Thing, year: int | None, *more: str) -> str:
    conditions = [f"eq(year, {year})"] if year else []
    conditions += more
    where = f", [{', '.join(conditions)}]" if conditions else ""
    return f'ALL get_movie_person_{part}({film.text}, None{where})["name"]'


def key_of(rest: Asked) -> str | None:
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
    if key is None or not _fits(seen, _allowed(seen, year, _MAY_SAY.get(key, ""))):
        return
    if key == "release_date" and seen.rest.match("first") and not seen.rest.match(_FIRST_OUT):
        return
    if key == "revenue" and seen.rest.match(r"first|opening|profit"):
        return
    if key == "original_title" and not asks_what(seen.rest) and seen.rest.match(_OTHER):
        return
    yield Reading(_get(film, key, year, *_known(key)), composed(key, seen.rest))


def _known(key: str) -> tuple[str, ...]:
    return (f"gt({key}, 0)",) if key in _ZERO_IS_UNKNOWN else ()


def composed(key: str, rest: Asked) -> Compose:
    if key in _MONEY:
        return Value("${:,}")
    if key == "length":
        return Value("{} minutes")
    if key == "genres":
        return Listed()
    if key == "release_date" and rest.match(r"(?:what|which|the|in|release) (?:\w+ )?year|year"):
        return Value() if rest.match(r"date|day") else Year()
    return Value()


def _asks_value_too(rest: Asked) -> bool:
    """Whether a yes-no question asks for the thing as well: "... and what is it?" """
    return rest.match(r"(?:and|if so|so)(?: \w+)* (?:what|which|who|when)(?: \w+)*") is not None


def _polar(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    rest = seen.rest
    if _asks_value_too(rest):
        return
    named = [word.text for word in rest.words if word.text in LANGUAGES]
    about_language = rest.match(r"languages?|dialogue|spoken|speak|audio|filmed|dubbed") is not None
    about_title = rest.match(_TITLE) is not None
    allowed = _allowed(
        seen, year, _MAY_SAY["original_title"] + " filmed country " + " ".join(named)
    )
    if about_language or (len(named) == 1 and not rest.match(_OTHER) and not about_title):
        if not _fits(seen, allowed) or len(named) > 1:
            return
        code = LANGUAGES[named[0]] if named else "en"
        other = rest.match(_OTHER) is not None
        if named or other:
            yes, no = ("no", "yes") if other else ("yes", "no")
            yield Reading(_get(film, "original_language", year), Is(code, yes, no))
        return
    if not about_title and not rest.match(rf"{_OTHER}|{_FIRST}"):
        return
    if not film.exact:
        return
    titles = f"{_get(film, 'title', year)}; {_get(film, 'original_title', year)}"
    given = _given_title(rest)
    if given:
        if not rest.match(_OTHER) and rest.match(_FIRST):
            yield Reading(titles, Titled(called=given))
        return
    if _fits(seen, allowed):
        yield Reading(titles, Titled(other=rest.match(_OTHER) is not None))


def _given_title(rest: Asked) -> str | None:
    """Another title that the question names: "was XFILM originally called Y"."""
    match = rest.match(
        rf"{FILM} (?:(?:movie|film|{_FIRST}) )*{_CALLED} (?P<title>.+)"
    ) or rest.match(
        rf"original (?:title|name) (?:of|for) (?:the )?(?:movie |film )?{FILM} (?P<title>.+)"
    )
    if match is None:
        return None
    given = [word for word in match["title"].split() if word not in FUNCTION_WORDS]
    known = re.compile(rf"{_OTHER}|{_FIRST}|{_TITLE}|something|else|same|that|differently|anything")
    return None if all(known.fullmatch(word) for word in given) else match["title"]


def _role(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    """Who plays a role, which stands after the verb or in apposition to it."""
    rest = seen.rest
    match = rest.match(
        rf"(?:{PLAYED}) (?:(?:the|a|an|role|part|character|of|as) )*(?P<role>(?!{FILM}).+?)"
        rf" (?:(?:character|role|part) )?(?:in|for|from|on|of) "
        rf"(?:(?:the|film|movie|motion picture|picture|called|titled|original) )*{FILM}"
    ) or rest.match(
        rf"{FILM} (?:\w+ )*?(?:who|which actor|which actress|what actor|what actress)(?: \w+)*? "
        rf"(?:{PLAYED}) (?:(?:the|a|an|role|part|character|of|as) )*(?P<role>.+)"
    )
    if match is None:
        return
    role = match["role"]
    common = (
        r"(?:main|lead|leading|title|principal|protagonist|roles?|parts?|characters?|villain|hero)"
    )
    if re.search(rf"\b(?:{common}|{PERSON}|and|or)\b", role) or len(role.split()) > 5:
        return
    left = seen.rest.without([])
    count = unexplained(left, {*_allowed(seen, year), *role.split()})
    if count is not None and count <= 1:
        yield Reading(_people("cast", film, year), Player(role))


def _crew(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    rest = seen.rest
    for pattern, jobs in JOBS:
        if rest.match(pattern):
            if jobs == ("Producer",) and rest.match(r"company|companies|studios?"):
                return
            said = pattern if len(jobs) == 1 else "original"
            words_of_job = re.findall(r"[a-z]+", said)
            if _fits(
                seen,
                _allowed(
                    seen,
                    year,
                    " ".join(["second", "first", *words_of_job])
                    if jobs[0].startswith(("Second", "First"))
                    else "",
                ),
            ):
                programs = [_people("crew", film, year, f"eq(job, {quoted(j)})") for j in jobs]
                yield Reading("; ".join(programs), Credited())
            return
    match = rest.match(
        rf"who (?:is|was|were) (?:the )?(?P<job>.+?) (?:of|for|on|in) (?:\w+ )*{FILM}"
    )
    if match and not re.search(rf"{CAST}|\d", match["job"]):
        job = match["job"].removesuffix("s")
        yield Reading(_people("crew", film, year, f"eq(job, {quoted(job)})"), Credited())


def _cast(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    rest = seen.rest
    if not rest.match(CAST) or rest.match(r"how many|when|where|why"):
        return
    counts = [w.text for w in rest.words if w.text in COUNTS or w.text in map(str, range(2, 11))]
    if not _fits(seen, _allowed(seen, year, " ".join(counts)), most=1):
        return
    ladies = rest.match(r"actress(?:es)?|lady|ladies|women|woman|female") is not None
    men = (
        rest.match(r"(?:male|leading|lead|main) (?:man|men|male)|male (?:lead|star)s?") is not None
    )
    several = rest.match(r"cast|actors|actresses|stars|roles|characters|leads|ladies|men|members")
    if counts:
        most = COUNTS.get(counts[0]) or int(counts[0])
    elif several or not rest.match(r"leads?|leading|main|principal|lady|title|star"):
        return  # how many of the cast are meant is not said
    else:
        most = 1
    yield Reading(_people("cast", film, year), Leads(most, 1 if ladies else 2 if men else None))
