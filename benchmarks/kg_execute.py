"""How much the executor gains by fetching side by side, and what it costs beyond its calls.

    python -m benchmarks.kg_execute [--json FILE] [--latency MS] [--films N]

A server on 127.0.0.1 answers every call after a set latency. The filmography of one person is asked
by the executor, and, as the reference in the same run, by the same executor over a client that
makes one call after the other. Parsing, and running typical programs with no latency at all, are
timed too.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

import numpy as np
from rich.console import Console
from rich.table import Table

from models.kg.execute import Client, execute
from models.kg.language.parser import parse
from models.kg.language.schema import check
from models.kg.plan import make_plan
from utils.crag_api import Call, CragClient
from utils.deadline import Deadline
from utils.errors import ApiError

FILMOGRAPHY = 'ALL get_movie_person_crew(None, "Ann Other", eq(job, "Director"))["movie_name"]'
TYPICAL = (
    'get_movie("Film 3")["release_date"]; get_movie("Film 4")["release_date"]',
    'get_movie_person_crew("Film 1", None, eq(job, "Director"))["name"]',
    'get_movie_person_crew(None, "Ann Other", [eq(job, "Director"), ge(year, 2001)]);'
    ' sort(None, -year)["movie_name"]',
    'get_movie_person_crew(None, "Ann Other")["movie_name"]["len"]',
)
NOW = datetime(2024, 3, 10, 12, 0)
ROUNDS, PARSES = 5, 4000


class OneByOne:
    """The reference: a client that makes one call after the other."""

    def __init__(self, client: CragClient) -> None:
        self._client = client

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        return [
            result for call in calls for result in self._client.call_many([call], deadline=deadline)
        ]


class InMemory:
    """A client without a network."""

    def __init__(self, films: int) -> None:
        self._replies = replies(films)

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        return [reply(self._replies, call.endpoint, dict(call.params)) for call in calls]


def replies(films: int) -> dict[str, dict[str, Any]]:
    """What the KG knows: one director, and her films."""
    movies = [
        {
            "id": 10_000 + i,
            "title": f"Film {i}",
            "release_date": f"{1980 + i}-01-01",
            "cast": [],
            "crew": [{"name": "Ann Other", "job": "Director"}],
        }
        for i in range(films)
    ]
    ids = [movie["id"] for movie in movies]
    person = {"id": 1, "name": "Ann Other", "directed_movies": ids, "acted_movies": []}
    return {
        "/movie/get_person_info": {"Ann Other": [person]},
        "/movie/get_movie_info": {str(movie["title"]): [movie] for movie in movies},
        "/movie/get_movie_info_by_id": {str(movie["id"]): movie for movie in movies},
    }


def reply(known: dict[str, dict[str, Any]], endpoint: str, body: dict[str, Any]) -> Any:
    return known.get(endpoint, {}).get(str(body.get("query")))


def serve(films: int, latency_s: float) -> ThreadingHTTPServer:
    """A server on a free port that answers after `latency_s`."""
    known = replies(films)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(latency_s)
            content = json.dumps({"result": reply(known, self.path, body)}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def seconds_of(text: str, client: Client, films: int | None = None) -> float:
    """How long one program takes; with `films`, that many values must come out."""
    program = parse(text).program
    start = time.perf_counter()
    outcome = execute(make_plan(program, check(program)), client, NOW, Deadline.after(60))[-1]
    took = time.perf_counter() - start
    if outcome.errors or (films is not None and len(outcome.values) != films):
        raise SystemExit(f"{text}: {len(outcome.values)} values, {outcome.errors}")
    return took


def measure(films: int, latency_s: float) -> dict[str, float]:
    """All the figures; times in milliseconds."""
    server = serve(films, latency_s)
    url = f"http://127.0.0.1:{server.server_port}"
    side_by_side, one_by_one = [], []
    for _ in range(ROUNDS):  # a new client each time: its cache is empty
        with CragClient(url) as client:
            side_by_side.append(seconds_of(FILMOGRAPHY, client, films))
        with CragClient(url) as client:
            one_by_one.append(seconds_of(FILMOGRAPHY, OneByOne(client), films))
    server.shutdown()
    memory = InMemory(films)
    beyond = [seconds_of(TYPICAL[i % len(TYPICAL)], memory) for i in range(400)]
    parse(TYPICAL[0])
    start = time.perf_counter()
    for i in range(PARSES):
        parse(TYPICAL[i % len(TYPICAL)])
    parsing = time.perf_counter() - start
    fast, slow = float(np.median(side_by_side)), float(np.median(one_by_one))
    return {
        "filmography_ms": fast * 1000,
        "filmography_one_by_one_ms": slow * 1000,
        "speedup": slow / fast,
        "beyond_api_p95_ms": float(np.percentile(beyond, 95)) * 1000,
        "programs_parsed_per_s": PARSES / parsing,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="The executor of the KG query language.")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--latency", type=float, default=20.0, help="of a call, in milliseconds")
    parser.add_argument("--films", type=int, default=40)
    args = parser.parse_args()
    figures = measure(args.films, args.latency / 1000)
    table = Table(title=f"{args.films} films, {args.latency:g} ms a call")
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, value in figures.items():
        table.add_row(name.replace("_", " "), f"{value:,.1f}")
    Console().print(table)
    if args.json:
        args.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
