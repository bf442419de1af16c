"""Teams and leagues as people call them, and where they stand in a question.

The KG has no search for teams, so they are listed: the NBA's, and the clubs of the five soccer
leagues that it covers, by the KG's own spelling.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TypeVar

from rapidfuzz import fuzz, process

from models.kg.english.question import Asked, Span
from models.kg.match import likeness
from utils.text import FUNCTION_WORDS, words

_LONGEST = 4  # words of a team's name
_SHORTEST_MISSPELT = 5  # letters
_ALIKE = 0.85
_NEAR = 80  # of 100: how alike the letters of such names are at the least


class Sport(StrEnum):
    SOCCER = "soccer"
    NBA = "nba"


@dataclass(frozen=True, slots=True)
class Team:
    """A team by the KG's name, and the words of the question that name it."""

    name: str
    sport: Sport
    span: Span


@dataclass(frozen=True, slots=True)
class League:
    """A league by the KG's name, None where the KG does not cover it, and where it stands."""

    name: str | None
    span: Span


# City | nickname | other names.
_NBA = """
Atlanta|Hawks
Boston|Celtics|celts, c's
Brooklyn|Nets
Charlotte|Hornets
Chicago|Bulls
Cleveland|Cavaliers|cavs
Dallas|Mavericks|mavs
Denver|Nuggets|nugs
Detroit|Pistons
Golden State|Warriors|dubs, gsw
Houston|Rockets
Indiana|Pacers
LA|Clippers|los angeles clippers, l.a. clippers, lac
Los Angeles|Lakers|la lakers, l.a. lakers
Memphis|Grizzlies|grizz
Miami|Heat
Milwaukee|Bucks
Minnesota|Timberwolves|t wolves, twolves, minnesota wolves
New Orleans|Pelicans|pels
New York|Knicks|ny knicks, knickerbockers
Oklahoma City|Thunder|okc, okc thunder
Orlando|Magic
Philadelphia|76ers|sixers, philly sixers
Phoenix|Suns
Portland|Trail Blazers|blazers, trailblazers, portland blazers
Sacramento|Kings
San Antonio|Spurs
Toronto|Raptors
Utah|Jazz
Washington|Wizards
"""
_SHARED_CITIES = frozenset(("la", "los angeles", "new york", "washington"))

