"""Questions that compare films or people: by date, money, rating, length, age, or awards."""

from collections.abc import Iterator, Sequence

from models.kg.english.compose import Difference, Most
from models.kg.english.movie.awards import AWARDS, award_of
from models.kg.english.movie.compose import AllKnown, Shared, Total
from models.kg.english.movie.dates import Years
from models.kg.english.movie.honours import MoreAwards
from models.kg.english.movie.keys import RELEASED
from models.kg.english.movie.oscars import conditions, oscars, words_left
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import is_polar, unexplained
from models.kg.english.movie.years import years_of
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted

_MORE = (
    r"(?:more|most|higher|highest|greater|greatest|larger|largest|bigger|biggest|better|best|top)"
)
_LESS = r"(?:less|least|lower|lowest|fewer|fewest|smaller|smallest|worse|worst)"

# A key of films -> the phrases for more of it, and for less of it. The first that fits.
_FILMS: tuple[tuple[str, str, str], ...] = (
    (
        "budget",
        rf"{_MORE} (?:\w+ ){{0,2}}?(?:budget|costs?)|(?:more|most) (?:expensive|costly)"
        r"|costlier|costliest|(?:cost|spent) (?:the )?(?:more|most)"
        rf"|{_MORE} (?:\w+ )*to (?:make|produce)",
        rf"{_LESS} (?:\w+ ){{0,2}}?(?:budget|costs?)|cheaper|cheapest|(?:less|least) expensive"
        rf"|(?:cost|spent) (?:the )?(?:less|least)",
    ),
    (
        "revenue",
        rf"{_MORE} (?:\w+ ){{0,3}}?(?:box office|gross(?:ing|es)?|revenues?|earn(?:ings?|ed)?"
        rf"|money|sales"
        rf"|profits?|income|returns?)|(?:gross|earn|made|make|rak|brought|took|pull)(?:ed|e|d)? "
        rf"(?:\w+ ){{0,3}}?(?:more|most)|(?:more|most) (?:commercially )?successful"
        r"|outgross(?:ed)?|box office(?: \w+)* (?:better|best|more|most|higher|highest|top|winner)"
        r"|(?:better|best|higher|did better)(?: \w+)* box office",
        rf"{_LESS} (?:\w+ ){{0,3}}?(?:box office|gross(?:ing)?|revenues?|earn(?:ings?|ed)?"
        rf"|money|sales"
        r"|profits?|income)|(?:gross|earn|made|make)(?:ed|e|d)? (?:\w+ ){0,3}?(?:less|least)",
    ),
    (
        "rating",
        rf"{_MORE} (?:\w+ ){{0,3}}?(?:rat(?:ings?|ed)|scores?|reviews?|reviewed)",
        rf"{_LESS} (?:\w+ ){{0,3}}?(?:rat(?:ings?|ed)|scores?|reviews?|reviewed)",
    ),
    (
        "length",
        r"longer|longest|(?:more|greater) (?:\w+ )?(?:length|duration|minutes)"
        r"|runs? (?:for )?longer",
        r"shorter|shortest|less (?:\w+ )?(?:length|duration|minutes)",
    ),
    (
        "release_date",
        rf"(?:(?:{RELEASED}|made) (?:\w+ )*?)?(?:later|last|after|more recent(?:ly)?"
        rf"|most recent(?:ly)?"
        r"|newer|newest|latest)",
        rf"(?:(?:{RELEASED}|made) (?:\w+ )*?)?(?:first|earlier|earliest|before|sooner|older|oldest"
        r"|prior)",
    ),
)
_PEOPLE: tuple[tuple[str, str, str], ...] = (
    (
        "birthday",
        r"younger|youngest|born (?:later|last|after|more recently)",
        r"older|oldest|elder|eldest|senior|born (?:first|earlier|before|earliest)",
    ),
)
_SAID = frozenset(
    """
    costly costliest more most higher highest greater greatest larger largest bigger biggest
    better best less least lower lowest fewer fewest smaller smallest later last after newer
    newest latest recent recently first earlier earliest before sooner older oldest prior
    younger youngest elder eldest longer longest shorter shortest cheaper cheapest than or
    between two difference costlier senior combined combine average sum same outgross outgrossed
    successful commercially expensive top winner returns profit gap apart
    """.split()
)
_FIGURES = (
    ("budget", r"budgets?|costs?|spent", "${:,}"),
    ("revenue", r"box office|revenues?|gross\w*|earn\w*|made|make", "${:,}"),
    ("rating", r"rat(?:ings?|ed)|scores?", "{:.1f}"),
    ("length", r"lengths?|longer|shorter|runtimes?|running times?|duration|minutes", "{} minutes"),
)
_AGE = r"older|younger|elder|age|ages|born|birth|birthdays"
_COMES_FIRST = (
    r"came out on top|comes? out on top|on top|ahead|reigns? supreme|wins|won|leads?|beats?|beat"
)


def read(seen: Seen) -> Iterator[Reading]:
    """The readings of a question that compares films or people."""
    if len(seen.films) >= 2 and not seen.people:
        yield from _awards(seen, seen.films, film=True)
        yield from _shared(seen)
        yield from _between(seen)
        yield from _together(seen)
        yield from _by_key(seen, seen.films, "get_movie", _FILMS)
    elif len(seen.people) >= 2 and not seen.films:
        yield from _awards(seen, seen.people, film=False)
        yield from _ages(seen)
        yield from _by_key(seen, seen.people, "get_person", _PEOPLE)
        yield from _by_films(seen, seen.people)


def _named(things: Sequence[Thing]) -> tuple[str, ...]:
    return tuple(thing.name for thing in things)


def _fits(seen: Seen) -> bool:
    count = unexplained(seen.rest, _SAID)
    return count is not None and count <= 1


