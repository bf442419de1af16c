"""The invented facts of the folder `facts` in the layout of the official KG."""

import bz2
import json
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from mock_api.schema import columns
from mock_api.search import normalize
from tests.mock_api.pickles import table

FOLDER = Path(__file__).parent / "facts"
FACTS: dict[str, list[dict[str, Any]]] = {
    path.stem: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for path in FOLDER.glob("*.jsonl")
}


def write_official_kg(folder: Path) -> None:
    """Write the facts with the names and formats of the official files."""
    for name in ("open", "movie", "finance", "music", "sports"):
        (folder / name).mkdir(parents=True)
    write_open(folder / "open")
    write_movies(folder / "movie")
    write_finance(folder / "finance")
    write_music(folder / "music")
    write_sports(folder / "sports")


def without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}


def write_table(file: Path, table: str, names: list[str], rows: list[list[Any]]) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(f"CREATE TABLE {table} ({', '.join(names)})")
        db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", rows)


def write_open(folder: Path) -> None:
    entries = [[row["name"], without(row, "name")] for row in FACTS["open"]]
    for part, part_entries in enumerate((entries[:3], entries[3:])):
        with bz2.open(folder / f"kg.{part}.jsonl.bz2", "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(entry) + "\n" for entry in part_entries)


def write_movies(folder: Path) -> None:
    movies = {normalize(row["title"]): row for row in FACTS["movies"]}
    people = {row["name"].lower(): row for row in FACTS["persons"]}
    years = {str(row["year"]): without(row, "year") for row in FACTS["years"]}
    for name, value in (("movie_db", movies), ("person_db", people), ("year_db", years)):
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")


def write_finance(folder: Path) -> None:
    lines = [",Name,Symbol\n"]
    for number, row in enumerate(FACTS["finance_companies"]):
        lines.append(f'{number},"{row["name"]}",{row["ticker"]}\n')
    (folder / "company_name.dict").write_text("".join(lines), encoding="utf-8")
    files = {
        "price_history": "price",
        "detailed_price_history": "detailed_price",
        "dividends": "dividend",
        "market_cap": "marketcap",
        "info": "info",
    }
    for key, name in files.items():
        rows = [[row["ticker"], pickle.dumps(row[key])] for row in FACTS["finance"] if key in row]
        write_table(folder / f"finance_{name}.sqlite", "unnamed", ["key", "value"], rows)


def write_music(folder: Path) -> None:
    ranks: dict[str, list[dict[str, Any]]] = {}
    songs: dict[str, dict[str, list[Any]]] = {}
    for row in FACTS["billboard"]:
        entry = {"Date": row["date"], "Song": row["song"], "Artist": row["artist"]}
        ranks.setdefault(str(row["rank"]), []).append(entry)
        figures = [row.get(key) for key in ("rank_last_week", "top_position", "weeks_in_chart")]
        days = songs.setdefault(row["song"], {})
        days[row["date"]] = [None, None, None, str(row["rank"]), *figures]
    values = {
        "artist_dict_simplified": {row["name"]: without(row, "name") for row in FACTS["artists"]},
        "song_dict_simplified": {row["name"]: without(row, "name") for row in FACTS["songs"]},
        "artist_work_dict": {row["artist"]: row["works"] for row in FACTS["artist_works"]},
        "rank_dict_hot100": ranks,
        "song_dict_hot100": songs,
    }
    for name, value in values.items():
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(value))
    rows = FACTS["grammy"]
    grammy: dict[str, Any] = {"year": np.array([row["year"] for row in rows])}
    for name in ("category", "nominee", "artist", "workers"):
        grammy[name] = [row.get(name) or float("nan") for row in rows]
    (folder / "grammy_df.pickle").write_bytes(table(grammy))


def write_sports(folder: Path) -> None:
    rows = FACTS["soccer"]
    names = columns("soccer")
    values: dict[str, Any] = {name: [row.get(name) for row in rows] for name in names[4:]}
    values["date"] = np.array([row["date"] for row in rows], "M8[ns]")
    index = {name: [row[name] for row in rows] for name in names[:4]}
    (folder / "soccer_team_match_stats.pkl").write_bytes(table(values, index))
    for official_table, our_table, facts in (
        ("game", "nba_games", "nba_games"),
        ("play_by_play", "nba_plays", "nba_play_by_play"),
    ):
        names = columns(our_table)
        values_by_row = [[row.get(name) for name in names] for row in FACTS[facts]]
        write_table(folder / "nba.sqlite", official_table, names, values_by_row)
