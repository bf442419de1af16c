"""Questions in two steps: of a film or person that is not named but described.

"The film that won best picture in 1995", "the director of XFILM", "the latest film by XPERSON".
"""

import re
from collections.abc import Iterator

from models.kg.english.movie import films, people
from models.kg.english.movie.awards import CATEGORY, award_of
from models.kg.english.movie.keys import BIRTH, CAST, JOBS, PLAYED
from models.kg.english.movie.oscars import winner_of
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import FILM, KIND, PERSON, is_polar
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_WINS = (
    r"(?:that |which |who )?(?:was |were |had |has )?(?:w[oi]ns?|winn(?:er|ing)|took home"
    r"|taken home|receiv(?:ed|ing)|awarded|honou?red(?: with| as)?|earned|got|claimed"
    r"|recogni[sz]ed(?: as| with)?"
    r"|named|given|crowned|of)"
)
_OSCARS = r"(?:academy|oscars?|awards?|ceremony|annual)"
_FILL = r"(?:the|a|an|at|in|for|of|as|with|by|during|that|year)"
_WINNER = re.compile(
    rf"(?:(?:the|a|an) )?(?:(?:{KIND}|actor|actress|director|person|winner) )?"
    rf"(?:{_WINS} )?(?:(?:{_FILL}|{_OSCARS}|winn(?:er|ing)) )*{CATEGORY}"
    rf"(?: (?:{_FILL}|{_OSCARS}|winn(?:er|ing)|{KIND}))*\b"
)
_MAKERS = r"director|directors|writer|screenwriter|producer|composer|cinematographer|editor"


def read(seen: Seen) -> Iterator[Reading]:
    """The readings of a question about what it only describes."""
    if not seen.films and not seen.people:
        yield from _about_winner(seen)
    elif len(seen.films) == 1 and not seen.people:
        yield from _about_maker(seen, seen.films[0])


def _about_winner(seen: Seen) -> Iterator[Reading]:
    """Of the film, or the person, that won a category at the ceremony of a year."""
    award = award_of(seen.rest)
    if award is None or is_polar(seen.rest):
        return
    film, person = winner_of(award)
    if film is None:
        return
    plain = " ".join(award.rest.plain.split())
    if person is not None and re.search(rf"\b(?:{BIRTH})\b", plain):
        rest = Asked.of(_WINNER.sub(PERSON, plain, count=1), seen.asked.at)
        yield from people.about(Seen(seen.asked, rest, (), (person,)), person)
    elif person is None or re.search(rf"\b{KIND}\b", plain):
        rest = Asked.of(_WINNER.sub(FILM, plain, count=1), seen.asked.at)
        yield from films.about(Seen(seen.asked, rest, (film,), ()), film)


def _about_maker(seen: Seen, film: Thing) -> Iterator[Reading]:
    """The birthday of who directed, wrote or played a part in a film."""
    rest = seen.rest
    if not rest.match(BIRTH) or rest.match(r"where|place|city|country") or seen.years:
        return
    match = rest.match(
        rf"(?:the )?(?:(?:person|man|woman|one|filmmaker|{_MAKERS}) )?(?:who |that )?"
        rf"(?P<job>{_MAKERS}|directed|wrote|produced|composed|edited)"
        rf"(?: (?:of|for|behind|the|movie|film|music|score|motion|picture))* {FILM}"
    )
    if match:
        jobs = next((jobs for p, jobs in JOBS if re.fullmatch(rf"(?:{p})", match["job"])), None)
        text = _call("crew", film, f", eq(job, {quoted(jobs[0])})") if jobs else None
    else:
        match = rest.match(
            rf"(?:the )?(?:lead(?:ing)? |main )?(?:actor|actress|star|person|one) (?:who |that )?"
            rf"(?:(?:{PLAYED}) (?P<role>.+?) )?(?:in|of) (?:(?:the|movie|film) )*{FILM}"
        )
        if match is None or not match["role"] and not re.search(CAST, match.group()):
            return
        where = f", eq(character, {quoted(match['role'])})" if match["role"] else ", eq(order, 0)"
        text = _call("cast", film, where)
    if text is None:
        return
    said = f"{rest.plain[: match.start()]} {PERSON} {rest.plain[match.end() :]}"
    person = Thing(text)
    yield from people.about(Seen(seen.asked, Asked.of(said, seen.asked.at), (), (person,)), person)


def _call(part: str, film: Thing, where: str) -> str:
    return f'get_movie_person_{part}({film.text}, None{where})["name"]'
