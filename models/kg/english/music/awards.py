"""Questions about the Grammys: who won, how many, when, who more.

In the KG the n-th ceremony counts for 1957 + n, though it was held a year later, and the rows end
with the 62nd: what was won since is not known. Awards of a ceremony are told for three categories.
"""

import re
from dataclasses import dataclass

from models.kg.english.compose import Value
from models.kg.english.music import awards_answers as say
from models.kg.english.music.words import ARTIST, SONG, Found, explained, take_out
from models.kg.english.names import ARTISTS, SONGS, Names
from models.kg.english.question import Asked, Span, runs
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from utils.text import words

FIRST, LAST = 1957, 2019  # the KG's year of a ceremony is FIRST and its number; its last year
CEREMONY = "CEREMONY"  # stands where a ceremony was named

_CUES = frozenset(
    """
    album all annual any anyone artist award awarded awards best by ceremony did do does ever first
    for get given go got grammies grammy grammys had has have him home honored how in it last many
    more most named new number of on one out overall received receive record song she taken
    take than the their they time times to took total until up was were what when which who win
    winner winners winning wins won year years earn earned recent recently
    """.split()
)
_TENS = dict(zip("twenty thirty forty fifty sixty".split(), range(20, 70, 10), strict=True))
_ONES = {
    name: number
    for number, name in enumerate(
        """
        first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
        fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
        """.split(),
        1,
    )
} | {"twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60}
_ORDINAL = rf"(?:\d{{1,3}}(?:st|nd|rd|th)|(?:(?:{'|'.join(_TENS)}) )?(?:{'|'.join(_ONES)}))"
_GRAMMY = r"(?:gramm(?:y|ys|ies)(?: music)?(?: awards?)?(?: ceremony| ceremonies| show| night)?)"
_LINK = rf"(?: annual)?(?: {_GRAMMY})?(?: (?:ceremony|ceremonies|awards?))?"
_Y = r"(?:19|20)\d\d"
_ONE = rf"(?:(?P<n>{_ORDINAL}){_LINK}(?: (?:in |of |for |held in )?{_Y})?|(?P<y>{_Y}))"
# "her first Grammy" is no ceremony
_NAMED = re.compile(rf"(?<!\bhis )(?<!\bher )(?<!\btheir )(?<!\bits )(?<!\ba )\b(?:{_ONE})\b")
_RELATIVE = re.compile(r"\b(?P<which>this|last) year\b")
_BEFORE = r"(?:until|till|up until|up to|as of|by|through|before|prior to|ahead of)"
_AFTER = r"(?:since|after|following)"
_CATEGORIES = (
    ("best_new_artist", r"(?:best )?new artist(?:s)?(?: of the year)?"),
    ("best_album", r"album(?:s)? of the year|best album|top album"),
    ("best_song", r"song(?:s)? of the year|best song|top song"),
)
_WON = (
    r"w[io]n(?:s|ning|ner|ners)?|award(?:ed|s)?|receiv(?:e|ed|es|ing)|t(?:ake|ook|aken|aking)(?: home)?"
    r"|g(?:et|ot|iven|oes|o|one|otten)(?: to)?|earn(?:ed|s)?|named|honou?red|was|is|were|are"
    r"|been|crowned|recipients?|bagged|picked up|collected|scored|achieved|has|have|had|claim(?:ed)?"
    r"|home|snag(?:ged)?|pick(?:ed)? up|accept(?:ed)?|presented|who|under (?:his|her|their) belt|to"
)
_GRAMMYS = rf"{_GRAMMY}|trophies|trophy"
_MANY = r"how many(?: total| different)?(?: times)?|number of|count of|how often|total(?: number)?"


@dataclass(frozen=True, slots=True)
class Ceremonies:
    """The KG's years that a question names. `until`, `since`: it means all up to it, or from it."""

    years: tuple[int, ...]
    until: bool = False
    since: bool = False


def is_about(asked: Asked) -> bool:
    return asked.has(_GRAMMY, "best new artist", "(?:album|song|record) of the year")


def read(asked: Asked, names: Names) -> list[Reading]:
    category, rest = _category(asked)
    ceremonies, rest = _ceremonies(rest)
    if category is not None:
        readings = _winners(category, ceremonies, rest)
        return readings or (
            _new_artist(ceremonies, rest, names) if category == "best_new_artist" else []
        )
    return _wins(ceremonies, rest, names)


def _category(asked: Asked) -> tuple[str | None, Asked]:
    for key, pattern in _CATEGORIES:
        match = re.search(rf"\b(?:{pattern})\b", asked.plain)
        if match is not None:
            return key, _less(asked, match)
    return None, asked


def _ceremonies(asked: Asked) -> tuple[Ceremonies | None, Asked]:
    """The ceremonies that a question names, and the question with a mark in the place of each."""
    rest, years = asked, []
    while (match := _NAMED.search(rest.plain)) is not None:
        years.append(_year_of(match["n"], match["y"]))
        rest = _less(rest, match, CEREMONY)
    match = _RELATIVE.search(rest.plain)
    if match is not None and asked.at is not None:
        years.append(asked.at.year - 1 - (match["which"] == "last"))
        rest = _less(rest, match, CEREMONY)
    if not years:
        return None, asked
    between = re.search(
        rf"\b(?:between|from|in|during) (?:the )?{CEREMONY}(?: [a-z]+)* (?:to|through|and|until|till)"
        rf" (?:the )?{CEREMONY}\b",
        rest.plain,
    )
    if between and len(years) == 2:
        low, high = sorted(years)
        return Ceremonies(tuple(range(low, high + 1))), rest
    for pattern, until in ((_BEFORE, True), (_AFTER, False)):
        bound = re.search(rf"\b(?P<how>{pattern})(?: the)? {CEREMONY}\b", rest.plain)
        if bound and len(years) == 1:
            strict = bound["how"] in ("before", "prior to", "ahead of", "after", "following")
            year = years[0] - strict if until else years[0] + strict
            return Ceremonies((year,), until=until, since=not until), _less(rest, bound, CEREMONY)
    return Ceremonies(tuple(dict.fromkeys(years))), rest


def _year_of(ordinal: str | None, year: str | None) -> int:
    """The KG's year of a ceremony: by its number, or by the year in which it was held."""
    if ordinal is None:
        return int(year or 0) - 1
    digits = re.match(r"\d+", ordinal)
    if digits:
        return FIRST + int(digits.group())
    return FIRST + sum(_TENS.get(word, 0) + _ONES.get(word, 0) for word in ordinal.split())


def _winners(category: str, ceremonies: Ceremonies | None, rest: Asked) -> list[Reading]:
    """Who or what won in a category at the ceremonies that are named."""
    if ceremonies is None or ceremonies.until or ceremonies.since:
        return []
    if not explained(_less_marks(rest), (r"who|what|which|whom|name|list|tell|winners?",), 0):
        return []
    if rest.at is not None and max(ceremonies.years) >= rest.at.year:
        return [Reading("None", say.Always())]  # not held yet
    if category != "best_new_artist" and rest.has(
        "who|artists?|singers?|bands?|performers?|musicians?"
    ):
        return _author_of_album(category, ceremonies)
    statements = [f"ALL get_grammy_year({year})[{quoted(category)}]" for year in ceremonies.years]
    return [Reading("; ".join(statements), say.AllOf())]


def _author_of_album(category: str, ceremonies: Ceremonies) -> list[Reading]:
    """Whose album won. The KG tells no such thing of songs, for which it may know who covers them."""
    if category != "best_album" or len(ceremonies.years) != 1:
        return []
    album = f'get_grammy_year({ceremonies.years[0]})["best_album"]'
    return [Reading(f'ALL get_song({album})["author"]', Value(first=True))]


def _less_marks(rest: Asked) -> Asked:
    words = tuple(
        word
        for word in rest.words
        if word.text != CEREMONY
        and not re.fullmatch(
            rf"{_WON}|annual|ceremon\w+|gramm\w+|prize|title"
            r"|category|from|held|show",
            word.text,
        )
        or word.text == "who"
    )
    return Asked(rest.text, words, rest.at)


def _new_artist(ceremonies: Ceremonies | None, rest: Asked, names: Names) -> list[Reading]:
    """Whether and when an artist was the best new one."""
    found = _awarded(rest, names) or take_out(rest, names, ARTISTS, ARTIST, _CUES | {CEREMONY})
    if len(found.named) != 1 or not explained(
        _less_marks(found.rest), (_MANY,) if found.rest.has(_MANY) else (), 0
    ):
        return []
    left, name = found.rest, found.firsts[0]
    if re.match(
        rf"(?:so )?(?:is|was|were|did|does|do|has|have|had) (?:the )?(?:\w+ )?{ARTIST}", left.plain
    ):
        if ceremonies is None:
            program = f'ALL get_grammy_year(None)["best_new_artist"]; {_born(name)}'
            return [Reading(program, say.Among(name))]
        if len(ceremonies.years) == 1 and not (ceremonies.until or ceremonies.since):
            program = f'ALL get_grammy_year({ceremonies.years[0]})["best_new_artist"]'
            return [Reading(program, say.Among(name))]
        return []
    if ceremonies is not None:
        return []
    awarded = f'ALL get_grammy_year(None)["best_new_artist"]; {_born(name)}'
    if left.has(_MANY):
        return [Reading(awarded, say.Among(name, yes="1", no="0"))]
    if left.has("when|year|date|which|ceremony|what"):
        years = f'ALL get_grammy_year(ALL get_grammy_person({quoted(name)})["award_date"])["best_new_artist"]'
        return [Reading(f"{awarded}; {years}", say.YearAmong(name))]
    return []


def _awarded(rest: Asked, names: Names) -> Found | None:
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


def _wins(ceremonies: Ceremonies | None, rest: Asked, names: Names) -> list[Reading]:
    """How many Grammys artists or songs have won, and when."""
    found = take_out(rest, names, ARTISTS, ARTIST, _CUES | {CEREMONY})
    if len(found.named) >= 2:
        return _more(found, ceremonies)
    if len(found.named) == 1:
        readings = _of_artist(found, ceremonies)
        if readings:
            return readings
    songs = take_out(rest, names, SONGS, SONG, _CUES | {CEREMONY})
    if len(songs.named) == 1 and ceremonies is None:
        return _of_song(songs)
    return []


def _of_artist(found: Found, ceremonies: Ceremonies | None) -> list[Reading]:
    rest, name = found.rest, quoted(found.firsts[0])
    count, dates = (
        f'get_grammy_person({name})["award_count"]',
        f'ALL get_grammy_person({name})["award_date"]',
    )
    bare = _less_marks(rest)
    polar = rf"^(?:so )?(?:is|was|were|did|does|do|has|have|had) (?:the )?(?:\w+ )?{ARTIST}"
    if explained(bare, (_MANY,), 0) and not rest.has("nominat\\w*"):
        low, high = _bounds(ceremonies)
        ended = f'ALL get_person({name})["lifespan"]'
        return [Reading(f"{count}; {dates}; {ended}", say.Count(low, high, LAST))]
    if rest.match(polar) and explained(bare, (), 0):
        low, high = _bounds(ceremonies)
        return [Reading(dates, say.AnyWithin(low, high))]
    if ceremonies is not None:
        return []
    for pattern, reduce in (
        (r"first(?: ever)?|earliest", "MIN"),
        (r"last|latest|(?:most )?recent(?:ly)?", "MAX"),
    ):
        if explained(bare, (r"when|(?:what|which) year|year", pattern), 0):
            return [Reading(f'{reduce} get_grammy_person({name})["award_date"]', Value())]
    if explained(bare, (r"when|(?:what|which|all|the) years?|(?:what|which) ceremonies|years",), 0):
        return [Reading(dates, say.Years())]
    return []


def _bounds(ceremonies: Ceremonies | None) -> tuple[int | None, int | None]:
    """The first and last of the KG's years that are asked for; None: open."""
    if ceremonies is None:
        return None, None
    low, high = min(ceremonies.years), max(ceremonies.years)
    return (None if ceremonies.until else low), (None if ceremonies.since else high)


def _more(found: Found, ceremonies: Ceremonies | None) -> list[Reading]:
    """Who of several has won more Grammys."""
    low, high = _bounds(ceremonies)
    counts = "; ".join(
        f'get_grammy_person({quoted(n)})["award_count"]; '
        f'ALL get_grammy_person({quoted(n)})["award_date"]'
        for n in found.firsts
    )
    bare = _less_marks(found.rest)
    polar = rf"^(?:did|does|do|has|have|is|was) {ARTIST}"
    for pattern, least in (
        (r"more|most|greater|higher|highest", False),
        (r"fewer|fewest|less|least", True),
    ):
        if not explained(bare, (pattern,), 0):
            continue
        if found.rest.match(polar):
            return [Reading(counts, say.MoreThan(low, high, least))]
        if found.rest.has("how many|how much"):
            return []
        return [Reading(counts, say.MostOf(found.firsts, low, high, least))]
    return []


def _of_song(songs: Found) -> list[Reading]:
    rest, name = songs.rest, quoted(songs.firsts[0])
    count = f'get_grammy_song({name})["award_count"]'
    bare = _less_marks(rest)
    if explained(bare, (_MANY,), 0):
        return [Reading(count, say.SomeCount())]
    if re.match(rf"(?:did|has|have|was|is) (?:the )?(?:\w+ )?{SONG}", rest.plain) and explained(
        bare, (), 0
    ):
        return [Reading(count, say.SomeCount(yes="yes"))]
    return []


def _less(asked: Asked, match: re.Match[str], mark: str = "") -> Asked:
    first = asked.plain[: match.start()].count(" ")
    return asked.without([Span(first, first + len(match.group().split()))], mark)
