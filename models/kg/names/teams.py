"""Teams and leagues: which ones a question names, and whether two names mean one team.

The KG has no search for teams, so they are listed in `teams.toml` by the KG's names, with the other
names that people use.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass
from rapidfuzz import fuzz, process

from models.english.instalments import numbers_in
from models.english.likeness import likeness, name_words
from models.english.question import QuestionText, WordSpan
from models.kg.names.finder import Mention
from utils.text import FUNCTION_WORDS, words

_STRICT = ConfigDict(extra="forbid")  # a misspelt field is an error
_TEAM_NUMBER = re.compile(r"\d\d|18\d\d")  # a year of foundation: "04", "1860"
_MAX_WORDS = 4  # of a misspelt team name
_SHORTEST_MISSPELT = 5  # letters
_MIN_LIKENESS = 0.85
_MIN_RATIO = 80  # of 100: a cheaper measure that is tried first

TeamNames = Mapping[str, tuple[str, ...]]  # the KG's names, each with its other names
TeamWords = tuple[str, ...]
T = TypeVar("T")


class Sport(StrEnum):
    """A sport whose teams the KG covers."""

    SOCCER = "soccer"
    NBA = "nba"


@dataclass(frozen=True, config=_STRICT)
class _TeamTables:
    """The tables of `teams.toml`: `soccer` by league."""

    leagues: dict[str, tuple[str, ...]]
    other_leagues: tuple[str, ...]
    nba: dict[str, tuple[str, ...]]
    soccer: dict[str, dict[str, tuple[str, ...]]]


@cache
def _team_tables() -> _TeamTables:
    file = Path(__file__).with_suffix(".toml")
    return _TeamTables(**tomllib.loads(file.read_text(encoding="utf-8")))


@cache
def _names_of_teams(sport: Sport) -> TeamNames:
    if sport is Sport.NBA:
        return _team_tables().nba
    teams: dict[str, tuple[str, ...]] = {}
    for clubs in _team_tables().soccer.values():
        teams.update(clubs)
    return teams


# ---- the teams and leagues of a question


def find_teams(question: QuestionText, sport: Sport, known: Iterable[str]) -> list[Mention]:
    """The teams of a sport in the question, in order.

    Args:
        known: words that are not part of a name, however similar.
    """
    names = _team_names_by_words(sport)
    teams = [Mention(name, span) for span, name in _listed_names(question, names)]
    misspelt = list(_misspelt_teams(question, names, frozenset(known)))
    misspelt.sort(key=lambda mention: -mention.score)
    for team in misspelt:
        if not any(team.span.meets(other.span) for other in teams):
            teams.append(team)
    teams = [team for team in teams if not _has_another_number(question, team.span, team.name)]
    return sorted(teams, key=lambda team: team.span.first)


def _has_another_number(question: QuestionText, span: WordSpan, name: str) -> bool:
    """Whether the question gives a team that has a number in its name another one: "Schalke 05"."""
    numbers = numbers_in(name_words(name))
    if not numbers or numbers_in(tuple(question.texts(span))):
        return False
    beside = [*question.words[max(span.first - 1, 0) : span.first]]
    beside += question.words[span.end : span.end + 1]
    others = [word.text for word in beside if _TEAM_NUMBER.fullmatch(word.text)]
    return any(str(int(number)) not in numbers for number in others)


def find_leagues(question: QuestionText) -> list[Mention]:
    """The leagues in the question that the KG covers."""
    names = _league_names_by_words()
    return [Mention(name, span) for span, name in _listed_names(question, names) if name]


@cache
def _team_names_by_words(sport: Sport) -> dict[TeamWords, str]:
    """The KG's names of teams by the words that name them; the first one listed, if several."""
    names: dict[TeamWords, str] = {}
    for name, other_names in _names_of_teams(sport).items():
        for spelling in (name, *other_names):
            names.setdefault(tuple(words(spelling)), name)
    return names


@cache
def _league_names_by_words() -> dict[TeamWords, str | None]:
    """The KG's names of leagues by the words that name them: None for "Scottish Premier League"."""
    names: dict[TeamWords, str | None] = {}
    for spelling in _team_tables().other_leagues:
        names[tuple(words(spelling))] = None
    for name, spellings in _team_tables().leagues.items():
        for spelling in spellings:
            names[tuple(words(spelling))] = name
    return names


def _listed_names(
    question: QuestionText, names: Mapping[TeamWords, T]
) -> Iterator[tuple[WordSpan, T]]:
    """The listed names in the question from left to right, the longest at each position."""
    question_words = [word.text for word in question.words]
    max_words = max(map(len, names), default=0)
    first = 0
    while first < len(question_words):
        longest_end = min(len(question_words), first + max_words)
        for last in range(longest_end, first, -1):
            run = tuple(question_words[first:last])
            if run in names:
                yield WordSpan(first, last), names[run]
                first = last - 1
                break
        first += 1


def _misspelt_teams(
    question: QuestionText, names: Mapping[TeamWords, str], known: frozenset[str]
) -> Iterator[Mention]:
    """Runs of words that are similar to a team's name."""
    no_names = FUNCTION_WORDS | known
    names_by_spelling = {" ".join(key): name for key, name in names.items()}
    for first in range(len(question.words)):
        longest_end = min(len(question.words), first + _MAX_WORDS)
        for last in range(first + 1, longest_end + 1):
            span = WordSpan(first, last)
            run = question.texts(span)
            text = " ".join(run)
            if len(text) < _SHORTEST_MISSPELT or run[0] in no_names or run[-1] in no_names:
                continue
            nearest = process.extractOne(
                text, names_by_spelling.keys(), scorer=fuzz.ratio, score_cutoff=_MIN_RATIO
            )
            if nearest is None:
                continue
            score = likeness(text, nearest[0])
            if score >= _MIN_LIKENESS:
                yield Mention(names_by_spelling[nearest[0]], span, score)


# ---- whether two names mean one team


def same_team(name: str, team: str) -> bool:
    """Whether two names mean one team: by full name, nickname (the last word) or listed name."""
    own_words = _team_words(name)
    team_words = _team_words(team)
    if not own_words:
        return False
    is_end = own_words == team_words[-len(own_words) :]
    if is_end and all(word.isdecimal() for word in own_words):
        return False
    return is_end or team_words in _teams_by_other_name().get(own_words, ())


@cache
def _teams_by_other_name() -> dict[TeamWords, set[TeamWords]]:
    """For the words of each other name, the words of the teams that it may mean."""
    teams: dict[TeamWords, set[TeamWords]] = {}
    for sport in Sport:
        for name, other_names in _names_of_teams(sport).items():
            for other_name in other_names:
                teams.setdefault(_team_words(other_name), set()).add(_team_words(name))
    return teams


def _team_words(name: str) -> TeamWords:
    """The words of a team's name, normalised across spellings."""
    return tuple("united" if word == "utd" else word for word in words(name) if word != "fc")
