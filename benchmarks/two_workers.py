"""The throughput of two Ray workers against one, and of one Ray worker against this process.

They take turns at CRAG's validation questions about the KG: task 2, the offline system. Each worker
reads the KG in its own process, so that no API server takes a share of the workers' cores. The
clock starts when every worker has answered a question; what comes before, Ray included, is the
start. The status is 1 where an answer differs.
"""

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Annotated

import typer

from benchmarks._command import CRAG_DATA, Data, command, show
from evaluation.cluster import Cluster, map_items
from evaluation.dataset import Example, read_examples
from evaluation.runner import Answerer
from mock_api.local import LocalClient
from models.settings import load_settings
from models.systems.offline import OfflineSystem
from models.user_model import UserModel

FILES = ("kg_questions_validation.jsonl", "kg_unanswerable_validation.jsonl")
BATCH = 4  # small, so that two workers end at nearly the same time
ENDING_S = 5.0  # in which Ray's processes end
PLACES = {"this process": 0, "1 Ray worker": 1, "2 Ray workers": 2}


@dataclass(frozen=True, slots=True)
class Together:
    """Makes the answerer of a worker, and waits until all workers have theirs."""

    kg: Path
    first: Sequence[Example]
    marks: Path
    workers: int

    def __call__(self) -> Answerer:
        system = OfflineSystem(LocalClient(self.kg))
        answerer = Answerer(UserModel(load_settings(task=2), system=system), str)
        answerer(self.first)
        NamedTemporaryFile(dir=self.marks, delete=False).close()
        while len(list(self.marks.iterdir())) < self.workers:
            time.sleep(0.01)
        return answerer


def timed(examples: Sequence[Example], kg: Path, workers: int) -> tuple[float, float, list[str]]:
    """Seconds until all workers were ready, questions per second from then on, and the answers."""
    cluster = Cluster(workers=workers) if workers else None
    predictions: list[str] = []
    with TemporaryDirectory() as marks:
        began = end = time.time()
        make = Together(kg, examples[:1], Path(marks), workers)
        for some in map_items(make, examples, BATCH, cluster, Counter()):
            predictions += some.predictions
            end = time.time()
        ready = max(mark.stat().st_mtime for mark in Path(marks).iterdir())
    return ready - began, len(examples) / (end - ready), predictions


@command
def main(
    data: Data = CRAG_DATA,
    questions: Annotated[int, typer.Option(help="at most, of 917")] = 115,
    repeat: int = 3,
) -> int:
    examples = [one for name in FILES for one in read_examples(data / name)]
    examples = examples[:: -(-len(examples) // questions)]
    starts, rates, gains = (defaultdict[str, list[float]](list) for _ in range(3))
    answers = set()
    for _ in range(repeat):
        for place, workers in PLACES.items():
            start, rate, predictions = timed(examples, data / "kg", workers)
            starts[place].append(start)
            rates[place].append(rate)
            answers.add(tuple(predictions))
            time.sleep(ENDING_S)
        alone, one, two = (rates[place][-1] for place in PLACES)
        gains["one Ray worker over this process"].append(one / alone)
        gains["two Ray workers over one"].append(two / one)
    rows = [(place, median(starts[place]), median(rates[place])) for place in PLACES]
    show(f"{len(examples)} questions, {repeat} times", ("", "start s", "questions/s"), rows)
    for name, found in gains.items():
        print(f"{name}: {median(found):.2f} ({min(found):.2f} to {max(found):.2f})")
    print(f"answers {'alike' if len(answers) == 1 else 'differ'}")
    return 0 if len(answers) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
