"""Finds teams and leagues in a question by their common names.

The KG has no search for teams, so they are listed in `models/kg/english/teams.toml`.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import TypeVar

from rapidfuzz import fuzz, process

from models.kg.english.likeness import likeness
from models.kg.english.names import Mention
from models.kg.english.question import QuestionText, WordSpan
from models.kg.english.teams import LEAGUES, NBA_TEAMS, OTHER_LEAGUES, SOCCER_TEAMS
from utils.text import FUNCTION_WORDS, words

_LONGEST = 4  # words of a team's name
_SHORTEST_MISSPELT = 5  # letters
_ALIKE = 0.85
_NEAR = 80  # of 100: minimum similarity of a misspelt name


class Sport(StrEnum):
    SOCCER = "soccer"
    NBA = "nba"


T = TypeVar("T")
NameIndex = dict[tuple[str, ...], str]  # the words that name a team -> its name


@lru_cache(maxsize=2)
def _names(sport: Sport) -> NameIndex:
    names: NameIndex = {}
    for name, others in (NBA_TEAMS if sport is Sport.NBA else SOCCER_TEAMS).items():
        for spelled in (name, *others):
            names.setdefault(tuple(words(spelled)), name)
    return names


def find_leagues(asked: QuestionText) -> list[Mention]:
    """The leagues in the question that the KG covers."""
    return [Mention(name, span) for span, name in _standing(asked, _league_names()) if name]


@lru_cache(maxsize=1)
def _league_names() -> dict[tuple[str, ...], str | None]:
    """The KG's names by the words that name a league: None for "Scottish Premier League"."""
    known = {tuple(words(spelled)): name for name, some in LEAGUES.items() for spelled in some}
    return {tuple(words(name)): None for name in OTHER_LEAGUES} | known


def _standing(asked: QuestionText, names: dict[tuple[str, ...], T]) -> Iterable[tuple[WordSpan, T]]:
    """The listed names in the question from left to right, the longest at each position."""
    plain = [word.text for word in asked.words]
    longest = max(map(len, names), default=0)
    first = 0
    while first < len(plain):
        for last in range(min(len(plain), first + longest), first, -1):
            run = tuple(plain[first:last])
            if run in names:
                yield WordSpan(first, last), names[run]
                first = last - 1
                break
        first += 1


def find_teams(asked: QuestionText, sport: Sport, known: Iterable[str]) -> list[Mention]:
    """The teams of a sport in the question, in order. `known`: words that are not part of a name,
    however similar."""
    names = _names(sport)
    teams = [Mention(name, span) for span, name in _standing(asked, names)]
    misspelt = _misspelt(asked, names, frozenset(known))
    for team in sorted(misspelt, key=lambda mention: -mention.score):
        if not any(team.span.meets(other.span) for other in teams):
            teams.append(team)
    return sorted(teams, key=lambda team: team.span.first)


def _misspelt(asked: QuestionText, names: NameIndex, known: frozenset[str]) -> Iterable[Mention]:
    """Runs of words that are similar to a team's name."""
    free = FUNCTION_WORDS | known
    spelled = {" ".join(key): name for key, name in names.items()}
    for first in range(len(asked.words)):
        for last in range(first + 1, min(len(asked.words), first + _LONGEST) + 1):
            run = [word.text for word in asked.words[first:last]]
            text = " ".join(run)
            if len(text) < _SHORTEST_MISSPELT or run[0] in free or run[-1] in free:
                continue
            near = process.extractOne(text, spelled.keys(), scorer=fuzz.ratio, score_cutoff=_NEAR)
            alike = likeness(text, near[0]) if near else 0.0
            if near and alike >= _ALIKE:
                yield Mention(spelled[near[0]], WordSpan(first, last), alike)
