"""Yes-no questions about one film: its titles and languages, its year, its genre, its figures."""

import re
from collections.abc import Collection, Iterator

from models.kg.english.compose import Is
from models.kg.english.movie.compose import Exceeds, Named, OnlyNo, Titled
from models.kg.english.movie.dates import InTime
from models.kg.english.movie.film_people import people_of
from models.kg.english.movie.keys import (
    COUNTRIES,
    GENRES,
    JOBS,
    LANGUAGES,
    RELEASED,
    SHARED_LANGUAGES,
)
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import FILM, KIND, unexplained
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked
from models.kg.periods import PeriodError, resolve
from utils.text import FUNCTION_WORDS

OTHER = (
    r"something else|anything else|another|different(?:ly)?|other|alternat(?:e|ive)|differs?"
    r"|beforehand|before|prior|previous(?:ly)?"
    r"|chang(?:e|ed)|renamed|retitled|earlier|former(?:ly)?|aliases|alias|precede[ds]?"
)
_TITLE = r"titled?|titles|names?|named|entitled|called|known|moniker"
_CALLED = r"(?:called|titled|named|entitled|known as)"
_FIRST = r"original(?:ly)?|initial(?:ly)?|official(?:ly)?|first|at first"
# What each attribute's question may say besides, that would change another question.
MAY_SAY = {
    "release_date": "first before last since",
    "original_title": "first before second other others",
    "original_language": "first before filmed other country",
    "budget": "most",
    "rating": "average out",
    "length": "last",
    "revenue": "sum",
}
_ZERO_IS_UNKNOWN = ("budget", "revenue", "length", "rating")
_TIME = re.compile(
    rf"(?:{RELEASED}|made|produced)(?: \w+){{0,4}}? (?:(?P<when>before|prior to|after|in|during"
    rf"|on) )"
    r"(?:the year )?(?P<date>\w+ \w+ )?(?P<year>(?:19|20)\d\d)\b"
)
_MORE = (
    r"more than|over|above|at least|exceed(?:ed|s)?|surpass(?:ed|es)?|longer than|higher than|past"
)
_LESS = r"less than|under|below|shorter than|lower than|fewer than"
_AMOUNT = re.compile(
    rf"\b(?:(?P<more>{_MORE})|{_LESS}) (?:an? )?(?:us ?)?\$?(?P<number>\d[\d,]*(?:\.\d+)?)"
    r" ?(?P<unit>thousand|million|billion|m|bn?|k|hours?|minutes?)?\b"
)
_UNITS = {"k": 1e3, "t": 1e3, "m": 1e6, "b": 1e9, "h": 60.0}  # by the first letter


def known(key: str) -> tuple[str, ...]:
    """The conditions that leave out what the KG does not know of a key."""
    return (f"gt({key}, 0)",) if key in _ZERO_IS_UNKNOWN else ()


def get(film: Thing, key: str, year: int | None = None, *more: str) -> str:
    """A call for an attribute of a film."""
    conditions = [f"eq(year, {year})"] if year else []
    conditions += more
    where = f", [{', '.join(conditions)}]" if conditions else ""
    return f"ALL get_movie({film.text}{where})[{quoted(key)}]"


def asks_value_too(rest: Asked) -> bool:
    """Whether a yes-no question asks for the thing as well: "... and what is it?" """
    return rest.match(r"(?:and|if so|so)(?: \w+)* (?:what|which|who|when)(?: \w+)*") is not None


