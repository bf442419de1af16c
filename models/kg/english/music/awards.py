"""Questions about the Grammys: who won, how many, when, who more.

The KG tells who won at a ceremony for three categories, and how many an artist or a song has won
in all.
"""

import re
from string import capwords

from models.kg.english.compose import Value
from models.kg.english.music import answers_awards as say
from models.kg.english.music.ceremonies import (
    CEREMONY,
    GRAMMY,
    LAST,
    RUNS,
    Ceremonies,
    ceremonies,
)
from models.kg.english.music.unnamed import unnamed, with_strangers
from models.kg.english.music.words import (
    ARTIST,
    SONG,
    Found,
    explained,
    less,
    phrases,
    risky,
    take_out,
)
from models.kg.english.names import ARTISTS, SONGS, Names
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked, runs
from utils.text import words

_CUES = frozenset(
    """
    album all annual any anyone artist award awarded awards best by ceremony did do does ever first
    for get given go got grammies grammy grammys had has have him home honored how in it last many
    more most named new number of on one out overall received receive record song she taken
    take than the their they time times to took total track until up was were what when which who
    win winner winners winning wins won year years earn earned recent recently amount single
    """.split()
) | {CEREMONY}
_CATEGORIES = (
    ("best_new_artist", r"(?:best )?new artist(?:s)?(?: of the year)?"),
    ("best_album", r"album(?:s)? of the year|best album|top album"),
    ("best_song", r"song(?:s)? of the year|best song|top song"),
)
WON = phrases(
    r"""
    w[io]n(s|ning|ner|ners)?
    award(ed|s)?
    receiv(e|ed|es|ing)|recipients?
    t(ake|ook|aken|aking)( home)?|home
    g(et|ot|iven|oes|o|one|otten)( to)?|went|to
    earn(ed|s)?|named|honou?red|crowned
    was|is|were|are|been|has|have|had
    bag(ged)?|collect(ed)?|scored?|achieved?|accept(ed|s)?|presented|secured?|garner(ed)?
    amass(ed)?|claim(ed|s)?|snag(ged)?|pick(ed)? up|grab(bed)?|land(ed)?|clinch(ed)?|nab(bed)?
    h[oe]lds?|own(s|ed)?|boast(s|ed)?|possess(es|ed)?|rack(ed)? up|accumulated?|net(ted)?
    capture[ds]?|who
    """
)
_CEREMONIAL = re.compile(
    rf"(?:{WON}|annual|ceremon\w+|gramm\w+|prize|title|category|from|held|show|troph(?:y|ies)|statuettes?"
    r"|honou?rs?|accolades?|prizes)"
)
_SHARED = r"tied(?: for)?|shared?|split|in a tie|jointly"
_MANY = phrases(
    r"""
    how many( total| different)?( times)?
    (number|count|amount) of( times)?
    how often
    total( number| count)?
    (what|whats|give|tell)\b.*\b(tally|haul|count|total|record)
    """
)
_ELSE = r"country|nation\w*|where|born|birth\w*|old|age|from$|songs? (?:were|did|by)|members?"
_PAIR = 2
_SEVERAL, _LONGEST = 2, 5  # words of a name that only the awards know
_COMPARING = r"more|fewer|less|than|difference"
_PERFORMER = r"who|artists?|singers?|bands?|performers?|musicians?|whose"
_POLAR = r"^(?:so )?(?:is|was|were|did|does|do|has|have|had) (?:the )?(?:\w+ )?"


def is_about(asked: Asked) -> bool:
    return asked.has(GRAMMY, "best new artist", "(?:album|song|record)s? of the year")


def read(asked: Asked, names: Names) -> list[Reading]:
    category, rest = _category(asked)
    held, rest = ceremonies(rest)
    while (match := RUNS.search(rest.plain)) is not None:
        rest = less(rest, match)
    if category is None:
        return _wins(held, rest, names)
    if rest.has(_ELSE):
        return []
    readings = _winners(category, held, rest)
    if readings or category != "best_new_artist":
        return readings
    return _new_artist(held, rest, names)


def _category(asked: Asked) -> tuple[str | None, Asked]:
    for key, pattern in _CATEGORIES:
        match = asked.match(pattern)
        if match is not None:
            return key, less(asked, match)
    return None, asked


