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
from models.kg.parsing.parser import SemanticParser
from utils.crag_api import ApiCall, KgClient
from utils.deadline import Deadline

BLIND = Path(__file__).with_name("blind")
LENGTHS = (100, 200, 300, 400, 500, 600)  # characters
NOW = datetime(2024, 3, 5, 16)


class Timed:
    """A client that knows how many calls were made, and how long they took."""

    def __init__(self, client: KgClient) -> None:
        self._client = client
        self.seconds, self.calls = 0.0, 0

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any]:
        self.calls += len(calls)
        start = time.perf_counter()
        found = self._client.call_many(calls, deadline=deadline)
        self.seconds += time.perf_counter() - start
        return found


@command
def main(
    kg: Annotated[Path, typer.Option(help="the folder of a KG")],
) -> None:
    client = Timed(LocalClient(kg))
    reader = SemanticParser(client)

    def beyond_api(text: str) -> float:
        before, start = client.seconds, time.perf_counter()
        reader.parse(text, NOW, Deadline.after(60.0))
        return 1000 * (time.perf_counter() - start - (client.seconds - before))

    asked = [str(row["query"]) for row in rows_of(BLIND / "1.jsonl")]
    queries = asked[::3]
    beyond_api(queries[0])  # lexicon and weights are read once
    client.calls = 0
    took = sorted(map(beyond_api, queries))
    print(
        f"{len(took)} questions: median {statistics.median(took):.0f} ms, "
        f"90% within {took[int(0.9 * len(took))]:.0f} ms; {client.calls / len(took):.0f} calls each"
    )
    for length in LENGTHS:
        long = [" and ".join(queries[i:] + queries[:i])[:length] for i in range(0, len(queries), 6)]
        print(f"{length} characters: median {statistics.median(map(beyond_api, long)):.0f} ms")
    print(f"peak memory {peak_mb():.0f} MiB, torch loaded: {'torch' in sys.modules}")


if __name__ == "__main__":
    sys.exit(main())