# The KG's name of a league | its clubs, with their other names in brackets.
_SOCCER = """
ENG-Premier League|Arsenal [gunners, arsenal london], Aston Villa [villa], Bournemouth [afc
 bournemouth], Brentford, Brighton [brighton hove albion, brighton and hove albion, seagulls],
 Burnley [clarets], Cardiff City [cardiff], Chelsea [chelsea london], Crystal Palace [palace],
 Everton [toffees], Fulham, Huddersfield [huddersfield town], Hull City, Ipswich Town [ipswich],
 Leeds United [leeds], Leicester City [leicester], Liverpool, Luton Town [luton], Manchester City
 [man city, mancity], Manchester Utd [manchester united, man united, man utd, man u],
 Middlesbrough, Newcastle Utd [newcastle united, newcastle], Norwich City [norwich],
 Nott'ham Forest [nottingham forest, nottm forest, forest], Sheffield Utd [sheffield united,
 sheffield], Southampton, Stoke City [stoke], Sunderland, Swansea City [swansea], Tottenham
 [tottenham hotspur, spurs, hotspur], Watford, West Brom [west bromwich, west bromwich albion],
 West Ham [west ham united, west ham utd, hammers], Wolves [wolverhampton,
 wolverhampton wanderers]
ESP-La Liga|Alavés [deportivo alaves], Almería, Athletic Club [athletic bilbao, bilbao],
 Atlético Madrid [atletico, atletico de madrid, athletico madrid, atleti], Barcelona [barca],
 Betis [real betis], Cádiz, Celta Vigo [celta, celta de vigo], Eibar, Elche, Espanyol, Getafe,
 Girona, Granada, Huesca, Las Palmas, Leganés, Levante, Mallorca [real mallorca, rcd mallorca],
 Osasuna, Rayo Vallecano [rayo], Real Madrid, Real Sociedad [sociedad], Sevilla, Valencia,
 Valladolid [real valladolid], Villarreal
FRA-Ligue 1|Ajaccio, Amiens, Angers, Auxerre, Bordeaux, Brest [stade brestois], Caen,
 Clermont Foot [clermont], Dijon, Guingamp, Le Havre [havre], Lens, Lille [losc, losc lille],
 Lorient, Lyon [olympique lyonnais, olympique lyon], Marseille [olympique de marseille,
 olympique marseille], Metz, Monaco, Montpellier, Nantes, Nice [ogc nice], Nîmes, Paris S-G [psg,
 paris sg, paris saint germain, paris st germain, paris], Reims [stade de reims, stade reims],
 Rennes [stade rennais], Saint-Étienne [st etienne], Strasbourg, Toulouse, Troyes
GER-Bundesliga|Arminia [arminia bielefeld, bielefeld], Augsburg, Bayern Munich [bayern, bayern
 munchen], Bochum, Darmstadt 98 [darmstadt], Dortmund [borussia dortmund, bvb], Düsseldorf
 [fortuna dusseldorf], Eint Frankfurt [eintracht frankfurt, frankfurt, eintracht], Freiburg,
 Gladbach [monchengladbach, borussia monchengladbach, borussia gladbach], Greuther Fürth [furth],
 Heidenheim, Hertha BSC [hertha, hertha berlin], Hoffenheim, Köln [cologne, koeln], Leverkusen
 [bayer leverkusen], Mainz 05 [mainz], Paderborn 07 [paderborn], RB Leipzig [leipzig],
 Schalke 04 [schalke], Stuttgart, Union Berlin, Werder Bremen [bremen, werder], Wolfsburg
ITA-Serie A|Atalanta, Benevento, Bologna, Brescia, Cagliari, Como, Cremonese, Crotone, Empoli,
 Fiorentina, Frosinone, Genoa, Hellas Verona [verona], Inter [inter milan, internazionale],
 Juventus [juve], Lazio, Lecce, Milan [ac milan], Monza, Napoli, Parma, Roma [as roma],
 Salernitana, Sampdoria, Sassuolo, SPAL, Spezia, Torino, Udinese, Venezia
"""
# What a league is called besides its name in the KG. None: the KG does not cover it.
_LEAGUES: dict[str | None, str] = {
    "ENG-Premier League": "eng premier league, english premier league, premier league, epl, prem,"
    " premiership, premierleague, english league, english top flight",
    "ESP-La Liga": "esp la liga, spanish la liga, la liga, laliga, liga, spanish league,"
    " spanish top flight",
    "FRA-Ligue 1": "fra ligue 1, french ligue 1, ligue 1, ligue one, ligue1, french league,"
    " french top flight",
    "GER-Bundesliga": "ger bundesliga, german bundesliga, bundesliga, german league",
    "ITA-Serie A": "ita serie a, italian serie a, serie a, italian league",
    None: "ligue 2, serie b, la liga 2, segunda division, eredivisie, primeira liga, mls,"
    " major league soccer, scottish premiership, saudi pro league",
}
# Little words about a club's name.
_AFFIXES = frozenset("fc cf afc sc ac as rc ogc ud cd sd rcd vfb vfl tsg sv ssc us".split())

T = TypeVar("T")
Names = dict[tuple[str, ...], list[tuple[str, Sport]]]


def _add(names: Names, spelled: str, name: str, sport: Sport) -> None:
    known = names.setdefault(tuple(words(spelled)), [])
    if (name, sport) not in known:
        known.append((name, sport))


