"""How fast the mock API starts and answers, against what ranks names without an index.

The server is the real process on 127.0.0.1 with kept-alive connections. There are two references:
the `/health` route of the same server, which is the cost of HTTP itself, and a BM25 scan of all
names in Python lists, as `rank_bm25` does it, which is the cost of fuzzy search without postings.
Read the ratios; the figures themselves depend on the machine.
"""

import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, astuple, dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from benchmarks._command import ROOT, Json, main_of, show, write
from benchmarks._memory import peak_mb
from mock_api.cache import ready_file
from mock_api.process import serve
from mock_api.search import EPSILON, K1, TOP, B, normalize
from mock_api.store import Store

Request = tuple[str, str, bytes]
_HEADERS = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; times in milliseconds."""

    what: str
    clients: int
    requests: int
    p50_ms: float
    p95_ms: float
    per_second: float


_NAMED = {
    "open": ("name", "/open/search_entity_by_name"),
    "movies": ("terms", "/movie/get_movie_info"),
    "persons": ("terms", "/movie/get_person_info"),
    "companies": ("name", "/finance/get_company_name"),
    "artists": ("name", "/music/search_artist_entity_by_name"),
    "songs": ("name", "/music/search_song_entity_by_name"),
}
_KEYED = (
    ("open", "name", "/open/get_entity"),
    ("movies", "id", "/movie/get_movie_info_by_id"),
    ("years", "year", "/movie/get_year_info"),
    ("companies", "name", "/finance/get_ticker_by_name"),
    ("finance", "ticker", "/finance/get_market_capitalization"),
    ("finance", "ticker", "/finance/get_info"),
    ("artists", "name", "/music/get_artist_birth_date"),
    ("artists", "name", "/music/grammy_get_award_count_by_artist"),
    ("songs", "name", "/music/get_song_author"),
)
_DATED = (
    ("nba_games", "substr(game_date, 1, 10)", "/sports/nba/get_games_on_date"),
    ("soccer", "substr(date, 1, 10)", "/sports/soccer/get_games_on_date"),
)


def _requests(store: Store, table: str, column: str, path: str, field: str) -> list[Request]:
    """One request for each of 200 values of the column; fewer where there are not so many."""
    found = store.rows(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")
    some = random.Random(1).sample(found, min(len(found), 200))
    return [("POST", path, json.dumps({field: value}).encode()) for (value,) in some]


def _searches(store: Store, count: int) -> list[Request]:
    """Names of the data, as a question would ask for them, on every endpoint of fuzzy search."""
    each = [_requests(store, table, *row, "query") for table, row in _NAMED.items()]
    return _drawn(each, count)


def _mix(store: Store, count: int) -> list[Request]:
    """Searches, look-ups, Grammy counts and games."""
    each = [_requests(store, *row, "query") for row in _KEYED]
    each += [_requests(store, *row, "date") for row in _DATED]
    return _drawn([*each, _searches(store, 200), _searches(store, 200)], count)


def _drawn(each: list[list[Request]], count: int) -> list[Request]:
    rng, some = random.Random(2), list(filter(None, each))
    return [rng.choice(rng.choice(some)) for _ in range(count)]


def _measure(what: str, url: str, requests: Sequence[Request], clients: int, seconds: float) -> Row:
    """Sends `requests` over `clients` connections, for `seconds` at most."""
    end = time.perf_counter() + seconds
    parts = [requests[i::clients] for i in range(clients)]
    started = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        times = [t for part in pool.map(lambda part: _send(url, part, end), parts) for t in part]
    return _row(what, clients, times, time.perf_counter() - started)


def _send(url: str, requests: Sequence[Request], end: float) -> list[float]:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
    times = []
    for method, path, body in requests:
        started = time.perf_counter()
        if started > end:
            break
        connection.request(method, path, body or None, _HEADERS)
        response = connection.getresponse()
        response.read()
        times.append(time.perf_counter() - started)
        if response.status != 200:
            raise SystemExit(f"{path} {body!r}: HTTP {response.status}")
    connection.close()
    return times


def _measure_scan(store: Store, searches: Sequence[Request], seconds: float) -> Row:
    """The reference: the same searches by a scan, in this process and without any HTTP."""
    scans = {path: _scanner(store, table, column) for table, (column, path) in _NAMED.items()}
    times = []
    started = time.perf_counter()
    for _, path, body in searches:
        begun = time.perf_counter()
        if begun > started + seconds:
            break
        scans[path](json.loads(body)["query"])
        times.append(time.perf_counter() - begun)
    return _row("search by scan, no HTTP", 1, times, time.perf_counter() - started)


def _scanner(store: Store, table: str, column: str) -> Callable[[str], list[int]]:
    names = store.rows(f"SELECT {column} FROM {table}")
    docs = [Counter(normalize(name).split()) for (name,) in names]
    holders = Counter(term for doc in docs for term in doc)
    idf = {t: math.log(len(docs) - n + 0.5) - math.log(n + 0.5) for t, n in holders.items()}
    floor = EPSILON * sum(idf.values()) / max(1, len(idf))
    idf = {term: weight if weight >= 0 else floor for term, weight in idf.items()}
    lengths = [sum(doc.values()) for doc in docs]
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    saturation = [K1 * (1 - B + B * length / mean) for length in lengths]

    def scan(query: str) -> list[int]:
        scores = [0.0] * len(docs)
        for term in normalize(query).split():
            weight = idf.get(term, 0.0) * (K1 + 1)
            for i, doc in enumerate(docs):
                count = doc.get(term, 0)
                scores[i] += weight * count / (count + saturation[i])
        return sorted(range(len(docs)), key=scores.__getitem__, reverse=True)[:TOP]

    return scan


def _row(what: str, clients: int, times: list[float], wall: float) -> Row:
    times.sort()
    p50, p95 = (1000 * times[min(len(times) - 1, int(len(times) * q))] for q in (0.5, 0.95))
    return Row(what, clients, len(times), p50, p95, len(times) / wall)


def _ratios(rows: Sequence[Row]) -> dict[str, float]:
    p50 = {(row.what, row.clients): row.p50_ms for row in rows}
    health = p50["/health", 1]
    rate = {row.what: row.per_second for row in rows if row.clients == 1}
    return {
        "time of the mix over /health, p50": p50["mix", 1] / health,
        "time of search over /health, p50": p50["search", 1] / health,
        "rate of search over search by scan": rate["search"] / rate["search by scan, no HTTP"],
    }


def measure(
    data: Annotated[Path, typer.Option(help="a KG")] = ROOT / "example_data" / "kg",
    requests: Annotated[int, typer.Option(help="per measurement, at most")] = 1500,
    seconds: Annotated[float, typer.Option(help="per measurement, at most")] = 2.5,
    json_file: Json = None,
) -> None:
    store = Store(ready_file(data, lambda _: None))  # converts the folder where that is not done
    mix, searches = _mix(store, requests), _searches(store, requests)
    health: list[Request] = [("GET", "/health", b"")] * requests
    alone, started = peak_mb(), time.perf_counter()
    with serve(data) as url:
        start_s = time.perf_counter() - started
        rows = [
            _measure(what, url, some, clients, seconds)
            for what, some in (("mix", mix), ("search", searches), ("/health", health))
            for clients in (1, 16)
        ]
        peak = peak_mb() - alone
    rows.append(_measure_scan(store, searches, seconds))
    figures = {
        "data": data.name,
        "names": sum(store.row_counts[name] for name in _NAMED),
        "start_s": start_s,
        "peak_mb": peak,
        "rows": [asdict(row) for row in rows],
        "ratios": _ratios(rows),
    }
    show(
        f"mock API over {data.name} ({figures['names']:,} names)",
        ("what", "clients", "requests", "p50 ms", "p95 ms", "requests/s"),
        map(astuple, rows),
    )
    print(f"start-up {start_s:.2f} s; peak memory {peak:.0f} MB")
    for name, ratio in _ratios(rows).items():
        print(f"{name}: {ratio:.2f}")
    write(json_file, figures)


main = main_of(measure)

if __name__ == "__main__":
    sys.exit(main())
