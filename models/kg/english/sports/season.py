"""Questions about all games of an NBA team in a month or a year.

How many it won, whom it beat, what it scored in all, and which of two teams did so more.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

from models.kg.english.compose import plain
from models.kg.english.reading import Reading
from models.kg.english.sports.facts import DRAW, LOSE, WIN, compared, fact_of, of_parts
from models.kg.english.sports.game import FACTS, PREMISES, Game, seen_by
from models.kg.english.sports.premises import season_part
from models.kg.english.sports.programs import for_key
from models.kg.english.sports.question import Parts
from models.kg.english.sports.stats import STAT_NAMES
from models.kg.english.sports.venues import AWAY, HOME
from models.kg.english.sports.vocabulary import unexplained
from models.kg.execute import Outcome
from models.kg.linking.question import any_of
from models.kg.linking.teams import Sport
from models.kg.operators import as_number

# A team plays more games than these in a whole month, or year: where the KG has fewer, it lacks
# some. A month in which a season begins or ends has fewer, and is not answered.
_LEAST_OF_MONTH, _LEAST_OF_YEAR = 6, 40
_LOST = any_of(
    rf"""
    {LOSE}|com(?:e|ing) up short|came up short|losing side|defeats?
    """
)
_WON = any_of(
    rf"""
    {WIN}|emerge\w* as the winner|c[oa]me out on top|winning side|outplay\w*|better of|success\w*
    """
)
_TEAMS = r"(?:teams|opponents|sides|rivals)"
_OPPONENTS = re.compile(
    r"\b(?:"
    + any_of(
        rf"""
        (?:which|what|name|list|all|any)(?: of)?(?: the)? (?:\w+ )?{_TEAMS}
        (?:name|list|identify) the (?:\w+ )?{_TEAMS}|who (?:did|has|have|beat|all)
        """
    )
    + r")\b"
)
_BY_OTHERS = re.compile(
    rf"\b(?:(?:{_TEAMS}|who|that|were|able) .*?(?:{_WON}|defeat|beat) (?:\w+ ){{0,2}}?TEAM"
    rf"|TEAM (?:\w+ ){{0,3}}?(?:{_LOST})|(?:lose|lost|losing|fall|fell) to)\b"
)
# Some games of the period only.
_OF_SOME = re.compile(
    r"\b(?:finals?|in a row|straight|by (?:more|over|at least|double)|overtime|division"
    r"|rounds?|christmas|weekends?|first|last|before|after|since)\b"
)
_POINTS = re.compile(r"\b(?:points?|pts|scor\w+|score)\b")
_PER_GAME = re.compile(r"\b(?:average\w*|per game|each game|a game|ppg)\b")
_GAMES = re.compile(r"\b(?:how many|number of) (?:\w+ )?(?:games|matches|contests)\b")
_RECORD = re.compile(r"\b(?:win loss|won lost|wins? and loss(?:es)?|record)\b")
_SEASONAL = re.compile(rf"{_PER_GAME.pattern}|{_RECORD.pattern}")
_RATE = re.compile(r"\b(?:percent\w*|rate|ratio|share of)\b")
_YES_NO = re.compile(r"^(?:did|was|were|do|does|is|has|have|had)\b")


class Reduced(StrEnum):
    """What becomes of the games."""

    COUNT = "how many"
    SUM = "the sum of a fact"
    MEAN = "the average of a fact"
    OPPONENTS = "whom they were against"
    RECORD = "how many were won, and lost"


@dataclass(frozen=True, slots=True)
class OfGames:
    """One number, or list, from those of a team's games that fit the premises, names in
    `game.PREMISES`; nothing where the KG lacks games."""

    team: str
    reduced: Reduced
    fact: str = "own"
    premises: tuple[str, ...] = ()
    least: int = _LEAST_OF_MONTH

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        games = [seen_by(self.team, row) for row in outcomes[-1].rows]
        if len(games) < self.least:
            return None
        holding = [[PREMISES[name](game) for name in self.premises] for game in games]
        if any(None in known for known in holding):
            return None
        fitting = [game for game, known in zip(games, holding, strict=True) if all(known)]
        if self.reduced is Reduced.OPPONENTS:
            names = dict.fromkeys(game.opponent for game in fitting if game.opponent)
            return ", ".join(sorted(names)) or "none"
        if self.reduced is Reduced.RECORD:
            return "{}-{}".format(*(sum(g.result == letter for g in fitting) for letter in "WL"))
        if self.reduced is Reduced.COUNT:
            return str(len(fitting))
        return self._of_fact(fitting)

    def _of_fact(self, games: Sequence[Game]) -> str | None:
        values = [as_number(FACTS[self.fact](game)) for game in games]
        numbers = [value for value in values if value is not None]
        if not numbers or len(numbers) < len(values):
            return None
        if self.reduced is Reduced.MEAN:
            mean = Decimal(str(sum(numbers))) / len(numbers)
            return str(mean.quantize(Decimal("0.01"), ROUND_HALF_UP))
        return plain(sum(numbers))


@dataclass(frozen=True, slots=True)
class OfTwo:
    """Which of two teams has more, or less; `yes_no`: whether the first one has; `by`: how much."""

    teams: tuple[OfGames, ...]
    least: bool = False
    yes_no: bool = False
    by: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        said = [of([outcome]) for of, outcome in zip(self.teams, outcomes, strict=True)]
        numbers = [as_number(text) for text in said]
        if None in numbers:
            return None
        first, second = (number or 0.0 for number in numbers)
        if self.by:
            return plain(abs(first - second))
        first_has_it = first < second if self.least else first > second
        if self.yes_no:
            return "yes" if first_has_it else "no"
        if first == second:
            return "they are equal"
        return self.teams[0 if first_has_it else 1].team


def read_season(parts: Parts) -> list[Reading]:
    """The readings of a question about all games of a month or a year."""
    plain_text = parts.plain
    if parts.sport is not Sport.NBA or len(parts.teams) > 2 or _understood_not(plain_text):
        return []
    won, lost = (re.search(rf"\b(?:{cue})\b", plain_text) for cue in (_WON, _LOST))
    comparing = compared(plain_text)
    reduced, fact, result = _asked(plain_text, bool(won), bool(lost))
    if reduced is None:
        return []
    premises = [*([result] if result else []), *_places(plain_text), *season_part(plain_text)]
    least = _LEAST_OF_YEAR if len(parts.when.periods[0]) == len("2024") else _LEAST_OF_MONTH
    teams = tuple(OfGames(team.name, reduced, fact, tuple(premises), least) for team in parts.teams)
    program = "; ".join(for_key(parts, team, "game_id")[0] for team in parts.teams)
    if len(teams) == 1:
        return [] if comparing or _YES_NO.match(plain_text) else [Reading(program, teams[0])]
    if reduced is Reduced.OPPONENTS or comparing is None and not _on_top(plain_text):
        return []
    by = re.search(r"\bhow (?:many|much) (?:more|fewer|less)\b", plain_text) is not None
    yes_no = _YES_NO.match(plain_text) is not None and " or OTHER" not in plain_text
    return [Reading(program, OfTwo(teams, comparing == "less", yes_no, by))]


def _on_top(plain_text: str) -> bool:
    """Whether the better of two is asked for without a comparative."""
    return re.search(r"\b(?:on top|outperformed)\b", plain_text) is not None


def _understood_not(plain_text: str) -> bool:
    said = _SEASONAL.sub("", plain_text)
    aside = said.replace("who ", "") if "OTHER" in said else said  # "who" is one of the teams
    if _OF_SOME.search(said) or of_parts(aside):
        return True
    left = unexplained(said)
    return len(left) > 1 or any(char.isdigit() for word in left for char in word)


def _places(plain_text: str) -> list[str]:
    for name, cue in (("home", rf"as (?:the )?home|{HOME}"), ("away", AWAY)):
        if re.search(rf"\b(?:{cue})\b", plain_text):
            return [name]
    return []


def _asked(plain_text: str, won: bool, lost: bool) -> tuple[Reduced | None, str, str | None]:
    """How games are reduced, which fact of them, and of which result they must be."""
    if (
        _OPPONENTS.search(plain_text)
        and not _YES_NO.match(plain_text)
        and "OTHER" not in plain_text
    ):
        if not (won or lost):
            return None, "", None
        by_others = _BY_OTHERS.search(plain_text) is not None
        return Reduced.OPPONENTS, "", "lost" if by_others else "won"
    if _RATE.search(plain_text) or re.search(rf"\b(?:{DRAW})\b", plain_text):
        return None, "", None
    if _RECORD.search(plain_text):
        return Reduced.RECORD, "", None
    fact = fact_of(_PER_GAME.sub("", plain_text)) or ""
    of_all = Reduced.MEAN if _PER_GAME.search(plain_text) else Reduced.SUM
    if fact in STAT_NAMES:
        return of_all, fact, None
    if _POINTS.search(plain_text) and not (won or lost):
        return of_all, "other" if fact == "other" else "own", None
    if lost and not won or re.search(r"\b(?:loss(?:es)?|lose|lost)\b", plain_text):
        return Reduced.COUNT, "", "lost"
    if won:
        return Reduced.COUNT, "", "won"
    return (Reduced.COUNT if _GAMES.search(plain_text) else None), "", None
