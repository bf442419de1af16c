"""How fast the mock API starts and answers.

The server is the real process on 127.0.0.1 with kept-alive connections. The reference is the
`/health` route of the same server, which is the cost of HTTP itself: read the ratios, since the
figures themselves depend on the machine.
"""

import json
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

import typer

from benchmarks._command import ROOT, command, show
from benchmarks._memory import peak_mb
from mock_api.cache import ready_file
from mock_api.process import serve
from mock_api.store import Store

Request = tuple[str, str, bytes | None]  # method, path, body
REQUESTS, SECONDS = 1500, 2.5  # per measurement, at most
_HEADERS = {"Content-Type": "application/json"}


class Row(NamedTuple):
    """One line of the table; times in milliseconds."""

    what: str
    clients: int
    requests: int
    p50_ms: float
    p95_ms: float
    per_second: float


# Table, column and endpoint of names to search, and of values to look up.
_SEARCHES = (
    ("open", "name", "/open/search_entity_by_name"),
    ("movies", "terms", "/movie/get_movie_info"),
    ("persons", "terms", "/movie/get_person_info"),
    ("companies", "name", "/finance/get_company_name"),
    ("artists", "name", "/music/search_artist_entity_by_name"),
    ("songs", "name", "/music/search_song_entity_by_name"),
)
_LOOKUPS = (
    ("open", "name", "/open/get_entity"),
    ("movies", "id", "/movie/get_movie_info_by_id"),
    ("years", "year", "/movie/get_year_info"),
    ("companies", "name", "/finance/get_ticker_by_name"),
    ("finance", "ticker", "/finance/get_market_capitalization"),
    ("finance", "ticker", "/finance/get_info"),
    ("artists", "name", "/music/get_artist_birth_date"),
    ("artists", "name", "/music/grammy_get_award_count_by_artist"),
    ("songs", "name", "/music/get_song_author"),
    ("nba_games", "substr(game_date, 1, 10)", "/sports/nba/get_games_on_date"),
    ("soccer", "substr(date, 1, 10)", "/sports/soccer/get_games_on_date"),
)


def _drawn(store: Store, endpoints: Sequence[tuple[str, str, str]]) -> list[Request]:
    """Requests with values of the data; each endpoint that has any is equally likely."""
    draw, by_endpoint = random.Random(2), []
    for table, column, path in endpoints:
        field = "date" if path.endswith("_on_date") else "query"
        values = store.rows(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")
        if values:
            by_endpoint.append([(path, {field: value}) for (value,) in values])
    drawn = (draw.choice(draw.choice(by_endpoint)) for _ in range(REQUESTS))
    return [("POST", path, json.dumps(body).encode()) for path, body in drawn]


def _measure(what: str, url: str, requests: Sequence[Request], clients: int) -> Row:
    """Sends `requests` over `clients` connections."""
    started = time.perf_counter()
    parts = [requests[i::clients] for i in range(clients)]
    with ThreadPoolExecutor(clients) as pool:
        times = sorted(t for part in pool.map(partial(_send, url), parts) for t in part)
    rate = len(times) / (time.perf_counter() - started)
    p50, p95 = (1000 * times[min(len(times) - 1, int(len(times) * q))] for q in (0.5, 0.95))
    return Row(what, clients, len(times), p50, p95, rate)


def _send(url: str, requests: Sequence[Request]) -> list[float]:
    """The seconds of each request over one connection, for `SECONDS` at most."""
    times = []
    end = time.perf_counter() + SECONDS
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=30)) as connection:
        for method, path, body in requests:
            begun = time.perf_counter()
            if begun > end:
                break
            connection.request(method, path, body, _HEADERS)
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                raise SystemExit(f"{path}, {body!r}: HTTP {response.status}")
            times.append(time.perf_counter() - begun)
    return times


@command
def main(
    data: Annotated[Path, typer.Option(help="a KG")] = ROOT / "example_data" / "kg",
) -> None:
    store = Store(ready_file(data, lambda _: None))  # converts the folder where that is not done
    mix, searches = _drawn(store, (*_LOOKUPS, *_SEARCHES[:2])), _drawn(store, _SEARCHES)
    health: list[Request] = [("GET", "/health", None)] * REQUESTS
    alone, started = peak_mb(), time.perf_counter()
    with serve(data) as url:
        start_s = time.perf_counter() - started
        rows = [
            _measure(what, url, some, clients)
            for what, some in (("mix", mix), ("search", searches), ("/health", health))
            for clients in (1, 16)
        ]
        peak = peak_mb() - alone
    names = sum(store.row_counts[table] for table, *_ in _SEARCHES)
    show(
        f"mock API over {data.name} ({names:,} names)",
        ("what", "clients", "requests", "p50 ms", "p95 ms", "requests/s"),
        rows,
    )
    print(f"start-up {start_s:.2f} s; peak memory {peak:.0f} MB")
    one = {row.what: row for row in rows if row.clients == 1}
    for what in ("mix", "search"):
        ratio = one[what].p50_ms / one["/health"].p50_ms
        print(f"time of {what} over /health, p50: {ratio:.2f}")


if __name__ == "__main__":
    sys.exit(main())
