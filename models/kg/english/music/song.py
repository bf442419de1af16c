"""Questions about songs and albums: who made them, when and where they came out; two of them."""

from models.kg.english.compose import Value
from models.kg.english.music import answers_dates as dates
from models.kg.english.music import answers_works as say
from models.kg.english.music.times import Window, window
from models.kg.english.music.unnamed import unnamed
from models.kg.english.music.words import (
    ARTIST,
    SONG,
    TIME,
    WHEN,
    Found,
    explained,
    phrases,
    take_out,
)
from models.kg.english.names import ARTISTS, SONGS, Names
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_CUES = frozenset(
    """
    after album albums ago artist artists author band before behind between by came come comes
    composed composer country created creator date day debut did difference drop dropped earlier
    earliest first group hit how in is issue issued later latest launch launched long made make
    maker many more most music musician name nation newer newest oldest older or originally out
    perform performed performer performs place prior publish published record recorded records
    recording release released releases same sang sing singer singers single sings song songs
    songwriter sung that the than the track tracks tune version was what when where which who whose
    will write writer writes written wrote year years title titled called tell you
    """.split()
)
_OUT = phrases(
    r"""
    ((first|originally|initially|officially) )?\
    (releas(e|ed|es|ing)|drop(s|ped)?|publish(ed)?|issued?\
    |(came?|come|comes|coming|put|brought|given|went) out|launch(ed)?|debut(ed)?|made available\
    |hit (the )?(stores|shelves|radio|airwaves)|appear(ed)?|premiered?|record(ed)?|made|created\
    |available|heard|unveiled)( (first|originally|initially))?
    """
)
_WHEN = rf"{WHEN}|(?:release|launch) (?:date|day|year)"
_YEAR = r"(?:what|which|exact|release|the) year|year of (?:the )?release"
_MADE_BY = phrases(
    r"""
    (originally )?(sings?|sang|sung|singing|wrote|writes?|written|authored|penned|recorded\
    |released?|performed?|compos(e|ed)|made|makes?|created?|dropped|published|launched|issued)
    (author|composers?|composes|creator|(song)?writers?|singers?|artists?|bands?|musicians?\
    |performers?|vocalist|voice)( of)?
    records?|performs?|performing|releases|put out|brought out|(came|come) (out|up) with
    (the )?original (singers?|artists?|writers?|performers?|author|composers?)( of)?
    behind|by|did|does|plays|played|responsible for|credited (with|for)
    """
)
_WHO = phrases(
    r"""
    ^(the )?(singer|artist|author|writer|band|composer|performer)
    (singer|artist|author|writer|band|composer|performer)$
    who(se)?|whom|which|what|name|tell me|do you know|identify|by
    """
)
_ARTIST_NOUN = phrases(
    r"""
    who(se)?|whom|(which|what) one|person|people|act|dj|creator|vocalist|stars?|popstar
    artists?|singers?|bands?|groups?|musicians?|rappers?|duo|trio|performers?
    (song)?writers?|composers?|author|singer-songwriter
    """
)
_COUNTRY = phrases(
    r"""
    (what|which) (country|nation|place|part of the world)
    where|country (of|where|in which)|release country|country
    """
)
# How English compares when two came out -> whether the later date is asked for.
_COMPARED = (
    (
        phrases(
            rf"""
            ({_OUT}) (more recently|most recently|later|last|after|second)
            newer|newest|later|latest|younger|more modern
            (more|most) recent(ly)?( ({_OUT}))?
            last ({_OUT})
            """
        ),
        True,
    ),
    (
        phrases(
            rf"""
            ({_OUT}) (first|earlier|earliest|before|sooner|prior)
            older|oldest|earlier|earliest|sooner|before|longest ago|longer ago
            first (to be |to )?({_OUT})
            (came|come) first|first
            predat(e|es|ed)|preced(e|es|ed)
            """
        ),
        False,
    ),
)


def read(asked: Asked, names: Names) -> list[Reading]:
    songs = take_out(asked, names, SONGS, SONG, _CUES)
    match len(songs.named):
        case 0:
            return []
        case 1:
            return _of_one(songs, names)
        case 2:
            return [*_of_two(songs), *_compared(songs)]
        case _:
            return _compared(songs)


def _of_one(songs: Found, names: Names) -> list[Reading]:
    meant, rest = window(songs.rest)
    readings = _plain(songs, rest, meant, spare=0)
    if readings:
        return readings
    artists = take_out(rest, names, ARTISTS, ARTIST, _CUES)
    if not artists.named:
        artists = unnamed(rest, ARTIST, _CUES)
    if len(artists.named) == 1:
        readings = _with_artist(songs, artists)
    return readings or _plain(songs, rest, meant)


