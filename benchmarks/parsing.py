"""Time and memory of the semantic parser.

It prints milliseconds per question beyond the API's own time, by the length of the question, and
the peak memory. Lengths are reached by repeating our own questions.
"""

import statistics
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks._command import command, rows_of
from benchmarks._memory import peak_mb
from mock_api.local import LocalClient
from models.kg.parsing.semantic_parser import SemanticParser
from training.records import KG_QUESTIONS
from utils.crag_api import ApiCall, KgClient
from utils.deadline import Deadline

SET = 1  # of our own questions
EVERY = 3  # one question of so many is timed
LENGTHS = (100, 200, 300, 400, 500, 600)  # characters
NOW = datetime(2024, 3, 5, 16)


class TimedClient:
    """A client that counts its calls and the seconds that they take."""

    def __init__(self, client: KgClient) -> None:
        self._client = client
        self.seconds = 0.0
        self.calls = 0

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any]:
        self.calls += len(calls)
        start = time.perf_counter()
        replies = self._client.call_many(calls, deadline=deadline)
        self.seconds += time.perf_counter() - start
        return replies


class TimedParser:
    """A parser over a timed client."""

    def __init__(self, kg: Path) -> None:
        self.client = TimedClient(LocalClient(kg))
        self._parser = SemanticParser(self.client)

    def ms_beyond_api(self, query: str) -> float:
        """The milliseconds that a question takes, without those of the API."""
        api_before = self.client.seconds
        start = time.perf_counter()
        self._parser.parse(query, NOW, Deadline.after(60.0))
        seconds = time.perf_counter() - start
        return 1000 * (seconds - (self.client.seconds - api_before))


@command
def main(
    kg: Annotated[Path, typer.Option(help="the folder of a KG")],
) -> None:
    parser = TimedParser(kg)
    set_queries = [str(row["query"]) for row in rows_of(KG_QUESTIONS) if row["set"] == SET]
    queries = set_queries[::EVERY]
    parser.ms_beyond_api(queries[0])  # lexicon and weights are read once
    parser.client.calls = 0
    times = sorted(parser.ms_beyond_api(query) for query in queries)
    print(
        f"{len(times)} questions: median {statistics.median(times):.0f} ms, "
        f"90% within {times[int(0.9 * len(times))]:.0f} ms; "
        f"{parser.client.calls / len(times):.0f} calls each"
    )
    for length in LENGTHS:
        long_times = []
        for start in range(0, len(queries), 6):
            rotated = queries[start:] + queries[:start]
            long_query = " and ".join(rotated)[:length]
            long_times.append(parser.ms_beyond_api(long_query))
        print(f"{length} characters: median {statistics.median(long_times):.0f} ms")
    print(f"peak memory {peak_mb():.0f} MiB, torch loaded: {'torch' in sys.modules}")


if __name__ == "__main__":
    sys.exit(main())
