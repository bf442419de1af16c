"""What can be asked of one thing in the KG: how English asks for it, and how to read it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from models.kg.games import link_nba_game, link_soccer_game
from models.kg.linking import (
    Linker,
    link_artist,
    link_company,
    link_movie,
    link_person,
    link_song,
    link_trading_day,
    link_year,
)
from models.records import Domain

Read = Callable[[Any], str | None]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of one kind of thing.

    `cue` is how English asks for it and is cut out of the question before the thing is looked for;
    `endpoint`, where there is one, takes the thing's name and gives what `read` reads; else `read`
    reads the record that was linked. `read` gives None where the KG does not know.
    """

    domain: Domain
    name: str
    cue: re.Pattern[str]
    link: Linker
    read: Read
    endpoint: str | None = None


def _cue(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)", re.I)


def _text(value: Any) -> str | None:
    if isinstance(value, list):
        value = ", ".join(dict.fromkeys(str(item) for item in value if item))
    return str(value) if value not in (None, "") else None


def _field(key: str) -> Read:
    return lambda record: _text(record.get(key)) if isinstance(record, dict) else None


def _amount(key: str, unit: str = "${:,}") -> Read:
    """A number that the KG sets to 0 where it does not know it."""

    def read(record: Any) -> str | None:
        value = record.get(key)
        return unit.format(value) if isinstance(value, (int, float)) and value else None

    return read


def _price(key: str) -> Read:
    def read(day: Any) -> str | None:
        value = day.get(key)
        return f"${value:,.2f}" if isinstance(value, (int, float)) else None

    return read


def _volume(day: Any) -> str | None:
    value = day.get("Volume")
    return str(int(value)) if isinstance(value, (int, float)) else None


def _crew(*jobs: str) -> Read:
    def read(movie: Any) -> str | None:
        names = [
            person.get("name") for person in movie.get("crew") or [] if person.get("job") in jobs
        ]
        return _text(names)

    return read


def _cast(movie: Any) -> str | None:
    return _text([person.get("name") for person in (movie.get("cast") or [])[:5]])


def _genres(movie: Any) -> str | None:
    return _text([genre.get("name") for genre in movie.get("genres") or []])


def _dividend(pick: Callable[[list[str]], str], part: str) -> Read:
    def read(history: Any) -> str | None:
        if not isinstance(history, dict) or not history:
            return None
        day = pick(list(history))
        return day[:10] if part == "date" else f"${history[day]:.4g}"

    return read


def _number(value: Any) -> str | None:
    return f"{value:g}" if isinstance(value, float) else _text(value)


def _market_cap(value: Any) -> str | None:
    return f"${value:,.2f}" if isinstance(value, (int, float)) else None


def _score(game: Any) -> str | None:
    value = game.get("points")
    return str(int(value)) if isinstance(value, (int, float)) else None


