"""Questions about what an artist has put out: in a year, how many, the first, the most recent.

The KG does not tell songs from albums, and has no dates in an artist's list: they are looked up.
"""

from models.kg.english.music import answers_works as say
from models.kg.english.music.times import Window, window
from models.kg.english.music.words import ARTIST, TIME, WHEN, Found, explained, phrases, take_out
from models.kg.english.names import ARTISTS, Names
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_CUES = frozenset(
    """
    album albums all any artist band brand by came come created date dates debut debuted did drop
    dropped earliest ep eps find first five four from group had has have he hit how in issue issued
    last latest launched list lp made make many material most music musical name named new newest
    number oldest one out produced produce publish published put recent recently record recorded
    records release released releases releasing she single singles singer six song songs ten
    the their they three titles to top total track tracks two tune tunes what when which work works
    write wrote year discography catalog catalogue
    """.split()
)
_PAIR = 2
_NUMBERS = {
    name: number
    for number, name in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
_COUNT = rf"(?P<count>{'|'.join(_NUMBERS)}|[1-9]|1\d|20)"
_THING = (
    r"(?:(?:studio|music|solo|debut|new|musical) )?"
    r"(?:songs?|albums?|singles?|tracks?|records?|releases?|works?|music|tunes?|eps?|lps?"
    r"|recordings?|titles|pieces?(?: of (?:music|work))?|material|discography|projects?|hits?)"
)
_EITHER = rf"{_THING} (?:or|and|and or) {_THING}"
_KIND = rf"(?:{_EITHER}|{_THING})"
_SINGULAR = r"song|single|track|tune|piece"
_ALBUM = r"album|record|ep|lp"
_ALBUMS = r"albums|records|eps|lps"
_OUT = phrases(
    r"""
    releas(e|ed|es|ing)|publish(ed|es)?|launch(ed|es)?|issu(e|es|ed)|drop(s|ped|ping)?
    (put|came|come|comes|bring|brought|putting|coming|puts) out( with)?
    ma[dk]e|created?|produced?|debut(ed)?|record(ed)?|unveil(ed)?|self-released
    wr[io]te|written
    """
)
_LATEST = r"(?:the )?(?:very )?(?:(?:most )?recent(?:ly)?|latest|newest|last)(?: ever)?"
_EARLIEST = r"first(?:-ever| ever)?|earliest|oldest|debut|very first"
_WHEN = rf"{WHEN}|(?:release|launch) (?:date|day|year)"
_YEAR = r"(?:what|which|release|the) year"
_MANY = phrases(
    r"""
    how many|count|how much
    (total )?(number|amount|count|total) of
    what number of
    """
)
_LISTS = phrases(
    rf"""
    ^(songs|works|releases|music|tracks)|^{ARTIST}|^{TIME}|what|which|name|list|tell|all|show|give|titles?|any
    can you|do you|find
    """
)
_HAS = phrases(
    r"""
    (which |that |and )?(includ(es?|ed|ing)|contain(s|ed|ing)?|featur(es?|ed|ing)) \
    (the )?(hits?|songs?|singles?|tracks?)
    (which |that |and )?(with|had|has|having) (the )?(hits?|songs?|singles?|tracks?)
    """
)
# What else songs and albums have, which the KG does not know.
_NOT_OURS = phrases(
    r"""
    about$|sales|sold|sell\w*|best|top|diss|cover\w*|chart\w*|billboard|stream\w*|gramm\w+
    nominat\w*|videos?|tours?|concerts?|live|remix\w*|platinum|gold|certified|units|popular
    longest|shortest|movies?|films?|collaborat\w*|feat\w*|studio|upcoming|next
    """
)


def read(asked: Asked, names: Names) -> list[Reading]:
    if not asked.has(_KIND, _OUT):
        return []
    found = take_out(asked, names, ARTISTS, ARTIST, _CUES)
    if not found.named or found.rest.has(_NOT_OURS):
        return []
    meant, rest = window(found.rest)
    if len(found.named) > 1:
        return _more_of_two(found, rest, meant)
    if meant is not None:
        return [*_in_a_time(found, rest, meant), *_album_with(found, rest, meant)]
    return _edges(found, rest)


def _in_a_time(found: Found, rest: Asked, meant: Window) -> list[Reading]:
    """What came out in a time, and how much."""
    polar = rf"^(?:is|was|were|did|does|do|has|have|had) {ARTIST}"
    if rest.has(_ALBUMS) and not rest.has("songs?|tracks?|releases|singles?|works?"):
        return []  # the KG does not tell which of the works are albums
    if rest.has("more|fewer|less|than"):
        return []  # compared with somebody whom the KG does not have, or with a number
    if explained(rest, (_MANY, _OUT, TIME)) or explained(rest, (_MANY, _KIND, TIME)):
        return _works(found, meant, say.Number())
    if explained(rest, (polar, _OUT, _KIND, TIME), 0):  # an unknown word may be a title
        return _works(found, meant, say.Number(yes_no=True))
    for pattern, descending in ((_LATEST, True), (_EARLIEST, False)):
        if explained(rest, (pattern, _KIND, TIME)):
            return _sorted(found, meant, say.Titles(1), descending=descending)
    if not explained(rest, (_LISTS, TIME, _OUT)) and not explained(rest, (_LISTS, TIME, _KIND)):
        return []
    if rest.has(_ALBUM):
        return _works(found, meant, say.Album())
    # "the song that X released in 2001" is one; "the songs" are as many as there are
    return _works(found, meant, say.Titles(single=bool(rest.has(_SINGULAR))))


def _album_with(found: Found, rest: Asked, meant: Window) -> list[Reading]:
    """The one record of a time that has certain songs on it; which ones the KG does not know."""
    has = rest.match(_HAS)
    if has is None:
        return []
    kept = len(rest.plain[: has.start()].split())
    before = Asked(rest.text, rest.words[:kept], rest.at)
    asks = (r"what|which|name", _ALBUM, TIME)
    if meant.one is None or not explained(before, asks):
        return []
    return [
        Reading(_program(name, meant), say.Album(name, meant.one, rest.text))
        for name in found.named[0]
    ]


def _edges(found: Found, rest: Asked) -> list[Reading]:
    """The first or the most recent, or several of them, or when they came out."""
    joined = rest.has("or|and") and not rest.has(_EITHER, "and (?:when|the|their|what)")
    if joined or rest.has("more|than", _MANY):
        return []
    for pattern, descending in ((_LATEST, True), (_EARLIEST, False)):
        apart = rest.match(rf"{_COUNT} (?={_KIND}\b.*(?:{pattern}))")
        few = rf"(?:{_COUNT} (?:of \w+ )?)?(?:{pattern})(?: {_COUNT.replace('count', 'count2')})?"
        match = rest.match(few)
        if match is None:
            continue
        if descending and rest.has("albums?|eps?|lps?") and not rest.has("songs?|tracks?|releases"):
            return []  # singles come out more often than albums: the last work is likely a song
        said = match["count"] or match["count2"] or (apart["count"] if apart else None)
        few = f"{few}|{said}" if apart else few
        count = (_NUMBERS.get(said) or int(said)) if said else 1
        compose = _edge_said(rest, few, count)
        if compose is not None:
            meant = Window(None, rest.at.date().isoformat() if rest.at else None)
            return _sorted(found, meant, compose, descending=descending)
    return []


def _edge_said(rest: Asked, few: str, count: int) -> Compose | None:
    """What is asked of the first or last works: when they came out, or their names."""
    what = ((_KIND, _OUT), (_KIND,), (_OUT,))
    if rest.has(_WHEN) and any(explained(rest, (_WHEN, few, *last), 0) for last in what):
        return say.Dated(count, names=count > 1, year=bool(rest.has(_YEAR)))
    if any(explained(rest, (few, *last), 0) for last in what):
        return say.Dated(count) if rest.has("dates?|when") else say.Titles(count)
    return None


def _more_of_two(found: Found, rest: Asked, meant: Window | None) -> list[Reading]:
    """Which of several artists put out more in a time, how many more, or how many in all."""
    if meant is None or rest.has(_ALBUMS):
        return []
    program = "; ".join(_program(name, meant) for name in found.firsts)
    more = r"more|most|fewer|fewest|less|least|larger|greater"
    if explained(rest, (r"how many (?:more|fewer|less)|difference", f"{_KIND}|{_OUT}", TIME)):
        return [Reading(program, say.Numbers(apart=True))] if len(found.named) == _PAIR else []
    if explained(rest, (_MANY, f"{_KIND}|{_OUT}", TIME)) and not rest.has(more):
        return [Reading(program, say.Numbers())]
    if explained(
        rest, (rf"who|which|what artist|{ARTIST} or {ARTIST}", more, f"{_KIND}|{_OUT}", TIME)
    ):
        least = bool(rest.has("fewer|fewest|less|least"))
        return [Reading(program, say.MoreRows(found.firsts, least))]
    return []


def _works(found: Found, meant: Window, compose: Compose) -> list[Reading]:
    return [Reading(_program(name, meant), compose) for name in found.named[0]]


def _sorted(found: Found, meant: Window, compose: Compose, *, descending: bool) -> list[Reading]:
    sign = "-" if descending else ""
    return [
        Reading(
            f'{_program(name, meant)}; ALL sort(None, {sign}release_date)["release_date"]', compose
        )
        for name in found.named[0]
    ]


def _program(name: str, meant: Window) -> str:
    where = meant.conditions("release_date")
    kept = f", [{', '.join(where)}]" if where else ""
    return f'ALL get_song(ALL get_person({quoted(name)})["music"]{kept})["release_date"]'
