"""Artists who are described instead of named: by an award that they won, or a song of theirs.

The name takes the description's place, and the question is read anew.
"""

from models.kg.english.music.answers_works import is_nobody
from models.kg.english.music.ceremonies import CEREMONY, GRAMMY, ceremonies
from models.kg.english.music.words import SONG, phrases, take_out
from models.kg.english.names import SONGS, Names
from models.kg.linking.question import Asked
from models.kg.match import likeness

_CUES = frozenset(
    """
    album artist author band behind by composed composer country created did from group made make
    maker music musician of on performed performer performs person rapper recorded record release
    released sang sing singer singing sings single song songs songwriter sung that the track which
    who whose will wrote writer written born old members when where what year
    """.split()
)
_ARTIST = r"(?:artist|singer|band|group|musician|rapper|performer|act|person|duo|one|songwriter)"
_GOT = (
    r"(?:w[io]n(?:s|ning)?|received|got|took(?: home)?|earned|(?:was )?(?:awarded|named|crowned))"
)
_AWARD = rf"(?:{GRAMMY} )?(?:award )?(?:for )?(?:the )?best new artist(?: award| {GRAMMY})*"
_AT = rf"(?: (?:at|in|of|from|for|during|the))* {CEREMONY}(?: (?:awards?|ceremony))*"
_WINNER = phrases(
    rf"""
    the ({_ARTIST} )?(who|that|which) {_GOT} (the )?{_AWARD}{_AT}
    the {_ARTIST} {_GOT} (the )?{_AWARD}{_AT}
    the (winner of )?(the )?{_AWARD}( winner)?{_AT}
    the {CEREMONY} best new artist( winner)?
    """
)
_MADE = phrases(
    r"""
    wrote|sings|sang|sung|recorded|performs|performed|released|made|composed|created|put out
    (is )?behind|of|by|singing
    """
)
_KIND = r"(?:the )?(?:song |track |single |album |record |hit )?"
_MAKER = phrases(
    rf"""
    the ({_ARTIST} )?(who|that|which) ({_MADE}) {_KIND}{SONG}
    the {_ARTIST} ({_MADE}) {_KIND}{SONG}
    """
)


def named(asked: Asked, names: Names) -> Asked | None:
    """The question with the name of the artist that it describes; None where it describes none."""
    return _winner(asked, names) or _maker(asked, names)


def _winner(asked: Asked, names: Names) -> Asked | None:
    held, rest = ceremonies(asked)
    if held is None or len(held.years) != 1 or held.until or held.since:
        return None
    won = names.fetch("/music/grammy_get_best_artist_by_year", query=held.years[0])
    return _put(rest, _WINNER, str(won[0])) if isinstance(won, list) and len(won) == 1 else None


def _maker(asked: Asked, names: Names) -> Asked | None:
    if not asked.match(rf"the {_ARTIST} (?:who|that|which|{_MADE})|the one who"):
        return None
    songs = take_out(asked, names, SONGS, SONG, _CUES)
    if len(songs.named) != 1 or not songs.rest.match(_MAKER):
        return None
    name = songs.firsts[0]
    (author,) = names.call_many([("/music/get_song_author", name)])
    if not author or is_nobody(str(author)) or likeness(str(author), name) == 1:
        return None
    return _put(songs.rest, _MAKER, str(author))


def _put(rest: Asked, pattern: str, name: str) -> Asked | None:
    """The question's text with a name in the place of a match, where anything else is asked."""
    match = rest.match(pattern)
    if match is None:
        return None
    first = rest.plain[: match.start()].count(" ")
    last = first + len(match.group().split())
    end = rest.words[last].start if last < len(rest.words) else len(rest.text)
    text = f"{rest.text[: rest.words[first].start]}{name} {rest.text[end:]}"
    return Asked.of(text, rest.at)
