"""The tables of the one SQLite file that the server reads, and the columns of the games."""

from types import MappingProxyType

VERSION = 1  # raise it with every change of what an import writes: old files are then rebuilt

# What the official files call the columns, in their order, with their declared types. An official
# folder brings its own; these serve the neutral format, where an absent key is a null.
_FIRST = "season_id team_id_home team_abbreviation_home team_name_home game_id"
_AWAY = "team_id_away team_abbreviation_away team_name_away matchup_away wl_away"
_SHOTS = "fgm fga fg_pct fg3m fg3a fg3_pct ftm fta ft_pct"
_COUNTS = "oreb dreb reb ast stl blk tov pf pts"


def _side(side: str) -> list[tuple[str, str]]:
    return [(f"{name}_{side}", "REAL") for name in f"{_SHOTS} {_COUNTS}".split()] + [
        (f"plus_minus_{side}", "INTEGER"),
        (f"video_available_{side}", "INTEGER"),
    ]


def _person(number: int) -> list[tuple[str, str]]:
    names = "id name team_id team_city team_nickname team_abbreviation".split()
    return [(f"person{number}type", "REAL")] + [(f"player{number}_{n}", "TEXT") for n in names]


NBA_GAMES = (
    *((name, "TEXT") for name in _FIRST.split()),
    ("game_date", "TIMESTAMP"),
    ("matchup_home", "TEXT"),
    ("wl_home", "TEXT"),
    ("min", "INTEGER"),
    *_side("home"),
    *((name, "TEXT") for name in _AWAY.split()),
    *_side("away"),
    ("season_type", "TEXT"),
)
NBA_PLAYS = (
    ("game_id", "TEXT"),
    *((name, "INTEGER") for name in "eventnum eventmsgtype eventmsgactiontype period".split()),
    *(
        (name, "TEXT")
        for name in "wctimestring pctimestring homedescription neutraldescription "
        "visitordescription score scoremargin".split()
    ),
    *_person(1),
    *_person(2),
    *_person(3),
    ("video_available_flag", "TEXT"),
)
SOCCER_INDEX = ("league", "season", "team", "game")
SOCCER = tuple(
    "date time round day venue result GF GA opponent xG xGA Poss Attendance Captain Formation "
    "Referee match_report Notes".split()
)

# Table -> columns with their types. The games' tables are made by whoever knows their columns.
TABLES = MappingProxyType(
    {
        "open": ("name TEXT PRIMARY KEY", "value TEXT"),
        "movies": ("doc INTEGER PRIMARY KEY", "id INTEGER", "terms TEXT", "value TEXT"),
        "persons": ("doc INTEGER PRIMARY KEY", "id INTEGER", "terms TEXT", "value TEXT"),
        "years": ("year TEXT PRIMARY KEY", "value TEXT"),
        "companies": ("name TEXT PRIMARY KEY", "ticker TEXT"),
        "finance": ("ticker TEXT", "kind TEXT", "value TEXT", "PRIMARY KEY (ticker, kind)"),
        "artists": ("name TEXT PRIMARY KEY", "value TEXT"),
        "songs": ("name TEXT PRIMARY KEY", "value TEXT"),
        "works": ("artist TEXT PRIMARY KEY", "value TEXT"),
        "grammy": ("year INTEGER", "category TEXT", "nominee TEXT", "artist TEXT", "workers TEXT"),
        "billboard_ranks": ("rank TEXT", "date TEXT", "song TEXT", "artist TEXT"),
        "billboard_songs": (
            "song TEXT",
            "date TEXT",
            "rank TEXT",
            "rank_last_week TEXT",
            "weeks_in_chart TEXT",
            "top_position TEXT",
            "PRIMARY KEY (song, date)",
        ),
    }
)
GAME_TABLES = ("soccer", "nba_games", "nba_plays")

# Search: a posting's `docs` are uint32, its `weights` float64, both little-endian.
SEARCH_DDL = (
    "CREATE TABLE corpus (name TEXT PRIMARY KEY, size INTEGER)",
    "CREATE TABLE posting (corpus TEXT, term TEXT, docs BLOB, weights BLOB,"
    " PRIMARY KEY (corpus, term))",
    "CREATE TABLE label (corpus TEXT, doc INTEGER, place INTEGER, name TEXT,"
    " PRIMARY KEY (corpus, doc, place)) WITHOUT ROWID",
    "CREATE TABLE row_count (name TEXT PRIMARY KEY, rows INTEGER)",
)
INDEX_DDL = (
    "CREATE INDEX movies_id ON movies (id)",
    "CREATE INDEX persons_id ON persons (id)",
    "CREATE INDEX grammy_category ON grammy (category, year)",
    "CREATE INDEX grammy_nominee ON grammy (nominee)",
    "CREATE INDEX billboard_rank ON billboard_ranks (rank)",
    "CREATE INDEX soccer_team ON soccer (team)",
    "CREATE INDEX nba_plays_game ON nba_plays (game_id)",
)