def _by_key(
    seen: Seen,
    things: Sequence[Thing],
    function: str,
    keys: Sequence[tuple[str, str, str]],
) -> Iterator[Reading]:
    rest = seen.rest
    if award_of(rest) is not None or not _fits(seen):
        return
    for key, more, less in keys:
        least = rest.match(less) is not None
        if not least and rest.match(more) is None:
            continue
        known = f", gt({key}, 0)" if key in ("budget", "revenue", "length", "rating") else ""
        program = "; ".join(
            f"ALL {function}({thing.text}{known})[{quoted(key)}]" for thing in things
        )
        polar = is_polar(rest)
        if polar and len(things) != 2 or rest.match(r"how (?:much|many)|by what|difference"):
            return
        names, tie = (("yes", "no"), "no") if polar else (_named(things), "they are equal")
        compose: Compose = Most(names, least=least, tie=tie)
        if known:
            titles = (f'ALL {function}({thing.text})["title"]' for thing in things)
            program = "; ".join([program, *titles])
            compose = AllKnown(key, len(things), compose)
        yield Reading(program, compose)
        return


def _between(seen: Seen) -> Iterator[Reading]:
    """The difference of a key of two films."""
    rest = seen.rest
    if len(seen.films) != 2 or not _fits(seen):
        return
    if not rest.match(
        r"difference|gap|apart|how (?:much|many)(?: \w+)* (?:more|longer|less|shorter)"
        r"|(?:years?|time) between|between the (?:releases?|release dates?)"
    ):
        return
    if rest.match(RELEASED) and rest.match(r"years?|apart|gap|time"):
        program = "; ".join(f'ALL get_movie({film.text})["release_date"]' for film in seen.films)
        yield Reading(program, Years())
        return
    for key, pattern, template in _FIGURES:
        if rest.match(pattern):
            program = "; ".join(_figure(film, key) for film in seen.films)
            yield Reading(program, Difference(template))
            return


def _ages(seen: Seen) -> Iterator[Reading]:
    """By how many years one person is older than another."""
    asks = r"difference|gap|apart|how (?:much|many)(?: \w+)* (?:older|younger|elder)|how far"
    if len(seen.people) == 2 and seen.rest.match(asks) and seen.rest.match(_AGE) and _fits(seen):
        each = (f'ALL get_person({person.text})["birthday"]' for person in seen.people)
        yield Reading("; ".join(each), Years())


def _shared(seen: Seen) -> Iterator[Reading]:
    """Whether films have the same director, year, genre or language."""
    rest = seen.rest
    if not is_polar(rest) or not rest.match(r"same|shared?|common|both") or not _fits(seen):
        return
    for pattern, program in (
        (
            r"direct\w*|person|filmmaker",
            'ALL get_movie_person_crew({}, None, eq(job, "Director"))["name"]',
        ),
        (r"genres?", 'ALL get_movie({})["genres"]'),
        (r"languages?", 'ALL get_movie({})["original_language"]'),
        (r"years?", 'ALL get_movie({})["year"]'),
        (r"actors?|actress|star\w*", 'ALL get_movie_person_cast({}, None)["name"]'),
    ):
        if rest.match(pattern):
            yield Reading("; ".join(program.format(film.text) for film in seen.films), Shared())
            return


def _together(seen: Seen) -> Iterator[Reading]:
    """The sum or the average of a figure of several films."""
    rest = seen.rest
    average = rest.match(r"average|mean")
    if not (average or rest.match(r"combined?|total|together|altogether|sum|in all|collectively")):
        return
    if not _fits(seen) or is_polar(rest):
        return
    for key, pattern, template in _FIGURES:
        if rest.match(pattern):
            program = "; ".join(_figure(film, key) for film in seen.films)
            yield Reading(program, Total(template, average is not None))
            return


def _figure(film: Thing, key: str) -> str:
    return f"ALL get_movie({film.text}, gt({key}, 0))[{quoted(key)}]"


def _awards(seen: Seen, things: Sequence[Thing], *, film: bool) -> Iterator[Reading]:
    award = award_of(seen.rest)
    if award is None or len(award.categories) > 1 or len(award.years) > 1:
        return
    rest = award.rest
    if not award.oscars and rest.match(AWARDS) is None:
        return
    if not words_left(award, _SAID) or not rest.match(rf"{_MORE}|{_LESS}|{_COMES_FIRST}"):
        return
    where = conditions(award)
    statements = []
    for thing in things:
        of = (thing.text, "None") if film else ("None", thing.text)
        statements += [oscars(*of, "None", "category"), oscars(*of, where, "category")]
    least, polar = rest.match(_LESS) is not None, is_polar(seen.rest)
    if polar and len(things) > 2:
        return
    answer = MoreAwards(_named(things), least=least, film=film, polar=polar)
    yield Reading("; ".join(statements), answer)


def _by_films(seen: Seen, people: Sequence[Thing]) -> Iterator[Reading]:
    """Who has directed more films. The KG may lack films that a person is in."""
    rest = seen.rest
    if not rest.match(r"(?:more|most|fewer|fewest|less|least)(?: \w+)? (?:films?|movies?|credits)"):
        return
    if not rest.match(r"who|which|whom") or award_of(rest) is not None or not _fits(seen):
        return
    if not rest.match(r"direct\w*|helm\w*"):
        return
    years = years_of(rest)
    if years is None:
        return
    where = ", ".join(('eq(job, "Director")', *years.conditions))
    program = "; ".join(
        f'get_movie_person_crew(None, {person.text}, [{where}])["movie_name"]["len"]'
        for person in people
    )
    least = rest.match(r"fewer|fewest|less|least") is not None
    yield Reading(program, Most(_named(people), least=least))