def read(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    """The readings of a question that wants yes or no."""
    if asks_value_too(seen.rest):
        return
    amount = _AMOUNT.search(seen.asked.text.casefold())
    if amount is not None:
        yield from _of_amount(seen, film, amount)
        return
    yield from _of_genre(seen, film)
    yield from _of_maker(seen, film)
    yield from _of_titles(seen, film, year)


def of_time(seen: Seen, film: Thing) -> Iterator[Reading]:
    """Whether a film came out in a year, before or after it, or on a day."""
    match = _TIME.search(seen.rest.plain)
    if match is None or len(seen.years) != 1:
        return
    sign = {"before": -1, "prior to": -1, "after": 1}.get(match["when"], 0)
    day = None
    if match["date"]:
        try:
            period = resolve(f"{match['date']}{match['year']}", seen.asked.at)
        except PeriodError:
            return
        if period.first != period.last or sign:
            return
        day = period.first.isoformat()
    if _fits(seen, match.group().split()):
        yield Reading(get(film, "release_date"), InTime(int(match["year"]), sign, day))


def _of_amount(seen: Seen, film: Thing, amount: re.Match[str]) -> Iterator[Reading]:
    """Whether what a film earned or cost, its length or its rating exceeds a number."""
    number, unit = float(amount["number"].replace(",", "")), amount["unit"] or ""
    number *= _UNITS.get(unit[:1], 1.0) if not unit.startswith("minute") else 1.0
    for key, pattern in (
        ("budget", r"budget|cost|spen[dt]"),
        ("rating", r"rat(?:ed|ing)|score"),
        ("length", r"long(?:er)?|shorter|runtime|length|running|minutes?|hours?|lasts?"),
        ("revenue", r"gross\w*|earn\w*|ma[dk]e|box office|revenue|rak\w+|pull\w*|took|collect\w*"),
    ):
        if seen.rest.match(pattern):
            said = re.findall(r"[a-z0-9]+", amount.group())
            if _fits(seen, said):
                yield Reading(
                    get(film, key, None, *known(key)), Exceeds(number, amount["more"] is None)
                )
            return


def _of_genre(seen: Seen, film: Thing) -> Iterator[Reading]:
    names = "|".join(sorted(GENRES, key=len, reverse=True))
    match = seen.rest.match(
        rf"{FILM} (?:(?:is|was|be|considered|classified|as|an?|the|genre|movie|film|of) )*"
        rf"(?P<genre>{names})(?: {KIND})?$"
    )
    if match and _fits(seen, match.group().split()):
        yield Reading(get(film, "genres"), Named(GENRES[match["genre"]]))


def _of_maker(seen: Seen, film: Thing) -> Iterator[Reading]:
    """Whether someone whom the KG does not know by name directed a film, or produced it, …"""
    match = seen.rest.match(r"(?P<job>directed|produced|edited|composed) by (?P<name>\w+ \w+.*)$")
    if match is None or not _fits(seen, match["name"].split()):
        return
    jobs = next((jobs for pattern, jobs in JOBS if re.fullmatch(pattern, match["job"])), None)
    if jobs:
        yield Reading(
            people_of("crew", film, None, f"eq(job, {quoted(jobs[0])})"), Named(match["name"])
        )


def _fits(seen: Seen, allowed: Collection[str]) -> bool:
    count = unexplained(seen.rest, allowed)
    return count is not None and count <= 1


def _of_titles(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    rest = seen.rest
    named = [word.text for word in rest.words if word.text in LANGUAGES]
    country = rest.match(rf"(?:{RELEASED}|made)(?: \w+)* in (?P<name>{'|'.join(COUNTRIES)})")
    if country:  # of a film that is said to come from there the language is asked
        if _fits(seen, {*country["name"].split(), "first", "country"}):
            code = COUNTRIES[country["name"]]
            is_theirs: Compose = Is(code)
            if code in SHARED_LANGUAGES:  # which shows no more than that it may be
                is_theirs = OnlyNo(is_theirs)
            yield Reading(get(film, "original_language", year), is_theirs)
        return
    about_language = rest.match(r"languages?|dialogue|spoken|speak|audio|filmed|dubbed") is not None
    about_title = rest.match(_TITLE) is not None
    allowed = {*MAY_SAY["original_title"].split(), "filmed", "country", *named, str(year)}
    if about_language or (len(named) == 1 and not rest.match(OTHER) and not about_title):
        if not _fits(seen, allowed) or len(named) > 1:
            return
        code = LANGUAGES[named[0]] if named else "en"
        other = rest.match(OTHER) is not None
        if named or other:
            yes, no = ("no", "yes") if other else ("yes", "no")
            yield Reading(get(film, "original_language", year), Is(code, yes, no))
        return
    if not about_title and not rest.match(rf"{OTHER}|{_FIRST}"):
        return
    if not film.exact:
        return
    titles = f"{get(film, 'title', year)}; {get(film, 'original_title', year)}"
    given = _given_title(rest)
    if given:
        if not rest.match(OTHER) and rest.match(_FIRST):
            yield Reading(titles, Titled(called=given))
        return
    if _fits(seen, allowed):
        yield Reading(titles, Titled(other=rest.match(OTHER) is not None))


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
    known = re.compile(rf"{OTHER}|{_FIRST}|{_TITLE}|something|else|same|that|differently|anything")
    return None if all(known.fullmatch(word) for word in given) else match["title"]
