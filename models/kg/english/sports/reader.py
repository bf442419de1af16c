"""Questions about sports: a game of a soccer club or an NBA team.

A question means the last or next game, or the games of a time. What it asks of them is read from
the words around the team and the time; what it takes for granted is held against the tables.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from models.kg.english.names import Names
from models.kg.english.reading import Reading
from models.kg.english.sports.answer import (
    Elsewhere,
    InLeague,
    Many,
    OfGame,
    OfTeams,
    Premise,
    Whether,
)
from models.kg.english.sports.facts import compared, fact_of, is_count
from models.kg.english.sports.premises import ASIDE, last_of, premises_of, speaks_of_a_game
from models.kg.english.sports.programs import for_key, statements
from models.kg.english.sports.question import Parts, parts_of
from models.kg.english.sports.season import read_season
from models.kg.english.sports.stats import STAT_NAMES
from models.kg.english.sports.vocabulary import unexplained
from models.kg.english.sports.when import LAST
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked
from models.kg.linking.teams import Sport

_SUMMED = frozenset(("own", "other", "total", "xg", "xga", "attendance", *STAT_NAMES))
_LISTED = frozenset(("opponent", "date", "captain", "referee"))
# Numbers that a player has, too: a word that may name one must not be overlooked.
_PLAYERS_HAVE = frozenset(("own", "other", "total", "margin", "score", "xg", "xga", *STAT_NAMES))
_BEFORE_NOUNS = (
    r"the|an?|their|its|goals?|points?|scoring|final|total|full|team|how many|what|which|in"
)
_BEFORE_NAMES = r"did|does|do|will|has|have|had|by|of|for|from"
_OF_SOCCER_ALONE = frozenset(
    "captain formation referee attendance possession xg xga round time".split()
)
_ASKS_WHETHER = re.compile(r"(?:is|are|was|were|will|do|does|did)\b")
_LETTERS = {"won": "W", "lost": "L", "drew": "D"}


def read(asked: Asked, names: Names) -> list[Reading]:
    parts = parts_of(asked, names)
    if parts is None or ASIDE.search(parts.plain):
        return []
    if parts.when.long:
        return read_season(parts)
    comparing = compared(parts.plain)
    fact = fact_of(parts.plain, several=len(parts.teams) > 1 and comparing is not None)
    if fact and parts.sport is Sport.SOCCER and _brings_points(parts, fact):
        fact = None if re.search(r"\bscor", parts.plain) else "league points"
    readings = []
    if fact and _understood(parts, fact):
        if comparing is None and len(parts.teams) <= 2:
            readings = _about_one(parts, fact)
        elif comparing and len(parts.teams) > 1:
            readings = _comparison(parts, fact, least=comparing == "less")
    if fact != "played?" and _needs_a_game(parts):
        readings.append(_reading(parts, "", ()))
    return readings


def _understood(parts: Parts, fact: str) -> bool:
    """Whether the words that are left change nothing: one that names nobody is allowed."""
    if parts.sport is Sport.NBA and fact in _OF_SOCCER_ALONE:
        return False
    if parts.sport is Sport.SOCCER and fact in STAT_NAMES:
        return False
    left = [
        word
        for word in unexplained(parts.plain)
        if not (fact_of(word) or compared(word) or premises_of(word, ""))
    ]
    if len(left) > 1 or any(char.isdigit() for word in left for char in word):
        return False
    if not left:
        return True
    if fact in _PLAYERS_HAVE:
        return _stands_behind(_BEFORE_NOUNS, parts.plain, left[0])
    return not _stands_behind(_BEFORE_NAMES, parts.plain, left[0])


def _brings_points(parts: Parts, fact: str) -> bool:
    """Soccer teams score goals: "points" are what a win brings."""
    return fact == "own" and re.search(r"\bpoints?\b", parts.plain) is not None


def _stands_behind(before: str, plain: str, word: str) -> bool:
    return re.search(rf"\b(?:{before}) {re.escape(word)}\b", plain) is not None


def _needs_a_game(parts: Parts) -> bool:
    """Whether the question is invalid without a game in its time, whatever else it asks."""
    if not parts.when.periods or (parts.league and parts.league.name is None):
        return False
    return speaks_of_a_game(parts.plain) and not is_count(parts.plain)


def _about_one(parts: Parts, fact: str) -> list[Reading]:
    if parts.league and parts.league.name is None:
        return [Reading(for_key(parts, parts.teams[0], "league")[0], Elsewhere())]
    if fact == "opponent" and len(parts.teams) > 1:
        if not parts.when.near or not _ASKS_WHETHER.match(parts.plain):
            return []
        alone = replace(parts, teams=parts.teams[:1])
        (reading,) = _about_one(alone, fact)
        return [Reading(reading.program, Whether(parts.teams[1].name, reading.compose))]
    return [_reading(parts, fact, premises_of(parts.plain, fact))]


def _reading(parts: Parts, fact: str, kinds: Sequence[str]) -> Reading:
    team, near = parts.teams[0], parts.when.near
    soccer = team.sport is Sport.SOCCER
    filters = _filters(parts, kinds) if near and soccer else {}
    premises = [Premise(kind) for kind in kinds if kind not in filters]
    if near and near != LAST:
        premises = [premise for premise in premises if premise.kind not in _LETTERS]
    if len(parts.teams) > 1:
        against = parts.teams[1].name
        premises.append(Premise("opponent", against))
        if near and soccer:
            filters["opponent"] = f"eq(opponent, {quoted(against)})"
        spoken = fact
    else:  # the NBA's "score of a team" is its points
        of_both = soccer or re.search(r"\bscore ?lines?\b", parts.plain)
        spoken = "own" if fact == "score" and not of_both else fact
    many = _many(parts, fact)
    if many is Many.COUNT:
        spoken = "played?"
    one = _is_one_day(parts)
    compose = OfGame(team.name, spoken, tuple(premises), many, one=one, each=one, near=near)
    conditions = [condition for condition in filters.values() if condition]
    if not parts.league or not parts.league.name or not soccer:
        return Reading("; ".join(statements(parts, team, spoken, conditions)), compose)
    conditions.append(f"eq(league, {quoted(parts.league.name)})")
    everywhere = for_key(parts, team, "league")[:1]
    program = "; ".join([*everywhere, *statements(parts, team, spoken, conditions)])
    return Reading(program, InLeague(parts.league.name, compose))


def _filters(parts: Parts, kinds: Sequence[str]) -> dict[str, str]:
    """Which last or next game is meant, the last won or the next at home, by the premise that says
    so; empty where another one has said it."""
    filters: dict[str, str] = {}
    result = last_of(parts.plain) if parts.when.near == LAST else None
    if result:
        filters = dict.fromkeys(_LETTERS, "")
        filters[result] = f'eq(result, "{_LETTERS[result]}")'
    for kind in ("home", "away"):
        if kind in kinds:
            filters[kind] = f'eq(venue, "{kind.title()}")'
    return filters


def _is_one_day(parts: Parts) -> bool:
    """Whether no team plays twice in the time that is meant."""
    return parts.when.near is not None or all(" to " not in time for time in parts.when.periods)


def _many(parts: Parts, fact: str) -> Many:
    if is_count(parts.plain):
        return Many.COUNT
    if _is_one_day(parts):
        return Many.ONE
    return Many.SUM if fact in _SUMMED else Many.LIST if fact in _LISTED else Many.ONE


def _comparison(parts: Parts, fact: str, *, least: bool) -> list[Reading]:
    """Which of the teams had more or less of what is counted."""
    if fact in ("opponent", "result", "winner", "date") and re.search(
        r"\b(?:scor\w*|goals?|points?)\b", parts.plain
    ):
        fact = "own"
    if fact not in (*_SUMMED, "possession"):
        return []
    league = parts.league.name if parts.league else None
    conditions = [f"eq(league, {quoted(league)})"] if league and parts.sport is Sport.SOCCER else []
    programs = [statements(parts, team, fact, conditions) for team in parts.teams]
    one, many = _is_one_day(parts), _many(parts, fact)
    games = tuple(
        OfGame(team.name, fact, (), many, one=one, each=one, near=parts.when.near)
        for team in parts.teams
    )
    program = "; ".join(text for texts in programs for text in texts)
    return [Reading(program, OfTeams(games, len(programs[0]), least))]
