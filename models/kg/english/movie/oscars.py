"""Questions about the Oscars: of a ceremony, of a person, of a film."""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from models.kg.english.compose import Listed, Value
from models.kg.english.movie.awards import (
    AWARDS,
    CATEGORY,
    NOMINATED,
    OF_PEOPLE,
    WON,
    Award,
    award_of,
    film_is_asked,
    place_of,
)
from models.kg.english.movie.compose import Named, Nth
from models.kg.english.movie.dates import AgeThen
from models.kg.english.movie.honours import AnyAward, Awards, Honoured, Tally
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import FILM, KIND, PERSON, is_polar, unexplained
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked
from models.records import INVALID

_WORDS = frozenset(
    f"{CATEGORY} academy annual award awards ceremony coveted first gala hosted last most nod nods"
    " once oscars oscar place presented latest recent ever so far total number second"
    " third during where".split()
)
_LONGEST = 15  # years of a run of ceremonies that are listed
# What asks for more than the Oscars say; and what does unless it describes the film that is asked.
_BEYOND = (
    r"leading lady|budget|box office|gross\w*|runtime|how long|born|birthday|genres?"
    r"|languages?|who hosted|runner ups?|speech|married|youngest|oldest|average|release date"
    r"|when(?: \w+)* released"
)
_OF_A_FILM = (
    r"starr(?:ed|ing)|stars?|lead(?:ing)? (?:man|actors?|actress)|cast|released|played|plays"
    r"|characters?|written|wrote|writer|produced|producers?"
)


def read(seen: Seen) -> Iterator[Reading]:
    """The readings of a question about the Oscars."""
    award = award_of(seen.rest)
    if award is None:
        return
    if len(award.years) == 2 and not seen.films and not seen.people:
        yield from _of_ceremonies(award, seen.rest)
    if len(award.years) > 1:
        return
    if not _says_award(award) or _asks_beyond(award):
        return
    count = unexplained(award.rest, _WORDS)
    if count is None or count > 2:
        return
    if not seen.films and not seen.people:
        yield from _of_ceremony(award)
    elif len(seen.people) == 1 and not seen.films:
        yield from _of_person(award, seen.people[0])
    elif len(seen.films) == 1 and not seen.people:
        yield from _of_film(award, seen.films[0])
    elif len(seen.films) == 1 and len(seen.people) == 1:
        yield from _of_both(award, seen.films[0], seen.people[0])


def _asks_beyond(award: Award) -> bool:
    rest, honoured = award.rest, set(award.categories) & OF_PEOPLE
    if rest.match(rf"(?:which|what|name of the|name the) (?:\w+ )?{KIND}") is not None:
        return False
    if rest.match(_BEYOND) is not None:
        return True
    if rest.match(_OF_A_FILM) is not None and not honoured and not film_is_asked(award):
        return True
    if (
        award.categories
        and not honoured - {"best director"}
        and rest.match(r"actors?|actress(?:es)?")
    ):
        return True
    return "best director" not in honoured and rest.match(r"direct(?:ed|ors?|s)") is not None


def _says_award(award: Award) -> bool:
    if award.oscars:
        return True
    return bool(award.categories) and award.rest.match(rf"{AWARDS}|{WON}|{NOMINATED}") is not None


def conditions(award: Award, *more: str, year: bool = True) -> str:
    """The conditions on a row of the Oscars, as a program writes them."""
    found = [f"eq(year, {award.years[0]})"] if year and award.years else []
    if award.category:
        found.append(f"eq(category, {quoted(award.category)})")
    if not award.nominated:
        found.append('eq(winner, "true")')
    return f"[{', '.join([*found, *more])}]" if found or more else "None"


def oscars(film: str, person: str, where: str, key: str) -> str:
    """A call for all rows of the Oscars of a film, a person, or, by `where`, a year."""
    end = "" if where == "None" else f", {where}"
    return f"ALL get_movie_person_oscar({film}, {person}{end})[{quoted(key)}]"


def winner_of(award: Award) -> tuple[Thing | None, Thing | None]:
    """The film and, in a category of people, the person that won, as things to ask about."""
    if len(award.categories) != 1 or len(award.years) != 1 or award.nominated:
        return None, None
    call = oscars("None", "None", conditions(award), "").removeprefix("ALL ").removesuffix('[""]')
    person = Thing(f'{call}["name"]') if award.category in OF_PEOPLE else None
    return Thing(f'{call}["movie_name"]'), person


