"""Teams and leagues by the KG's names, with their other names (`teams.toml`)."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from utils.text import words

TeamNames = Mapping[str, Sequence[str]]


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def nba_teams() -> TeamNames:
    """The NBA's teams, each with its other names."""
    return dict(_file()["nba"])


def soccer_teams() -> TeamNames:
    """The clubs of the leagues that the KG covers, each with its other names."""
    return {name: others for clubs in _file()["soccer"].values() for name, others in clubs.items()}


def leagues() -> TeamNames:
    """The soccer leagues that the KG covers, each with its other names."""
    return dict(_file()["leagues"])


def other_leagues() -> Sequence[str]:
    """Names of leagues that the KG does not cover."""
    return list(_file()["others"]["leagues"])


@cache
def _meant() -> dict[tuple[str, ...], frozenset[tuple[str, ...]]]:
    """For the words of each other name, the words of the teams that it may mean."""
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for name, others in (*nba_teams().items(), *soccer_teams().items()):
        for other in others:
            found.setdefault(_words(other), set()).add(_words(name))
    return {other: frozenset(names) for other, names in found.items()}


def same_team(asked: str, team: str) -> bool:
    """Whether two names mean one team: by full name, nickname (the last word) or listed name."""
    left, right = _words(asked), _words(team)
    same = left == right or left == right[-len(left) :] or right in _meant().get(left, ())
    return bool(left) and same


def _words(name: str) -> tuple[str, ...]:
    """The words of a team's name, normalised across spellings."""
    return tuple("united" if word == "utd" else word for word in words(name) if word != "fc")