_RELEASED = r"release date|release day|released|come out|came out|premiered?|debuted?|hit theaters"
_WHEN = r"(?:when|what (?:day|date)|(?:on|in)? ?(?:which|what) (?:day|date|year))"
_LATEST = r"(?:latest|last|most recent|newest)"
_FIRST = r"(?:first|earliest|initial)"
_PAID = r"(?:pay(?:ment|out)s?|paid|issued?|distribut(?:ed?|ion)s?|given)"
_SHARES = r"(?:stock|share|stock's|share's|market)"
_M, _F, _U, _S = Domain.MOVIE, Domain.FINANCE, Domain.MUSIC, Domain.SPORTS

ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(_M, "release_date", _cue(_RELEASED), link_movie, _field("release_date")),
    Attribute(_M, "budget", _cue("production budget|budget"), link_movie, _amount("budget")),
    Attribute(
        _M,
        "revenue",
        _cue(r"(?:world ?wide |total |global )?(?:box[- ]office(?: (?:gross|revenue|sales|earnings"
             r"|receipts|haul|takings?))?|revenue|gross(?:ed)?)(?: world ?wide)?"),
        link_movie,
        _amount("revenue"),
    ),
    Attribute(
        _M,
        "original_language",
        _cue(r"original(?:ly)? language|language .{0,40}\boriginally|language .{0,40}\bfilmed"),
        link_movie,
        _field("original_language"),
    ),
    Attribute(
        _M,
        "original_title",
        _cue(r"original(?:ly)? (?:title|name|titled|named|called)|title originally"),
        link_movie,
        _field("original_title"),
    ),
    Attribute(
        _M,
        "length",
        _cue(r"how long(?: is| does)?|running time|run ?time|length"),
        link_movie,
        _amount("length", "{:g} minutes"),
    ),
    Attribute(_M, "genres", _cue("genres?"), link_movie, _genres),
    Attribute(
        _M, "director", _cue("directed(?: by)?|directors?(?: of)?"), link_movie, _crew("Director")
    ),
    Attribute(
        _M, "producer", _cue("produced(?: by)?|producers?(?: of)?"), link_movie, _crew("Producer")
    ),
    Attribute(
        _M,
        "writer",
        _cue(r"wrote(?: the (?:screenplay|script) (?:for|of))?|written(?: by)?"
             r"|(?:screen)?writers?(?: of)?"),
        link_movie,
        _crew("Screenplay", "Writer"),
    ),
    Attribute(
        _M, "cast", _cue(r"starred in|stars? in|lead actors?|main cast|cast"), link_movie, _cast
    ),
    Attribute(
        _M,
        "birthday",
        _cue(r"birth ?day|date of birth|birth ?date|born"),
        link_person,
        _field("birthday"),
    ),
    Attribute(
        _F,
        "market_cap",
        _cue(r"market (?:cap(?:itali[sz]ation)?|value)"),
        link_company,
        _market_cap,
        "/finance/get_market_capitalization",
    ),
    Attribute(
        _F,
        "pe_ratio",
        _cue(r"(?:p/e|pe|price[- ]to[- ]earnings?|price[- ]earnings?)(?: ratio)?"),
        link_company,
        _number,
        "/finance/get_pe_ratio",
    ),
    Attribute(
        _F,
        "eps",
        _cue(r"eps|earnings[- ]per[- ]share"),
        link_company,
        _number,
        "/finance/get_eps",
    ),
    Attribute(
        _F,
        "latest_dividend_date",
        _cue(rf"{_WHEN} .{{0,40}}\b{_LATEST} dividends?(?: {_PAID})?"
             rf"|{_LATEST} (?:dividend )?(?:{_PAID} )?dates?(?: of)?(?: the)? dividends?"),
        link_company,
        _dividend(max, "date"),
        "/finance/get_dividends_history",
    ),
    Attribute(
        _F,
        "first_dividend_date",
        _cue(rf"{_WHEN} .{{0,40}}\b{_FIRST} dividends?(?: {_PAID})?"
             rf"|date .{{0,20}}{_FIRST} dividends?(?: {_PAID})?"),
        link_company,
        _dividend(min, "date"),
        "/finance/get_dividends_history",
    ),
    Attribute(
        _F,
        "latest_dividend",
        _cue(rf"{_LATEST} dividends?(?: (?:per share|{_PAID}|value|amount))*"),
        link_company,
        _dividend(max, "value"),
        "/finance/get_dividends_history",
    ),
    Attribute(
        _F,
        "open",
        _cue(rf"(?:{_SHARES} )?open(?:ing|ed)?(?: {_SHARES})?(?: price)?(?: at)?"),
        link_trading_day,
        _price("Open"),
    ),
    Attribute(
        _F,
        "close",
        _cue(rf"(?:{_SHARES} )?clos(?:e|ed|ing)(?: {_SHARES})?(?: price)?(?: at)?"),
        link_trading_day,
        _price("Close"),
    ),
    Attribute(
        _F,
        "high",
        _cue(rf"(?:high(?:est)?)(?: {_SHARES})?(?: price)?"),
        link_trading_day,
        _price("High"),
    ),
    Attribute(
        _F,
        "low",
        _cue(rf"(?:low(?:est)?)(?: {_SHARES})?(?: price)?"),
        link_trading_day,
        _price("Low"),
    ),
    Attribute(
        _F,
        "volume",
        _cue(r"(?:trading )?volume(?: of trading)?|number of shares traded|shares traded"),
        link_trading_day,
        _volume,
    ),
    Attribute(
        _U,
        "birth_place",
        _cue(r"birth ?place|(?:which|what) country .{0,30}\b(?:born in|from)|country of origin"),
        link_artist,
        _text,
        "/music/get_artist_birth_place",
    ),
    Attribute(
        _U,
        "birth_date",
        _cue(r"birth ?day|date of birth|birth ?date|born"),
        link_artist,
        _text,
        "/music/get_artist_birth_date",
    ),
    Attribute(
        _U,
        "members",
        _cue(r"(?:band |group )?members?(?: of)?"),
        link_artist,
        _text,
        "/music/get_members",
    ),
    Attribute(
        _U,
        "author",
        _cue(r"wrote|written(?: by)?|(?:song)?writer(?: of)?|author(?: of)?|composed"),
        link_song,
        _text,
        "/music/get_song_author",
    ),
    Attribute(
        _U, "release_date", _cue(_RELEASED), link_song, _text, "/music/get_song_release_date"
    ),
    Attribute(
        _U,
        "grammy_count",
        _cue(r"(?:how many|number of) grammy(?: award)?s?(?: (?:won|received|earned|win))?"
             r"|(?:how many|number of) grammies"),
        link_artist,
        lambda count: _text(count) if count else None,
        "/music/grammy_get_award_count_by_artist",
    ),
    Attribute(
        _U,
        "best_new_artist",
        _cue(r"grammys?(?: award)?s? for best new artist|best new artist(?: (?:at|of))?"),
        link_year,
        _text,
        "/music/grammy_get_best_artist_by_year",
    ),
    Attribute(
        _U,
        "album_of_the_year",
        _cue(r"album of the year|best album"),
        link_year,
        _text,
        "/music/grammy_get_best_album_by_year",
    ),
    Attribute(
        _U,
        "song_of_the_year",
        _cue(r"song of the year|best song"),
        link_year,
        _text,
        "/music/grammy_get_best_song_by_year",
    ),
    Attribute(
        _S,
        "opponent",
        _cue(r"(?:which|what) (?:team|club)|opponents?|play(?:ed|ing)?(?: against)?"
             r"|fac(?:ed?|ing)|who"),
        link_soccer_game,
        _field("opponent"),
    ),
    Attribute(
        _S,
        "goals",
        _cue(r"(?:how many |total )?goals?(?: (?:total|tally|scored|count))?|score[ds]?"),
        link_soccer_game,
        _field("GF"),
    ),
    Attribute(
        _S,
        "result",
        _cue(r"outcome|result|win or lose|(?:won|wins) or (?:lost|loss(?:es)?)|fare[ds]?"),
        link_soccer_game,
        _field("result"),
    ),
    Attribute(_S, "venue", _cue(r"home or away|venue|at home"), link_soccer_game, _field("venue")),
    Attribute(
        _S, "captain", _cue("captain(?:ed)?|leader|led"), link_soccer_game, _field("Captain")
    ),
    Attribute(
        _S,
        "date",
        _cue(rf"{_WHEN} .{{0,40}}\bplay(?:s|ing)?|{_WHEN}"),
        link_soccer_game,
        lambda game: _text(str(game["date"])[:10]),
    ),
    Attribute(
        _S,
        "nba_opponent",
        _cue(
            r"(?:which|what) (?:team|club)|opponents?|play(?:ed|ing)?(?: against)?|fac(?:ed?|ing)"
        ),
        link_nba_game,
        _field("opponent"),
    ),
    Attribute(
        _S,
        "nba_points",
        _cue(r"(?:how many |total )?points?(?: scored)?|(?:final )?scor(?:e|ed|ing)(?: output)?"),
        link_nba_game,
        _score,
    ),
)