def _of_ceremony(award: Award) -> Iterator[Reading]:
    if len(award.years) != 1 or is_polar(award.rest):
        return
    rest = award.rest
    key = "movie_name" if film_is_asked(award) else "name"
    if award.category is None:
        if rest.match(r"most") and not rest.match("least|fewest"):
            won = award.nominated and not rest.match(WON)
            where = f"[eq(year, {award.years[0]})" + ("]" if won else ', eq(winner, "true")]')
            yield Reading(
                oscars("None", "None", where, key), Tally(key, rest.match("how many") is not None)
            )
        return
    if len(award.categories) > 1 or rest.match(
        r"where|when|why|how old|age|(?:which|what) (?:\w+ )?songs?|and (?:for )?(?:which|what)"
    ):
        return
    if rest.match("how many|number of"):
        if award.nominated:
            yield Reading(oscars("None", "None", conditions(award), key), Honoured(count=True))
        return
    yield Reading(oscars("None", "None", conditions(award), key), Honoured())


def _of_ceremonies(award: Award, rest: Asked) -> Iterator[Reading]:
    """The winners of a category in a run of years."""
    if not rest.match(
        r"(?:between|from) (?:19|20)\d\d (?:and|to|through|until|till) (?:19|20)\d\d"
    ):
        return
    first, last = sorted(award.years)
    if last - first > _LONGEST or len(award.categories) != 1 or is_polar(award.rest):
        return
    if not words_left(award, ("between",)) or award.rest.match("how many|when|where|most"):
        return
    key = "movie_name" if film_is_asked(award) else "name"
    each = [replace(award, years=(year,)) for year in range(first, last + 1)]
    yield Reading("; ".join(oscars("None", "None", conditions(a), key) for a in each), Honoured())


def _of_person(award: Award, person: Thing) -> Iterator[Reading]:
    rest = award.rest
    if len(award.categories) == 2:
        yield from _then(award, person, PERSON)
    if len(award.categories) > 1:
        return
    every = oscars("None", person.text, "None", "category")
    count = f"{every}; {oscars('None', person.text, conditions(award), 'category')}"
    if is_polar(rest):
        if award.years and award.category:
            yield Reading(oscars("None", "None", conditions(award), "name"), Named(person.name))
        elif not rest.match(r"(?:more|less|fewer) than|first|last"):
            yield Reading(count, AnyAward())
    elif rest.match(r"how many|number of|how often|total|count"):
        so_far = award.nominated and not award.years
        yield Reading(count, Awards(so_far=so_far))
    elif rest.match(r"how old|what age|age"):
        yield from _age_at(award, person)
    else:
        yield from _which(award, person)


def _age_at(award: Award, person: Thing) -> Iterator[Reading]:
    """How old a person was at the ceremony, by the years."""
    if award.nominated and award.rest.match(WON):
        return
    where = conditions(award)
    order = "-year" if place_of(award.rest) == -1 else "year"
    yield Reading(
        f'ALL get_person({person.text})["birthday"]; '
        f"{oscars('None', person.text, where, 'year').removeprefix('ALL ')}; "
        f'sort(None, {order})["year"]',
        AgeThen(),
    )


def _which(award: Award, person: Thing) -> Iterator[Reading]:
    """When, for what film, or in which category a person was honoured: each time or one of them."""
    key, place = _asked_of_person(award), place_of(award.rest)
    if key is None:
        return
    call = oscars("None", person.text, conditions(award), key)
    if place is None:
        yield Reading(call, Listed())
    else:
        yield Reading(
            f"{call.removeprefix('ALL ')}; ALL sort(None, year)[{quoted(key)}]", Nth(place)
        )


def _asked_of_person(award: Award) -> str | None:
    """The key of a person's Oscars that is asked for."""
    rest = award.rest
    if rest.match(r"when|what year|which year|year|how long"):
        return "year"
    if rest.match(
        r"(?:which|what|for|name)(?: \w+){0,4}? (?:films?|movies?|pictures?|roles?|performances?"
        rf"|work)|for what|for which|{AWARDS}(?: \w+)? for$|for$"
    ):
        of_a_role = rest.match(r"roles?|characters?") and not rest.match(r"films?|movies?")
        return None if of_a_role else "movie_name"
    kinds = rf"(?:what|which)(?: \w+){{0,2}}? (?:categor(?:y|ies)|{AWARDS})"
    return "category" if award.category is None and rest.match(kinds) else None


