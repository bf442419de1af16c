"""What a question about a game takes for granted."""

import re

from models.kg.english.sports.facts import DRAW, GAME, LOSE, WHO, WIN
from models.kg.linking.question import any_of

# Games that the KG's tables do not hold, and words that turn a question round.
ASIDE = re.compile(
    r"\b(?:"
    + any_of(
        r"""
        cups?|copas?|coupe|coppa|pokal|champions|europa|conference|friendl(?:y|ies)|olympics?
        womens?|women|ladies|youth|u\d\d|under \d\d|reserves?|b team|academy
        internationals?|national|summer league|all star|g league|wnba
        not|no|never|nor|without|except|other than|besides|didnt|wasnt|isnt|doesnt
        if they|would|should have|could have|movie|film|song|album|stocks?|price|market|dividends?
        """
    )
    + r")\b"
)
_NOUN = r"(?:game|match|fixture|contest|clash|trip|win|loss|defeat|victory|draw)s?"
_OF_GAMES = {
    "close": r"""
        thrilling|thriller|nail ?bit\w+|close(?:ly)?|tight|narrow\w*|tense|hard fought
        neck and neck|down to the wire|edge of (?:your|the) seats?|cliff ?hanger|squeak\w*
        """,
    "lopsided": r"""
        blow ?outs?|lopsided|one sided|rout(?:ed|ing)?|thrash\w*|crush\w*|demolish\w*|massacre
        annihilat\w*|hammer(?:ed|ing)|domina\w+|humiliat\w*|landslide
        """,
    "goalless": r"goalless|scoreless|nil nil|0 0",
    "overtime": r"overtime|ot|extra period",
    "playoffs": r"playoffs?|play offs?|post ?season|nba finals",
    "preseason": r"pre ?season",
    "regular season": r"regular season",
}
# In order: of a result the first that matches.
_OF_RESULTS = (
    (
        "won",
        r"""
        (?:beaten|defeated|overcome|outscored) by (?:the )?TEAM
        (?:lose|lost|losing|fell|fall) to (?:the )?TEAM
        """,
    ),
    (
        "lost",
        rf"""
        lose|lost|losing|loss|beaten|defeated by|fell to|fall to|(?<!TEAM )(?<!to )defeat
        {WHO} (?:\w+ )?(?:beat|defeated|overcame|won against|upset) (?:the )?TEAM
        """,
    ),
    ("drew", r"draw|drew|drawn|tied|stalemate"),
    (
        "won",
        r"""
        win|wins|won|winning|victory|victorious|triumph\w*|beat|beating|defeated|overcame|edged
        (?:TEAM|to) defeat
        """,
    ),
)
_OF_PLACES = (
    ("home", rf"home (?:LEAGUE )?{_NOUN}|at home|TEAM (?:\w+ )?host(?:ed|ing|s)?|TEAM welcom\w+"),
    (
        "away",
        rf"""
        away (?:LEAGUE )?{_NOUN}|away from home|on the road|road (?:game|trip)
        TEAM (?:\w+ )?(?:visit\w*|travel\w*)|host(?:ed|s)? (?:the )?TEAM
        """,
    ),
)


def _compiled(cues: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{any_of(cues)})\b")


_KINDS = tuple((name, _compiled(cues)) for name, cues in _OF_GAMES.items())
_RESULTS = tuple((name, _compiled(cues)) for name, cues in _OF_RESULTS)
_PLACES = tuple((name, _compiled(cues)) for name, cues in _OF_PLACES)
_SUCH_A_GAME = re.compile(
    rf"\b(?:WHEN (?:LEAGUE )?(?:home |away |league )?(?:(?P<won>{WIN})|(?P<lost>{LOSE})"
    rf"|(?P<drew>draw|tie|stalemate))|when (?:did|was) TEAM WHEN (?:(?P<won2>win|beat|defeat\b)"
    rf"|(?P<lost2>lose|beaten|defeated)|(?P<drew2>draw|tie)))\b"
)
_SPOKEN_OF = _compiled(
    rf"""
    (?:their|the|its|TEAM|this|in a|in an|on|WHEN|LEAGUE) (?:\w+ ){{0,2}}?(?:{GAME})
    did TEAM (?:\w+ ){{0,3}}?(?:{WIN}|{LOSE}|{DRAW}|score|face|play against|concede)
    (?:TEAM|they) (?:scored?|won|lost|beat|faced?|conceded?|play(?:ed|ing)? against)
    (?:who|which team|what team) .*(?:play|face|faced|against|take on|took on)
    """
)


def premises_of(plain: str, fact: str) -> list[str]:
    """What is taken for granted of the game, as names in `game.PREMISES`; not what is the
    `fact` asked for."""
    found = [name for name, pattern in _KINDS if pattern.search(plain)]
    if fact not in ("result", "won?", "lost?", "drew?", "winner", "loser"):
        found += [name for name, pattern in _RESULTS if pattern.search(plain)][:1]
    if fact not in ("venue", "home?", "away?"):
        found += [name for name, pattern in _PLACES if pattern.search(plain)][:1]
    return found


def season_part(plain: str) -> list[str]:
    """The part of a season that is spoken of, as names in `game.PREMISES`."""
    parts = ("playoffs", "regular season", "preseason")
    return [name for name, pattern in _KINDS if name in parts and pattern.search(plain)]


def last_of(plain: str) -> str | None:
    """ "won", "lost" or "drew" where the last such game is asked for, not the last game."""
    match = _SUCH_A_GAME.search(plain)
    return match.lastgroup.rstrip("2") if match and match.lastgroup else None


def speaks_of_a_game(plain: str) -> bool:
    """Whether it takes for granted that a game was, or is, or will be played."""
    return _SPOKEN_OF.search(plain) is not None
