"""Questions about two or more artists: does one belong to the other, which is older, is it so."""

from models.kg.english.compose import Difference, Most
from models.kg.english.music import answers_dates as dates
from models.kg.english.music import answers_life as life
from models.kg.english.music import answers_members as say
from models.kg.english.music.words import (
    ARTIST,
    BORN,
    FORMED,
    THE,
    Found,
    explained,
    phrases,
)
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from models.records import INVALID

_PAIR = 2
_POLAR = r"^(?:so )?(?:is|was|are|were|did|does|do|has|have)"
_BETWEEN = phrases(
    r"""
    member of|part of|in|with|from|for|of
    belong\w*|join(ed)?
    (play|sing|perform)(s|ed)?( in| with| for)?
    """
)
_MEMBER = phrases(
    r"""
    (ever )?(a |the )?members?( of)?
    (a )?part of|(ever )?in|belong\w*( to)?|join(ed)?
    (ever )?(sing|sang|sung|(play|perform|work)(s|ed)?) (in|for)
    """
)
_ROLE = phrases(
    r"""
    (lead |bass |back ?up |rhythm )?(drummer|bassist|guitarist|singer|vocalist|keyboardist|pianist)
    (lead |bass )?(drums?|guitar|bass|keyboards?|vocals|piano)
    frontman|frontwoman|member|musician
    """
)
_PRESUPPOSES = (
    r"when|how long|how many years|what (?:year|instrument|role)|which (?:year|instrument)|why"
)
_JOINED = phrases(
    r"""
    join(ed|ing)?
    le(ave|ft|aving)|quit
    member of|part of|be in
    play(ed|ing)?|replace[ds]?
    """
)
_GAP = phrases(
    r"""
    how (many years|long)( after| before| later| earlier)?
    how much
    age (difference|gap)
    difference|years apart
    by how many years
    """
)
_DIED = r"died|dies|die|pass(?:ed|es)?(?: away)?|disband(?:ed)?|(?:broke|split)(?: up)?"
# How English compares when artists were born, or began -> whether the later date is asked for.
_COMPARISONS = (
    (
        phrases(
            rf"""
            younger|youngest|newer|newest
            (born|birthday) (later|latest|last|(more|most) recently|after)
            ({FORMED})( as an? (band|group))? (later|last|(more|most) recently)
            (most|more) recently ({FORMED})
            later ({FORMED})
            """
        ),
        True,
    ),
    (
        phrases(
            rf"""
            older|oldest|elder|eldest|senior
            (born|birthday) (first|earlier|earliest|before|sooner)
            (earlier|earliest|first) (born|birth ?(date|day)?)
            ({FORMED})( as an? (band|group))? (first|earlier|earliest|sooner|before)
            (first|earlier) to ({FORMED})
            (first|earlier) ({FORMED})
            around (first|longer)
            been (around|performing|together|active)( for)?( longer| the longest| longest)?
            (active|together|performing|playing|existed)( for)? (longer|the longest|longest|first)
            predates?|preced(e|es|ed)
            """
        ),
        False,
    ),
)


def read(found: Found) -> list[Reading]:
    of_two = [*_membership(found), *_same(found)] if len(found.named) == _PAIR else []
    return of_two or _compared(found)


def stranger(found: Found) -> list[Reading]:
    """Since when somebody, whom the KG does not name, played in a band, or where an artist did:
    whether it is so at all."""
    who = r"(?P<who>(?!a |an |he |she |they |it )\w+(?: \w+){1,3}?)"
    band = r"(?P<who>(?!a |an |he |she |they |it )\w+(?: \w+){0,3}?)"
    tail = r"(?:for|in|of|with)(?: the)?(?: (?:rock |pop )?(?:band|group))?(?: the)?"
    verb = r"(?:(?:was|is|were|did|does|has|have) )?"
    do = rf"(?:(?:been )?(?:the |a )?(?:{_ROLE})|plays?(?: the)? (?:{_ROLE}))"
    of_band = rf"^(?:{_PRESUPPOSES}) {verb}{who} {do} {tail} {ARTIST}$"
    of_person = rf"^(?:{_PRESUPPOSES}) {verb}{ARTIST} {do} {tail} {band}$"
    match = found.rest.match(of_band) or found.rest.match(of_person)
    if match is None:
        return []
    program = f'ALL get_person({quoted(found.firsts[0])})["members"]'
    return [Reading(program, say.Stranger(match["who"]))]