@lru_cache(maxsize=1)
def _names() -> Names:
    names: Names = {}
    for line in _NBA.strip().splitlines():
        city, nickname, *others = line.split("|")
        full = f"{city} {nickname}"
        besides = others[0].split(",") if others else []
        for spelled in (full, nickname, *besides):
            _add(names, spelled, full, Sport.NBA)
        if city.lower() not in _SHARED_CITIES:
            _add(names, city, full, Sport.NBA)
    for line in _SOCCER.strip().replace("\n ", " ").splitlines():
        for club in _clubs(line.split("|")[1]):
            for spelled in club:
                _add(names, spelled, club[0], Sport.SOCCER)
    return names


def _clubs(listed: str) -> Iterable[list[str]]:
    """The names of each club, the KG's first."""
    flat = listed
    while "[" in flat:
        start, end = flat.index("["), flat.index("]")
        flat = flat[:start] + ";" + flat[start + 1 : end].replace(",", ";") + flat[end + 1 :]
    for club in flat.split(","):
        yield [" ".join(name.split()) for name in club.split(";")]


def find_leagues(asked: Asked) -> list[League]:
    """The leagues that stand in the question."""
    return [League(name, span) for span, name in _standing(asked, _league_names())]


@lru_cache(maxsize=1)
def _league_names() -> dict[tuple[str, ...], str | None]:
    return {
        tuple(words(spelled)): name
        for name, listed in _LEAGUES.items()
        for spelled in listed.split(",")
    }


def _standing(asked: Asked, names: dict[tuple[str, ...], T]) -> Iterable[tuple[Span, T]]:
    """The listed names in the question from left to right, the longest at each place."""
    plain = [word.text for word in asked.words]
    longest = max(map(len, names), default=0)
    first = 0
    while first < len(plain):
        for last in range(min(len(plain), first + longest), first, -1):
            run = tuple(plain[first:last])
            if run in names:
                yield Span(first, last), names[run]
                first = last - 1
                break
        first += 1


def find_teams(
    asked: Asked, sport: Sport | None, known: Iterable[str], others: Sequence[str] = ()
) -> list[Team]:
    """The teams that stand in the question, in order; of one `sport` only, where it is told.

    `known`: words that are no name, however like one; `others`: soccer teams not in the list.
    """
    names = {key: list(found) for key, found in _names().items()}
    for other in others:
        _add(names, other, other, Sport.SOCCER)
    fit = {
        key: fitting
        for key, found in names.items()
        if (fitting := [each for each in found if sport in (None, each[1])])
    }
    teams = [Team(*found[0], _with_affixes(asked, span)) for span, found in _standing(asked, fit)]
    return teams or list(_misspelt(asked, fit, frozenset(known)))


def _with_affixes(asked: Asked, span: Span) -> Span:
    first, last = span.first, span.last
    if first > 0 and asked.words[first - 1].text in _AFFIXES - FUNCTION_WORDS:
        first -= 1
    if last < len(asked.words) and asked.words[last].text in _AFFIXES - FUNCTION_WORDS:
        last += 1
    return Span(first, last)


def _misspelt(asked: Asked, names: Names, known: frozenset[str]) -> Iterable[Team]:
    """The one team whose name a run of words is most like."""
    free = FUNCTION_WORDS | known
    spelled = {" ".join(key): found[0] for key, found in names.items()}
    best: tuple[float, Team | None] = (_ALIKE, None)
    for first in range(len(asked.words)):
        for last in range(first + 1, min(len(asked.words), first + _LONGEST) + 1):
            run = [word.text for word in asked.words[first:last]]
            text = " ".join(run)
            if len(text) < _SHORTEST_MISSPELT or run[0] in free or run[-1] in free:
                continue
            near = process.extractOne(text, spelled.keys(), scorer=fuzz.ratio, score_cutoff=_NEAR)
            alike = likeness(text, near[0]) if near else 0.0
            if near and alike >= best[0]:
                best = (alike, Team(*spelled[near[0]], Span(first, last)))
    if best[1] is not None:
        yield best[1]