def _plain(songs: Found, rest: Asked, meant: Window | None, spare: int = 1) -> list[Reading]:
    """What may be asked of one song whose artist is not named."""

    def asks(*patterns: str) -> bool:
        return explained(rest, patterns, spare)

    year = rest.has(_YEAR)
    if meant is not None:
        polar = rf"^(?:is|was|were|did|has|have|had) (?:the )?(?:\w+ ){{0,2}}{SONG}"
        if asks(polar, _OUT, TIME):
            return _readings(songs, "release_date", dates.Within(meant.low, meant.high))
    whose = r"whose (?:song|album|hit|single|track|record)"
    asks_who = asks(_WHO, _ARTIST_NOUN, _MADE_BY) or asks(whose)
    if asks_who and not rest.has("when|where|how"):
        return _readings(songs, "author", say.Author())
    if meant is not None:
        return []
    if asks(_COUNTRY, rf"{_OUT}|from|originat\w+"):
        return _readings(songs, "release_country", Value(first=True))
    if asks(_WHEN, _OUT) or explained(rest, (r"how old|how many years old",), 0):
        age = rest.has("how old|how many years old|how long ago|how many years ago")
        compose = dates.Since(rest.at) if age else dates.Year() if year else Value(first=True)
        return _readings(songs, "release_date", compose)
    if asks(r"release ?(?:date|day)|date of release"):
        return _readings(songs, "release_date", Value(first=True))
    return []


def _with_artist(songs: Found, artists: Found) -> list[Reading]:
    """What may be asked of one song of a named artist."""
    rest, artist = artists.rest, artists.firsts[0]
    polar = r"^(?:is|was|did|does|do|has|have)"
    if explained(rest, (polar, _MADE_BY)) and not rest.has(TIME):
        return _readings(songs, "author", say.Sings(artist))
    if rest.has(TIME):
        return []
    if explained(rest, (_WHEN, _OUT)):
        return _theirs(songs, "release_date", artist, year=bool(rest.has(_YEAR)))
    if explained(rest, (_COUNTRY, _OUT)):
        return _theirs(songs, "release_country", artist)
    return []


def _theirs(songs: Found, key: str, artist: str, *, year: bool = False) -> list[Reading]:
    works = f'ALL get_person({quoted(artist)})["music"]'
    return [
        Reading(
            f"{works}; ALL get_song({quoted(name)})[{quoted(key)}]", say.ByArtist(key, artist, year)
        )
        for name in songs.named[0]
    ]


def _of_two(songs: Found) -> list[Reading]:
    rest = songs.rest
    each = _each("release_date", songs)
    polar = r"^(?:is|was|were|are|did|does|do|has|have|had)"
    if explained(rest, (polar, r"same year", _OUT)):
        return [Reading(each, dates.Same(4))]
    if explained(rest, (polar, r"same (?:day|date)", _OUT)):
        return [Reading(each, dates.Same())]
    if explained(rest, (polar, r"same country", _OUT)):
        return [Reading(_each("release_country", songs), dates.Same())]
    if explained(
        rest, (polar, r"same (?:artist|singer|band|person|group|author|writer)", _MADE_BY)
    ):
        return [Reading(_each("author", songs), dates.Same())]
    for pattern, latest in _COMPARED:
        than = rf"(?:{pattern})(?: than| before| after)?(?: \w+){{0,2}} {SONG}"
        if explained(rest, (rf"{polar}(?: \w+){{0,2}} {SONG}", than)):
            return [Reading(each, dates.Sooner(later=latest))]
    gap = r"how many years|how long|years|time|gap|difference"
    if explained(rest, (gap, r"between|apart|after|before|separate\w*|pass(?:ed)?")):
        return [Reading(each, dates.Apart())]
    return []


def _compared(songs: Found) -> list[Reading]:
    """Which of several songs came out first, or last."""
    rest = songs.rest
    asks = rf"which|what|who|name|tell|out of|between|of|{SONG} or (?:the (?:song|album) )?{SONG}"
    for pattern, latest in _COMPARED:
        if explained(rest, (asks, pattern, _OUT)) or explained(rest, (asks, pattern)):
            if not rest.has("when|how (?:many|long|much)|where"):
                return [Reading(_each("release_date", songs), dates.Edge(songs.firsts, latest))]
    return []


def _readings(songs: Found, key: str, compose: Compose) -> list[Reading]:
    return [
        Reading(f"ALL get_song({quoted(name)})[{quoted(key)}]", compose) for name in songs.named[0]
    ]


def _each(key: str, songs: Found) -> str:
    return "; ".join(f"ALL get_song({quoted(name)})[{quoted(key)}]" for name in songs.firsts)