def _membership(found: Found) -> list[Reading]:
    """Whether one of two belongs to the other; what else is asked presupposes it."""
    one, other = found.firsts
    rest, each = found.rest, _each("members", found)
    asks = rf"{_POLAR} {THE}{ARTIST}"
    if explained(rest, (asks, _MEMBER)):
        return [Reading(each, say.Belongs((one, other)))]
    if rest.match(asks) and rest.has(_ROLE, _BETWEEN) and explained(rest, (asks, _ROLE, _BETWEEN)):
        return [Reading(each, say.Belongs((one, other), yes=None))]
    if rest.match(_PRESUPPOSES) and any(
        explained(rest, (_PRESUPPOSES, *line), spare=2)
        for line in ((_ROLE, _JOINED), (_ROLE,), (_JOINED,))
    ):
        return [Reading(each, say.Belongs((one, other), yes=None, no=INVALID))]
    return []


def _same(found: Found) -> list[Reading]:
    """Whether two have a date or country in common, how far apart they are, if one is older."""
    rest = found.rest
    born = _each("birth_date", found)
    if explained(rest, (_POLAR, r"same (?:year|time)", f"{BORN}|{FORMED}")):
        return [Reading(born, dates.Same(4))]
    if explained(rest, (_POLAR, r"same (?:date|day|birthday)", BORN)) or explained(
        rest, (_POLAR, r"(?:share|same)(?: a| the same)? (?:birthday|birth ?date)")
    ):
        return [Reading(born, dates.Same())]
    if explained(rest, (_POLAR, r"same (?:country|place|nation\w*|origin)")):
        return [Reading(_each("birth_place", found), dates.Same())]
    if explained(rest, (_GAP, rf"older|younger|age|ages|apart|{BORN}|{FORMED}")):
        return [Reading(born, dates.Apart())]
    for pattern, latest in _COMPARISONS:
        side = "after" if latest else "before"
        than = (
            rf"(?:{pattern})(?: as)?(?: than| before| after)? {THE}{ARTIST}"
            rf"|(?:{BORN}|{FORMED}) {side} {THE}{ARTIST}"
        )
        if explained(rest, (rf"{_POLAR} {THE}{ARTIST}", than)):
            return [Reading(born, dates.Sooner(later=latest))]
    return []


def _compared(found: Found) -> list[Reading]:
    """Which of several artists is the younger, or began first, or has more members."""
    rest = found.rest
    counts = "; ".join(f'get_person({quoted(n)})["members"]["len"]' for n in found.firsts)
    if explained(rest, (r"how many (?:more|fewer)|difference", r"(?:band )?members|people")):
        return [Reading(counts, Difference())] if len(found.named) == _PAIR else []
    for pattern, least in (
        (r"more|most|larger|largest|bigger|biggest", False),
        (r"fewer|fewest|less|least|smaller|smallest", True),
    ):
        if explained(rest, (r"who|which|what", pattern, r"members|people|lineup|bands?|groups?")):
            return [Reading(counts, Most(found.firsts, least))]
    asks = phrases(
        rf"""
        who|which|what|name|tell|whose
        between|out of|of|among
        {ARTIST} or (the )?{ARTIST}
        """
    )
    if rest.has("how (?:old|many|much)|when|where"):
        return []
    ended = _ended(found, asks)
    if ended:
        return ended
    for pattern, latest in _COMPARISONS:
        if explained(rest, (asks, pattern)):
            return [Reading(_each("birth_date", found), dates.Edge(found.firsts, latest))]
    return []


def _ended(found: Found, asks: str) -> list[Reading]:
    """Who of several died first or last, or lived, or lasted, the longest."""
    lifespans = _each("lifespan", found)
    for pattern, compose in (
        (rf"(?:{_DIED}) (?:first|earlier|earliest|before)", life.EndEdge(found.firsts)),
        (rf"(?:{_DIED}) (?:last|later|latest|after)", life.EndEdge(found.firsts, latest=True)),
        (
            r"lived? (?:the )?long(?:er|est)|(?:old|eld)(?:er|est) (?:when|at)",
            life.LastedMost(found.firsts),
        ),
        (r"(?:died|passed away) (?:the )?old(?:er|est)|older age", life.LastedMost(found.firsts)),
        (
            r"(?:died|passed away) (?:the )?young(?:er|est)|(?:shorter|shortest) life|younger age",
            life.LastedMost(found.firsts, least=True),
        ),
    ):
        if explained(found.rest, (asks, pattern)) or explained(found.rest, (asks, pattern, _DIED)):
            return [Reading(lifespans, compose)]
    return []


def _each(key: str, found: Found) -> str:
    calls = (f"ALL get_person({quoted(name)})[{quoted(key)}]" for name in found.firsts)
    return "; ".join(calls)
