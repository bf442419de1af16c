"""How fast the mock API answers the calls that the semantic parser makes for our own questions.

The server is the real process on 127.0.0.1 with kept-alive connections. The reference is its route
`/health`, which is the cost of HTTP itself: read the ratios, since the figures themselves depend on
the machine.
"""

import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from functools import partial
from http.client import HTTPConnection
from itertools import chain
from pathlib import Path
from statistics import median, quantiles
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlsplit

import typer

from benchmarks._command import ROOT, command, rows_of, show
from benchmarks._memory import peak_mb
from mock_api.local import LocalClient
from mock_api.process import serve
from models.kg.parsing.semantic_parser import SemanticParser
from training.records import KG_QUESTIONS
from utils.crag_api import ApiCall
from utils.crag_endpoints import find_endpoint
from utils.deadline import Deadline
from utils.errors import ApiUnavailable

REQUESTS = 1500
SECONDS = 2.5  # of a measurement, at most
CLIENTS = (1, 16)
NOW = datetime(2024, 3, 5, 16)
_HEADERS = {"Content-Type": "application/json"}


class HttpRequest(NamedTuple):
    """One request to the server."""

    method: str
    path: str
    body: bytes | None = None


class RecordingClient:
    """A client that keeps the calls as requests."""

    def __init__(self, data: Path) -> None:
        self._client = LocalClient(data)
        self.requests: list[HttpRequest] = []

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any]:
        """The replies."""
        for call in calls:
            endpoint = find_endpoint(call.endpoint)
            body = json.dumps(endpoint.body(dict(call.params))).encode()
            self.requests.append(HttpRequest("POST", endpoint.path, body))
        return self._client.call_many(calls, deadline=deadline)


def requests_of_parser(data: Path) -> list[HttpRequest]:
    """What the parser asks the KG at `data`, for one question after the other."""
    client = RecordingClient(data)
    parser = SemanticParser(client)
    for row in rows_of(KG_QUESTIONS):
        if len(client.requests) >= REQUESTS:
            break
        parser.parse(str(row["query"]), NOW, Deadline.after(60))
    return client.requests[:REQUESTS]


def cells_of(url: str, requests: Sequence[HttpRequest], clients: int) -> tuple[float, float, float]:
    """Median and 95th percentile in milliseconds, and requests per second, over so many
    connections."""
    parts = [requests[first::clients] for first in range(clients)]
    started = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        times = list(chain.from_iterable(pool.map(partial(send, url), parts)))
    rate = len(times) / (time.perf_counter() - started)
    return 1000 * median(times), 1000 * quantiles(times, n=20)[-1], rate


def send(url: str, requests: Sequence[HttpRequest]) -> list[float]:
    """The seconds of each request over one connection.

    Raises:
        ApiUnavailable: a request is not answered.
    """
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
                raise ApiUnavailable(f"{request.path}, {request.body!r}: HTTP {response.status}")
            times.append(time.perf_counter() - started)
    return times


@command
def main(
    data: Annotated[Path, typer.Option(help="a KG")] = ROOT / "example_data" / "kg",
) -> None:
    requests_by_name = {
        "calls of the parser": requests_of_parser(data),
        "/health": [HttpRequest("GET", "/health")] * REQUESTS,
    }
    peak_before = peak_mb()
    started = time.perf_counter()
    rows: list[tuple[object, ...]] = []
    with serve(data) as url:
        start_s = time.perf_counter() - started
        for name, requests in requests_by_name.items():
            for clients in CLIENTS:
                rows.append((name, clients, *cells_of(url, requests, clients)))
        peak = peak_mb() - peak_before
    show(f"mock API over {data.name}", ("", "clients", "p50 ms", "p95 ms", "requests/s"), rows)
    print(f"start-up {start_s:.2f} s; peak memory {peak:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
