"""Artists, bands, songs and the Grammys."""

import re
from typing import Any

from models.kg.linking import Asked, Client, Linked, Linker, searcher
from models.kg.schema import Attribute, Read, Says, ask, may, plain
from models.records import Domain
from utils.deadline import Deadline
from utils.text import words

_artist = searcher("/music/search_artist_entity_by_name", str)
_song = searcher("/music/search_song_entity_by_name", str)
_WHEN = "when/date/day/year"
_FIRST_GRAMMYS = 1957  # in the KG the n-th ceremony counts as 1957 + n, though held a year later


def _grammy_year(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """The one ceremony that the question names, as "the 61st" or by the year it was held in; the
    record is the KG's year for it."""
    asked_words = words(asked.text)
    ordinals = [word for word in asked_words if re.fullmatch(r"\d\d?(?:st|nd|rd|th)", word)]
    years = [_FIRST_GRAMMYS + int(ordinal[:-2]) for ordinal in ordinals] or [
        int(word) - 1 for word in asked_words if re.fullmatch(r"(?:19|20)\d\d", word)
    ]
    rest = [word for word in asked_words if not word[0].isdigit()]
    if len(years) != 1 or asked.unexplained(rest):
        return []
    return [Linked(str(years[0]), years[0])]


def _author(author: Any) -> str | None:
    return plain(author) if author != "Various Artists" else None


def _count(count: Any) -> str | None:
    return plain(count) if count else None


def _of(
    kind: Linker,
    name: str,
    endpoint: str,
    read: Read,
    *asks: str,
    extra: str = "",
    says: Says = Says.OTHER,
) -> Attribute:
    return Attribute(
        Domain.MUSIC, name, ask(*asks), kind, read, f"/music/{endpoint}", may(extra), says
    )


_GRAMMY = "annual award awards ceremony grammy grammys grammies held honor take took win won winner"

ATTRIBUTES = (
    _of(
        _artist,
        "birth_place",
        "get_artist_birth_place",
        plain,
        "where/country born/from",
        "birthplace",
        "country origin",
        says=Says.PLACE,
    ),
    _of(
        _artist,
        "birth_date",
        "get_artist_birth_date",
        plain,
        f"{_WHEN} born",
        "birthday/birthdate",
        "birth date/day",
        "date birth",
    ),
    _of(
        _artist,
        "members",
        "get_members",
        plain,
        "member/members",
        "who in band/group",
        extra="two three four five six all",
        says=Says.PERSON,
    ),
    _of(
        _song,
        "author",
        "get_song_author",
        _author,
        "wrote/written/writer/songwriter/author/composed",
        "who/which/artist/singer/band sings/sang/sing/performed/performs/recorded/artist/singer/by",
        says=Says.PERSON,
    ),
    _of(
        _song,
        "release_date",
        "get_song_release_date",
        plain,
        f"{_WHEN} released/release/out/dropped/drop",
        "release date/day",
        extra="first come came in single",
    ),
    _of(
        _song,
        "release_country",
        "get_song_release_country",
        plain,
        "country released/release",
        extra="first in",
    ),
    _of(
        _artist,
        "grammy_count",
        "grammy_get_award_count_by_artist",
        _count,
        "many/number grammy/grammys/grammies",
        extra="award awards won win received earned how",
        says=Says.NUMBER,
    ),
    _of(
        _grammy_year,
        "best_new_artist",
        "grammy_get_best_artist_by_year",
        plain,
        "best new artist",
        extra=_GRAMMY,
        says=Says.PERSON,
    ),
    _of(
        _grammy_year,
        "album_of_the_year",
        "grammy_get_best_album_by_year",
        plain,
        "album year",
        "best album",
        extra=_GRAMMY,
    ),
    _of(
        _grammy_year,
        "song_of_the_year",
        "grammy_get_best_song_by_year",
        plain,
        "song year",
        "best song",
        extra=_GRAMMY,
    ),
)
