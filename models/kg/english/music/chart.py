"""Questions about the Billboard chart: what stood at a rank, where a song stood, for how long."""

import re

from models.kg.english.compose import Value
from models.kg.english.music.words import SONG, Found, explained, less, phrases, take_out
from models.kg.english.names import SONGS, Names
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked, Span, runs
from models.kg.periods import PeriodError, resolve
from utils.text import words

_CUES = frozenset(
    """
    100 at billboard chart charts climbed date did does had has have high highest hit hot in
    last list long many number of on peak peaked place placed position rank ranked ranking reach
    reached song spend spent spot stand that the top was week weeks what where which
    """.split()
)
_CHART = (
    r"(?:the )?(?:us |u s )?(?:billboard|hot 100|pop chart|music chart)"
    r"(?: (?:hot |top )?(?:100|charts?|songs))*"
)
_HIGH = 10  # ranks that are looked through for the name of a song
_NUMBERS = {
    name: number
    for number, names in enumerate(
        "one first,two second,three third,four fourth,five fifth,six sixth,seven seventh,"
        "eight eighth,nine ninth,ten tenth".split(","),
        1,
    )
    for name in names.split()
}
_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"
_TOP = phrases(
    r"""
    (number |no )?1(?= (song|hit|single|track|spot|on|in)\b)
    topp(ed|ing)
    (at )?the top(?! \d)( of| spot)?
    top spot
    led|first
    top(?= (song|hit|single|track)\b)
    most popular|biggest|hottest
    """
)
_RANK = re.compile(
    rf"\b(?:number|no|rank(?:ed|ing)?|position|place|spot|at)(?: number| no| the)* "
    rf"(?P<number>{_NUMBER})\b"
    rf"|\b(?P<ordinal>\d{{1,3}}(?:st|nd|rd|th)|{'|'.join(_NUMBERS)})"
    r"(?: place| spot| position| rank)"
    rf"|\b(?P<top>{_TOP})\b"
)
_DATE = phrases(
    r"""
    \d{4} \d\d? \d\d?
    [a-z]+ \d\d?(st|nd|rd|th)? \d{4}
    \d\d?(st|nd|rd|th)? (of )?[a-z]+ \d{4}
    today|now|right now|currently|this week|at the moment|yesterday
    """
)
_DATES = re.compile(
    r"\b(?:(?:as )?of |on |for |in |during |dated )?(?:the )?"
    r"(?:week (?:of|ending) |chart (?:dated|of) )?"
    rf"(?P<date>{_DATE})\b"
)
# What is asked of a song: key, and how.
_OF_SONG = (
    ("rank_last_week", r"(?:last|previous|prior) week|week before"),
    ("top_position", r"peak(?:ed)?|highest|best|top (?:position|rank)"),
    ("weeks_in_chart", r"how many weeks|how long|number of weeks|weeks"),
    ("rank", r"ranks?|ranked|ranking|position|place|spot|where|number"),
)


def is_about(asked: Asked) -> bool:
    return asked.has(_CHART)


def read(asked: Asked, names: Names) -> list[Reading]:
    day, rest = _day(asked)
    if day is None and asked.at is not None and asked.has("is|are|been|current"):
        day = asked.at.date().isoformat()
    if day is None:
        return []
    rank, unranked = _rank(rest)
    if rank is not None and explained(unranked, (r"who|what|which|name|tell", _CHART)):
        key = "artist" if unranked.has("who|artist|singer|band") else "song"
        return [Reading(f'ALL get_billboard({rank}, "{day}")["{key}"]', Value())]
    if rank is not None:
        song = f'get_billboard({rank}, "{day}")["song"]'
        for key, pattern in _OF_SONG[2:3]:
            if explained(unranked, (pattern, _CHART)):
                return [Reading(f'get_billboard_song({song}, "{day}")["{key}"]', Value())]
    songs = _charted(rest, names) or take_out(rest, names, SONGS, SONG, _CUES)
    if len(songs.named) != 1:
        return []
    for key, pattern in _OF_SONG:
        if explained(songs.rest, (pattern, _CHART)):
            return [
                Reading(f'get_billboard_song({quoted(name)}, "{day}")["{key}"]', Value())
                for name in songs.named[0]
            ]
    return []


def _charted(rest: Asked, names: Names) -> Found | None:
    """The song that ever stood high in the chart, and whose name stands in the question."""
    standing: dict[Span, str] = {}
    for rank in range(1, _HIGH + 1):
        found = names.fetch("/music/get_billboard_rank_date", rank=rank)
        for song in (found[0] if isinstance(found, list) and found else None) or ():
            standing |= {span: str(song) for span in runs(words(str(song)), rest.plain.split())}
    longest = max(standing, key=len, default=None)
    if longest is None:
        return None
    return Found(((standing[longest],),), rest.without([longest], SONG))


def _day(asked: Asked) -> tuple[str | None, Asked]:
    match = _DATES.search(asked.plain)
    if match is None:
        return None, asked
    said = re.sub(r"^(\d{4}) (\d\d?) (\d\d?)$", r"\1-\2-\3", match["date"])
    if said in ("this week", "right now", "currently", "at the moment"):
        said = "today"
    try:
        day = resolve(said, asked.at).first.isoformat()
    except PeriodError:
        return None, asked
    return day, less(asked, match)


def _rank(asked: Asked) -> tuple[int | None, Asked]:
    match = _RANK.search(asked.plain)
    if match is None:
        return None, asked
    said = match["number"] or match["ordinal"]
    if said is None:
        return 1, less(asked, match)
    digits = re.match(r"\d+", said)
    return int(digits.group()) if digits else _NUMBERS[said], less(asked, match)
