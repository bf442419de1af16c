"""Teams and leagues by the KG's names, with their other names (`teams.toml`)."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from utils.text import words

TeamNames = Mapping[str, Sequence[str]]  # the KG's names, each with its other names
_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
NBA_TEAMS: TeamNames = _DATA["nba"]
SOCCER_TEAMS: TeamNames = {n: o for clubs in _DATA["soccer"].values() for n, o in clubs.items()}
LEAGUES: TeamNames = _DATA["leagues"]  # the soccer leagues that the KG covers
OTHER_LEAGUES: Sequence[str] = _DATA["others"]["leagues"]  # that it does not cover


@cache
def _meant() -> dict[tuple[str, ...], frozenset[tuple[str, ...]]]:
    """For the words of each other name, the words of the teams that it may mean."""
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for name, others in (*NBA_TEAMS.items(), *SOCCER_TEAMS.items()):
        for other in others:
            found.setdefault(_words(other), set()).add(_words(name))
    return {other: frozenset(names) for other, names in found.items()}


def same_team(asked: str, team: str) -> bool:
    """Whether two names mean one team: by full name, nickname (the last word) or listed name."""
    left, right = _words(asked), _words(team)
    return bool(left) and (left == right[-len(left) :] or right in _meant().get(left, ()))


def _words(name: str) -> tuple[str, ...]:
    """The words of a team's name, normalised across spellings."""
    return tuple("united" if word == "utd" else word for word in words(name) if word != "fc")