def _winners(category: str, held: Ceremonies | None, rest: Asked) -> list[Reading]:
    """Who or what won in a category at the ceremonies that are named."""
    if held is None or held.until or held.since:
        return []
    asks = (
        r"who|what|which|whom|whose|name|list|tell|give|show|every|all|each|identify|winners?"
        rf"|artists?|singers?|albums?|songs?|acts?|(?:two|both|pair|ones?)|{_SHARED}"
    )
    sang = r"sang|sung|sings?|perform(?:s|ed|er)?|artists?|singers?|by whom|author|behind|that"
    bare = _less_marks(rest)
    by_whom = category != "best_new_artist" and rest.has(_PERFORMER)
    if (
        bare.words
        and not explained(bare, (asks,), 0)
        and not (by_whom and explained(bare, (asks, sang), 0))
    ):
        return []
    if rest.at is not None and max(held.years) >= rest.at.year:
        return [Reading("None", say.Always())]  # not held yet
    if by_whom:
        return _performer(category, held.years)
    statements = [f"ALL get_grammy_year({year})[{quoted(category)}]" for year in held.years]
    return [Reading("; ".join(statements), say.AllOf())]


def _performer(category: str, years: tuple[int, ...]) -> list[Reading]:
    """Whose album or song won: many have one of that name, but few a Grammy of that year."""
    if len(years) != 1:
        return []
    won = f"get_grammy_year({years[0]})[{quoted(category)}]"
    program = f'ALL get_song({won})["author"]; ALL get_grammy_person(*)["award_date"]'
    return [Reading(program, say.Awarded(years[0]))]


def _less_marks(rest: Asked) -> Asked:
    """The question without what is said of any award."""
    kept = tuple(
        word
        for word in rest.words
        if word.text == "who" or not (word.text == CEREMONY or _CEREMONIAL.fullmatch(word.text))
    )
    return Asked(rest.text, kept, rest.at)


def _new_artist(held: Ceremonies | None, rest: Asked, names: Names) -> list[Reading]:
    """Whether and when an artist was the best new one."""
    found = _new_artist_named(rest, names) or take_out(rest, names, ARTISTS, ARTIST, _CUES)
    left = found.rest
    many = (_MANY,) if left.has(_MANY) else ()
    if len(found.named) != 1 or not explained(_less_marks(left), many, 0):
        return []
    name = found.firsts[0]
    awarded = f'ALL get_grammy_year(None)["best_new_artist"]; {_born(name)}'
    if left.match(f"{_POLAR}{ARTIST}"):
        if held is None:
            return [Reading(awarded, say.Among(name))]
        if len(held.years) == 1 and not (held.until or held.since):
            program = f'ALL get_grammy_year({held.years[0]})["best_new_artist"]'
            return [Reading(program, say.Among(name))]
        return []
    if held is not None:
        return []
    if left.has(_MANY):
        return [Reading(awarded, say.Among(name, yes="1", no="0"))]
    if left.has("when|year|date|which|ceremony|what"):
        dates = f'get_grammy_person({quoted(name)})["award_date"]'
        program = f'{awarded}; ALL get_grammy_year(ALL {dates})["best_new_artist"]'
        return [Reading(program, say.YearAmong(name))]
    return []


def _new_artist_named(rest: Asked, names: Names) -> Found | None:
    """The one Best New Artist of any year whose name stands in the question."""
    standing = {
        span: str(artist)
        for artist in names.fetch("/music/grammy_get_all_awarded_artists") or ()
        for span in runs(words(str(artist)), rest.plain.split())
    }
    longest = max(standing, key=len, default=None)
    if longest is None:
        return None
    return Found(((standing[longest],),), rest.without([longest], ARTIST))


def _born(name: str) -> str:
    return f'ALL get_person({quoted(name)})["birth_date"]'


def _wins(held: Ceremonies | None, rest: Asked, names: Names) -> list[Reading]:
    """How many Grammys artists or songs have won, and when."""
    if rest.has(r"(?:song|track|single|album|record|hit|title)s?"):
        songs = take_out(rest, names, SONGS, SONG, _CUES)
        readings = _of_song(songs, held) if len(songs.named) == 1 else []
        if readings:
            return readings
    found = take_out(rest, names, ARTISTS, ARTIST, _CUES)
    if len(found.named) >= 2:
        return _more(found, held)
    compared = found.rest.has(_COMPARING, "most|fewest")
    both = with_strangers(Found(found.named, _less_marks(found.rest)), _CUES) if compared else None
    if both is not None:
        return [Reading(r.program, say.AllKnown(r.compose)) for r in _more(both, held)]
    readings = _of_artist(found, held) if found.named else []
    if readings:
        return readings
    songs = take_out(rest, names, SONGS, SONG, _CUES)
    if songs.named:
        return _of_song(songs, held) if len(songs.named) == 1 else []
    return [] if found.named else _of_stranger(rest, held)


