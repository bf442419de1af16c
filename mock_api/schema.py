"""The tables of the one SQLite file that the server reads."""

from collections.abc import Mapping, Sequence

VERSION = 2  # raise it with every change of what an import writes: old files are then rebuilt

# The columns of the games, as the official files call them and in their order.
_FIGURES = (
    "fgm fga fg_pct fg3m fg3a fg3_pct ftm fta ft_pct oreb dreb reb ast stl blk tov pf pts "
    "plus_minus video_available"
).split()
_PLAYER = "id name team_id team_city team_nickname team_abbreviation".split()
_NBA_GAMES = (
    *"season_id team_id_home team_abbreviation_home team_name_home game_id game_date".split(),
    *"matchup_home wl_home min".split(),
    *(f"{name}_home" for name in _FIGURES),
    *"team_id_away team_abbreviation_away team_name_away matchup_away wl_away".split(),
    *(f"{name}_away" for name in _FIGURES),
    "season_type",
)


def _player_columns(number: int) -> list[str]:
    """The columns of one of the three players of a play."""
    return [f"person{number}type", *(f"player{number}_{part}" for part in _PLAYER)]


_NBA_PLAYS = (
    *"game_id eventnum eventmsgtype eventmsgactiontype period wctimestring pctimestring".split(),
    *"homedescription neutraldescription visitordescription score scoremargin".split(),
    *_player_columns(1),
    *_player_columns(2),
    *_player_columns(3),
    "video_available_flag",
)
_SOCCER = (
    *"league season team game".split(),  # what names a row
    *"date time round day venue result GF GA opponent xG xGA Poss Attendance Captain".split(),
    *"Formation Referee match_report Notes".split(),
)

# Key of a finance row of the neutral format -> the kind under which the store keeps its value.
FINANCE_KINDS = {
    "price_history": "price_history",
    "detailed_price_history": "detailed_price_history",
    "dividends": "dividends_history",
    "market_cap": "market_capitalization",
    "eps": "eps",
    "pe_ratio": "pe_ratio",
    "info": "info",
}

# Table -> columns with their types; those of the games keep each value as the import reads it.
TABLES: Mapping[str, Sequence[str]] = {
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
    "soccer": _SOCCER,
    "nba_games": _NBA_GAMES,
    "nba_plays": _NBA_PLAYS,
}


def columns(table: str) -> list[str]:
    """The names of the columns of `table`."""
    return [text.split()[0] for text in TABLES[table] if not text.startswith("PRIMARY KEY")]


# Run once the tables are filled: the names that a search gives, counts, indexes.
DERIVED = (
    "CREATE TABLE label (corpus TEXT, doc INTEGER, place INTEGER, name TEXT,"
    " PRIMARY KEY (corpus, doc, place)) WITHOUT ROWID",
    "CREATE TABLE row_count (name TEXT PRIMARY KEY, rows INTEGER)",
    "CREATE INDEX movies_id ON movies (id)",
    "CREATE INDEX persons_id ON persons (id)",
    "CREATE INDEX grammy_category ON grammy (category, year)",
    "CREATE INDEX grammy_nominee ON grammy (nominee)",
    "CREATE INDEX billboard_rank ON billboard_ranks (rank)",
    "CREATE INDEX soccer_team ON soccer (team)",
    "CREATE INDEX nba_plays_game ON nba_plays (game_id)",
)
