"""How games become a short answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from models.kg.english.compose import plain
from models.kg.english.reading import Compose
from models.kg.english.sports.game import ASIDE, FACTS, PREMISES, Game, seen_by
from models.kg.execute import Outcome
from models.kg.fetch.protocol import Row
from models.kg.operators import as_number
from models.kg.teams import same_team
from models.records import INVALID


class Many(StrEnum):
    """What becomes of several games: their sum, all of them, how many they are, or one alone."""

    ONE = "one"
    SUM = "sum"
    LIST = "list"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Premise:
    """What a question takes for granted: a name in `PREMISES`, or whom the game was against."""

    kind: str
    opponent: str = ""

    def holds(self, game: Game) -> bool | None:
        if self.opponent:
            return same_team(self.opponent, game.opponent) if game.opponent else None
        return PREMISES[self.kind](game)


@dataclass(frozen=True, slots=True)
class OfGame:
    """A fact of the game that the first statement with rows gives.

    A question about a game that was not played, or not so, is invalid.

    Attributes:
        fact: a name in `FACTS`; empty: nothing but whether the question is invalid.
        one: no team plays twice in the time asked about, so that the game found is the one meant.
        each: where no game is found, all statements must show that there was none, not the last.
        near: of the games found the latest ("last") or the earliest ("next") is meant.
    """

    team: str
    fact: str
    premises: tuple[Premise, ...] = ()
    many: Many = Many.ONE
    one: bool = True
    each: bool = False
    near: str | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        found = next((outcome for outcome in outcomes if outcome.rows), None)
        if found is None:
            absent = "no" if self.fact == "played?" else INVALID
            shown = [outcome.complete for outcome in outcomes]
            return absent if shown and (all(shown) if self.each else shown[-1]) else None
        games = self._meant(found.rows)
        fitting = [g for g in games if all(p.holds(g) is not False for p in self.premises)]
        if not fitting:
            return INVALID if self.one else None
        unsure = [p for g in fitting for p in self.premises if p.holds(g) is None]
        if any(premise.kind not in ASIDE for premise in unsure) or not self.fact:
            return None
        return self._said(fitting)

    def _meant(self, rows: Sequence[Row]) -> list[Game]:
        games = [seen_by(self.team, row) for row in rows]
        if self.near:
            pick = max if self.near == "last" else min
            return [pick(games, key=lambda game: game.day or "")]
        return games

    def _said(self, games: Sequence[Game]) -> str | None:
        if self.many is Many.COUNT:
            return str(len(games))
        values = [FACTS[self.fact](game) for game in games]
        if any(value in (None, "") for value in values):
            return None
        said = list(dict.fromkeys(plain(_number_of(value)) for value in values))
        if self.many is Many.SUM:
            numbers = [as_number(value) for value in values]
            return plain(float(sum(number or 0.0 for number in numbers)))
        if self.many is Many.LIST:
            return ", ".join(said)
        return said[0] if len(said) == 1 else None


def _number_of(value: str | float | None) -> str | float | None:
    number = as_number(value)
    return value if number is None else number


@dataclass(frozen=True, slots=True)
class InLeague:
    """`then` of the games in one league. The first statement gives the team's games in any: where
    all of them are in others, the question is invalid."""

    league: str
    then: OfGame

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        everywhere, within = outcomes[0], outcomes[1:]
        leagues = {row.get("league") for row in everywhere.rows}
        if leagues and None not in leagues and not any(outcome.rows for outcome in within):
            return INVALID if self.league not in leagues else None
        return self.then(within)


@dataclass(frozen=True, slots=True)
class Whether:
    """Yes or no: whether `then` says a team; what is invalid stays so."""

    team: str
    then: Compose

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        said = self.then(outcomes)
        if said is None or said == INVALID:
            return said
        return "yes" if same_team(self.team, said) else "no"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """ "invalid question" where the team plays in a league: one asked for its games in another."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        leagues = {row.get("league") for row in outcomes[0].rows}
        return INVALID if leagues and None not in leagues else None


@dataclass(frozen=True, slots=True)
class OfTeams:
    """Which team had more, or less, of a fact in its game; each has `per` statements."""

    games: tuple[OfGame, ...]
    per: int
    least: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        said = [
            game(outcomes[index * self.per : (index + 1) * self.per])
            for index, game in enumerate(self.games)
        ]
        if INVALID in said:
            return INVALID
        worth = [as_number(text) for text in said]
        if any(number is None for number in worth):
            return None
        ranked = sorted(
            zip((number or 0.0 for number in worth), self.games, strict=True),
            key=lambda pair: pair[0],
            reverse=not self.least,
        )
        if ranked[0][0] == ranked[1][0]:
            return "they are equal"
        return ranked[0][1].team
