"""The parts of a question about a game: teams, league, time, and the words between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from models.kg.english.names import Names
from models.kg.english.sports.facts import GAME
from models.kg.english.sports.vocabulary import VOCABULARY, corrected
from models.kg.english.sports.when import When, find_when
from models.kg.fetch.sports import soccer_games
from models.kg.linking.question import Asked, Span, Word, any_of
from models.kg.linking.teams import League, Sport, Team, find_leagues, find_teams

_LONGEST = 80  # words of a question
_SOCCER_CUES = r"""
    goals?|soccer|football|draw|drew|clean sheet|captain|skipper|referee|formation|xg|fc
    matchweek|matchday|kick ?off|possession|pitch
    """
_NBA_CUES = r"""
    nba|basketball|points?|rebounds?|assists|steals|blocks|turnovers|court|playoffs?|overtime
    free throws?|tip ?off
    """
# Without one of these no game is asked about, whatever its words may name.
_PLAYING = rf"""
    {GAME}|play\w*|compet\w*|fac(?:e|es|ed|ing)|scor\w*|win|won|wins|lose|lost|loss(?:es)?|losing|beat|goals?|points?
    who|whom|whos|adversar\w+|draw|drew|opponents?|opposing|opposition|victor\w*|head to head
    against|versus|vs|take the field|kick ?off|tip ?off|schedule|host(?:ed)?|in action|fare
    challenge|captain\w*|skipper|LEAGUE|square\w*|meet|met|outcome|results?|tally|up against
    take on|took on|taking on|lock\w* horns|oppos\w+|(?:which|what) (?:team|club|side)|other side
    at home|on the road|away|clean sheet|how did|finish|ended?|rebounds?|assists?|conced\w*
    defeat\w*|matched|pointers|throws?|shots?
    record|pitch|w|dub|fall(?:s)? on|things|ship|skippers?
    steals|blocks|turnovers|fouls|boards|rivals?
    """
_THE_GAME = r"games?|match|fixture|clash|contest|play|plays|face|faces|meet"
_TO_COME = r"will|going to|scheduled|set to|due to|slated"
_BEFORE_THE_OTHER = frozenset("against versus vs v over to beat by defeat defeated past".split())


@dataclass(frozen=True, slots=True)
class Parts:
    """`plain`: the words, with TEAM for the team that is asked about, OTHER for any other, LEAGUE
    and WHEN in their places, and misspelt words mended. `teams`: TEAM's first."""

    plain: str
    teams: tuple[Team, ...]
    league: League | None
    when: When
    at: date

    @property
    def sport(self) -> Sport:
        return self.teams[0].sport


def parts_of(asked: Asked, names: Names) -> Parts | None:
    """None where no team or no time is found.

    Raises:
        ApiError: the KG's tables, where unknown teams are looked for, could not be had.
    """
    when = find_when(asked) if len(asked.words) <= _LONGEST else None
    if when is None or asked.at is None:
        return None
    mended = tuple(Word(corrected(word.text), word.start, word.end) for word in asked.words)
    leagues = find_leagues(asked)
    marks = [(span, "WHEN") for span in when.spans]
    marks += [(league.span, "LEAGUE") for league in leagues]
    # the same words stand at the same places in both
    spelled, fixed = _marked(asked, marks), _marked(Asked(asked.text, mended, asked.at), marks)
    if len(leagues) > 1 or not _has(fixed, _PLAYING):
        return None
    teams = _teams(spelled, bool(leagues), names, when)
    if not teams or not (when.told or _is_one_game(teams, asked)):
        return None
    named = list(dict.fromkeys(team.name for team in teams))
    if len(named) > 1 and _follows(spelled, teams[0]) and not _follows(spelled, teams[1]):
        named[:2] = reversed(named[:2])
    spans = [(team.span, "TEAM" if team.name == named[0] else "OTHER") for team in teams]
    ordered = tuple(next(team for team in teams if team.name == name) for name in named)
    league = leagues[0] if leagues else None
    return Parts(_marked(fixed, spans).plain, ordered, league, when, asked.at.date())


def _has(asked: Asked, cues: str) -> bool:
    return asked.has(any_of(cues))


def _marked(asked: Asked, marks: Sequence[tuple[Span, str]]) -> Asked:
    kept: list[Word] = []
    for index, word in enumerate(asked.words):
        found = next(((s, m) for s, m in marks if s.first <= index < s.last), None)
        if found is None:
            kept.append(word)
        elif found[0].first == index:
            kept.append(Word(found[1], word.start, word.end))
    return Asked(asked.text, tuple(kept), asked.at)


def _is_one_game(teams: Sequence[Team], asked: Asked) -> bool:
    """Whether a question without a time means one game all the same: of two soccer clubs, or one
    that is to come."""
    if teams[0].sport is not Sport.SOCCER or not _has(asked, _THE_GAME):
        return False
    return len({team.name for team in teams}) == 2 or _has(asked, _TO_COME)


def _teams(asked: Asked, league: bool, names: Names, when: When) -> list[Team]:
    """The teams named; all of one sport, the one that the other words speak of."""
    soccer = league or _has(asked, _SOCCER_CUES)
    nba = not league and _has(asked, _NBA_CUES)
    sport = None if soccer == nba else Sport.SOCCER if soccer else Sport.NBA
    teams = find_teams(asked, sport, VOCABULARY)
    if not teams and sport is not None:
        teams = find_teams(asked, None, VOCABULARY)
    if not teams and soccer:
        teams = find_teams(asked, Sport.SOCCER, VOCABULARY, _in_tables(asked, names, when))
    return [team for team in teams if team.sport is teams[0].sport]


def _in_tables(asked: Asked, names: Names, when: When) -> list[str]:
    """The teams that the KG's tables of games have in the month of the game."""
    if asked.at is None:
        return []
    month = (when.periods[-1] if when.periods else asked.at.isoformat())[:7]
    table = names.fetch("/sports/soccer/get_games_on_date", date=month)
    return sorted({str(row["team"]) for row in soccer_games([table])})


def _follows(asked: Asked, team: Team) -> bool:
    """Whether the team stands where the other one of a game does: "against TEAM"."""
    before = asked.words[max(0, team.span.first - 2) : team.span.first]
    return bool(_BEFORE_THE_OTHER & {word.text for word in before})
