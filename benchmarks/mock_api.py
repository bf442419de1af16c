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
from itertools import chain
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

import typer

from benchmarks._command import ROOT, command, show
from benchmarks._memory import peak_mb
from mock_api.cache import ready_file
from mock_api.process import serve
from mock_api.store import Store

REQUESTS = 1500  # per measurement, at most
SECONDS = 2.5
CLIENTS = (1, 16)
_HEADERS = {"Content-Type": "application/json"}


class HttpRequest(NamedTuple):
    """One request to the server."""

    method: str
    path: str
    body: bytes | None = None


class RequestRow(NamedTuple):
    """One line of the table; times in milliseconds."""

    what: str
    clients: int
    requests: int
    p50_ms: float
    p95_ms: float
    per_second: float


class ValueSource(NamedTuple):
    """A table and a column of values, and the endpoint that is asked for them."""

    table: str
    column: str
    path: str


_SEARCHES = (  # names to search
    ValueSource("open", "name", "/open/search_entity_by_name"),
    ValueSource("movies", "terms", "/movie/get_movie_info"),
    ValueSource("persons", "terms", "/movie/get_person_info"),
    ValueSource("companies", "name", "/finance/get_company_name"),
    ValueSource("artists", "name", "/music/search_artist_entity_by_name"),
    ValueSource("songs", "name", "/music/search_song_entity_by_name"),
)
_LOOKUPS = (  # values to look up
    ValueSource("open", "name", "/open/get_entity"),
    ValueSource("movies", "id", "/movie/get_movie_info_by_id"),
    ValueSource("years", "year", "/movie/get_year_info"),
    ValueSource("companies", "name", "/finance/get_ticker_by_name"),
    ValueSource("finance", "ticker", "/finance/get_market_capitalization"),
    ValueSource("finance", "ticker", "/finance/get_info"),
    ValueSource("artists", "name", "/music/get_artist_birth_date"),
    ValueSource("artists", "name", "/music/grammy_get_award_count_by_artist"),
    ValueSource("songs", "name", "/music/get_song_author"),
    ValueSource("nba_games", "substr(game_date, 1, 10)", "/sports/nba/get_games_on_date"),
    ValueSource("soccer", "substr(date, 1, 10)", "/sports/soccer/get_games_on_date"),
)


def _random_requests(store: Store, sources: Sequence[ValueSource]) -> list[HttpRequest]:
    """Requests with values of the data; each endpoint that has any is equally likely."""
    rng = random.Random(2)
    by_endpoint = []
    for source in sources:
        field = "date" if source.path.endswith("_on_date") else "query"
        column = source.column
        values = store.rows(
            f"SELECT DISTINCT {column} FROM {source.table} WHERE {column} IS NOT NULL"
        )
        if values:
            by_endpoint.append([(source.path, {field: value}) for (value,) in values])
    requests = []
    for _ in range(REQUESTS):
        path, body = rng.choice(rng.choice(by_endpoint))
        requests.append(HttpRequest("POST", path, json.dumps(body).encode()))
    return requests


def _measure(what: str, url: str, requests: Sequence[HttpRequest], clients: int) -> RequestRow:
    """Sends `requests` over `clients` connections."""
    started = time.perf_counter()
    parts = [requests[first::clients] for first in range(clients)]
    with ThreadPoolExecutor(clients) as pool:
        times = sorted(chain.from_iterable(pool.map(partial(_send, url), parts)))
    rate = len(times) / (time.perf_counter() - started)
    return RequestRow(
        what=what,
        clients=clients,
        requests=len(times),
        p50_ms=_quantile_ms(times, 0.5),
        p95_ms=_quantile_ms(times, 0.95),
        per_second=rate,
    )


def _quantile_ms(times: Sequence[float], quantile: float) -> float:
    """The quantile of sorted seconds, in milliseconds."""
    return 1000 * times[min(len(times) - 1, int(len(times) * quantile))]


def _send(url: str, requests: Sequence[HttpRequest]) -> list[float]:
    """The seconds of each request over one connection, for `SECONDS` at most."""
    times = []
    end = time.perf_counter() + SECONDS
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=30)) as connection:
        for request in requests:
            started = time.perf_counter()
            if started > end:
                break
            connection.request(request.method, request.path, request.body, _HEADERS)
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                raise SystemExit(f"{request.path}, {request.body!r}: HTTP {response.status}")
            times.append(time.perf_counter() - started)
    return times


@command
def main(
    data: Annotated[Path, typer.Option(help="a KG")] = ROOT / "example_data" / "kg",
) -> None:
    store = Store(ready_file(data, lambda _: None))  # converts the folder where that is not done
    requests_by_name = {
        "mix": _random_requests(store, (*_LOOKUPS, *_SEARCHES[:2])),
        "search": _random_requests(store, _SEARCHES),
        "/health": [HttpRequest("GET", "/health")] * REQUESTS,
    }
    peak_before = peak_mb()
    started = time.perf_counter()
    rows = []
    with serve(data) as url:
        start_s = time.perf_counter() - started
        for name, requests in requests_by_name.items():
            for clients in CLIENTS:
                rows.append(_measure(name, url, requests, clients))
        peak = peak_mb() - peak_before
    names = sum(store.row_counts[source.table] for source in _SEARCHES)
    show(
        f"mock API over {data.name} ({names:,} names)",
        ("what", "clients", "requests", "p50 ms", "p95 ms", "requests/s"),
        rows,
    )
    print(f"start-up {start_s:.2f} s; peak memory {peak:.0f} MB")
    one_client = {row.what: row for row in rows if row.clients == 1}
    for what in ("mix", "search"):
        ratio = one_client[what].p50_ms / one_client["/health"].p50_ms
        print(f"time of {what} over /health, p50: {ratio:.2f}")


if __name__ == "__main__":
    sys.exit(main())