def _of_stranger(rest: Asked, held: Ceremonies | None) -> list[Reading]:
    """How many Grammys somebody won whom the search of artists does not know: the awards have
    their own list of names. None at all is no answer, for it may be no name."""
    found = unnamed(rest, ARTIST, _CUES, joined=True)
    if len(found.named) != 1 or not _SEVERAL <= len(words(found.firsts[0])) <= _LONGEST:
        return []
    if any(risky(word) for word in words(found.firsts[0])):
        return []
    named = Found(((capwords(found.firsts[0]),),), found.rest)
    readings = _of_artist(named, held)
    return [Reading(r.program, say.Known(r.compose)) for r in readings]


def _of_artist(found: Found, held: Ceremonies | None) -> list[Reading]:
    rest, name = found.rest, quoted(found.firsts[0])
    count = f'get_grammy_person({name})["award_count"]'
    dates = f'ALL get_grammy_person({name})["award_date"]'
    low, high = held.bounds if held else (None, None)
    bare = _less_marks(rest)
    if explained(bare, (_MANY,), 0) and not rest.has(_COMPARING):
        ended = f'ALL get_person({name})["lifespan"]'
        return [Reading(f"{count}; {dates}; {ended}", say.Count(low, high, LAST))]
    if rest.match(f"{_POLAR}{ARTIST}") and explained(bare, (), 0):
        return [Reading(dates, say.AnyWithin(low, high))]
    if held:
        return []
    asks_when = r"when|(?:what|which|all|the) years?|year"
    for pattern, reduce in (
        (r"first(?: ever)?|earliest", "MIN"),
        (r"last|latest|(?:most )?recent(?:ly)?", "MAX"),
    ):
        if explained(bare, (asks_when, pattern), 0):
            return [Reading(f"{reduce} {dates.removeprefix('ALL ')}", Value())]
    if explained(bare, (rf"{asks_when}|(?:what|which) ceremonies|years",), 0):
        return [Reading(dates, say.Years())]
    return []


def _more(found: Found, held: Ceremonies | None) -> list[Reading]:
    """Who of several has won more Grammys."""
    low, high = held.bounds if held else (None, None)
    counts = "; ".join(
        f'get_grammy_person({quoted(n)})["award_count"]; '
        f'ALL get_grammy_person({quoted(n)})["award_date"]'
        for n in found.firsts
    )
    bare = _less_marks(found.rest)
    if found.rest.has(_MANY):
        if not found.rest.has(_COMPARING):
            return [Reading(counts, say.InAll(low, high))] if explained(bare, (_MANY,), 0) else []
        apart = explained(bare, (_MANY, _COMPARING), 0) and len(found.named) == _PAIR
        return [Reading(counts, say.Apart(low, high))] if apart else []
    for pattern, least in (
        (r"more|most|greater|higher|highest|larger|largest|bigger", False),
        (r"fewer|fewest|less|least|smaller|lower", True),
    ):
        number = r"number|count|total|amount|tally|collection"
        if not (explained(bare, (pattern,), 0) or explained(bare, (pattern, number), 0)):
            continue
        if found.rest.match(f"{_POLAR}{ARTIST}(?! or)"):
            return [Reading(counts, say.MoreThan(low, high, least))]
        return [Reading(counts, say.MostOf(found.firsts, low, high, least))]
    return []


def _of_song(songs: Found, held: Ceremonies | None) -> list[Reading]:
    """How many Grammys a song has won; the KG does not tell when."""
    low, high = held.bounds if held else (None, None)
    count = f'get_grammy_song({quoted(songs.firsts[0])})["award_count"]'
    bare = _less_marks(songs.rest)
    if explained(bare, (_MANY,), 0):
        return [Reading(count, say.SongCount(low, high, LAST))]
    if songs.rest.match(f"{_POLAR}{SONG}") and explained(bare, (), 0):
        return [Reading(count, say.SongCount(low, high, LAST, yes="yes"))]
    return []