def _then(award: Award, honoured: Thing, mark: str) -> Iterator[Reading]:
    """At the ceremony at which a film or person won in one category: who won in the other one."""
    text = award.rest.plain
    order = [m.group() for m in re.finditer(rf"{PERSON}|{FILM}|{CATEGORY}", text)]
    if order.count(CATEGORY) != 2 or order.count(mark) != 1:
        return
    own = 1 if order.index(mark) > order.index(CATEGORY) else 0
    theirs, wanted = award.categories[own], award.categories[1 - own]
    place = place_of(award.rest)
    if place not in (None, 1, -1):
        return
    order_by = "-year" if place == -1 else "year"
    won = f'[eq(category, {quoted(theirs)}), eq(winner, "true")]'
    where = f'[eq(category, {quoted(wanted)}), eq(winner, "true")]'
    part = Asked.of(text.split(mark)[0] if own else text.split(CATEGORY, 1)[1], award.rest.at)
    asked = Award(part, (wanted,), (), award.oscars, False)
    key = "movie_name" if film_is_asked(asked) else "name"
    of = f"None, {honoured.text}" if mark == PERSON else f"{honoured.text}, None"
    yield Reading(
        f'get_movie_person_oscar({of}, {won})["year"]; '
        f'sort(None, {order_by})["year"]; '
        f"ALL get_movie_person_oscar(None, None, *, {where})[{quoted(key)}]",
        Listed(),
    )


def _of_film(award: Award, film: Thing) -> Iterator[Reading]:
    rest = award.rest
    if len(award.categories) == 2:
        yield from _then(award, film, FILM)
    if len(award.categories) > 1:
        return
    every = oscars(film.text, "None", "None", "category")
    where = conditions(award)
    count = f"{every}; {oscars(film.text, 'None', where, 'category')}"
    if is_polar(rest):
        if not rest.match(r"(?:more|less|fewer) than|first|last|most"):
            yield Reading(count, AnyAward())
    elif rest.match(r"how many|number of|how often|total|count"):
        yield Reading(count, Awards(film=True))
    elif rest.match(r"when|what year|which year|in what"):
        yield Reading(oscars(film.text, "None", where, "year"), Value())
    elif rest.match(r"who|whom|whose|actors?|actress(?:es)?|director"):
        if award.category is None:
            if not rest.match(r"actors?|actress(?:es)?"):
                return
            award = Award(rest, ("acting",), award.years, award.oscars, award.nominated)
        yield Reading(oscars(film.text, "None", conditions(award), "name"), Listed(empty=INVALID))
    elif award.category is None and rest.match(
        rf"(?:what|which|list|name)(?: \w+){{0,3}}? (?:categor(?:y|ies)|{AWARDS}|{NOMINATED})"
    ):
        yield Reading(oscars(film.text, "None", where, "category"), Listed(empty=INVALID))


def _of_both(award: Award, film: Thing, person: Thing) -> Iterator[Reading]:
    rest = award.rest
    if len(award.categories) > 1:
        return
    own = f"eq(movie_name, {film.text})"
    where = conditions(award, own)
    every = oscars("None", person.text, f"[{own}]", "category")
    if is_polar(rest):
        kept = oscars("None", person.text, where, "category")
        all_of_person = oscars("None", person.text, "None", "category")
        yield Reading(f"{all_of_person}; {kept}", AnyAward())
    elif rest.match(r"how many|number of"):
        yield Reading(f"{every}; {oscars('None', person.text, where, 'category')}", Awards())
    elif rest.match(r"when|what year|which year"):
        yield Reading(oscars("None", person.text, where, "year"), Value())
    elif rest.match(rf"(?:what|which)(?: \w+){{0,2}}? (?:categor(?:y|ies)|{AWARDS})"):
        yield Reading(oscars("None", person.text, where, "category"), Listed())


def words_left(award: Award, allowed: Collection[str] = ()) -> bool:
    """Whether nothing is left that is not understood."""
    count = unexplained(award.rest, {*_WORDS, *allowed})
    return count is not None and count <= 1
