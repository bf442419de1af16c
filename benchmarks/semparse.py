"""`python -m benchmarks.semparse --kg FOLDER`: time and memory of the semantic parser.

Milliseconds a question beyond the API's own time, by the length of the question, and the memory of
the process. Lengths are reached by repeating our own questions.
"""

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from mock_api.local import LocalClient
from models.kg.execute import Client
from models.kg.semparse.parser import SemanticParser
from utils.crag_api import Call
from utils.deadline import Deadline

BLIND = Path(__file__).with_name("blind")
LENGTHS = (100, 200, 300, 400, 500, 600)  # characters
NOW = datetime(2024, 3, 5, 16)


class Timed:
    """A client that knows how many calls were made, and how long they took."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.seconds, self.calls = 0.0, 0

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any]:
        self.calls += len(calls)
        start = time.perf_counter()
        found = self._client.call_many(calls, deadline=deadline)
        self.seconds += time.perf_counter() - start
        return found


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.semparse", description=__doc__)
    parser.add_argument("--kg", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(argv)
    client = Timed(LocalClient(options.kg))
    reader = SemanticParser(client)

    def beyond_api(text: str) -> float:
        before, start = client.seconds, time.perf_counter()
        reader.parse(text, NOW, Deadline.after(60.0))
        return 1000 * (time.perf_counter() - start - (client.seconds - before))

    lines = (BLIND / "1.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [
        str(json.loads(line)["query"]) for line in lines[:: max(1, len(lines) // options.questions)]
    ]
    beyond_api(queries[0])  # lexicon and weights are read once
    client.calls = 0
    took = sorted(map(beyond_api, queries))
    sys.stdout.write(
        f"{len(took)} questions: median {statistics.median(took):.0f} ms, "
        f"90% within {took[int(0.9 * len(took))]:.0f} ms; "
        f"{client.calls / len(took):.0f} calls each\n"
    )
    by_length: dict[int, float] = {}
    for length in LENGTHS:
        long = [" and ".join(queries[i:] + queries[:i])[:length] for i in range(0, len(queries), 6)]
        middle = statistics.median(map(beyond_api, long))
        by_length[length] = middle
        sys.stdout.write(f"{length} characters: median {middle:.0f} ms\n")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"peak memory {peak:.0f} MiB, torch loaded: {'torch' in sys.modules}\n")
    if options.json:
        row = {"median_ms": statistics.median(took), "by_length": by_length, "peak_mib": peak}
        options.json.write_text(json.dumps(row, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
