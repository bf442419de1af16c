"""The batches of a command, in this process or on Ray, with the calls that it keeps."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from evaluation.cluster import Cluster, connected, map_items
from models.llm.cache import Calls
from models.llm.protocol import Completion
from utils.progress import shown

T = TypeVar("T")
R = TypeVar("R")


def rows(
    make: Callable[[Calls], Callable[[list[T]], list[R]]],
    items: Iterable[T],
    size: int,
    file: Path,
    cluster: Cluster | None = None,
) -> list[R]:
    """The rows of all items, `size` at a time, in order; counts and progress go to stderr.

    Args:
        make: makes the function from a batch to its rows.
        items: are cut into batches of `size`.
        file: keeps the function's calls of engines, so that the same command resumes.
        cluster: where the batches run; None: in this process.
    """
    counts: Counter[str] = Counter()
    with _calls_in(file, cluster) as calls:
        batches = map_items(partial(make, calls), items, size, cluster, counts)
        results = list(chain.from_iterable(shown(batches, f"batches of {size}")))
        counts += calls.looked_up()
    if counts:
        sys.stderr.write(", ".join(f"{what}: {count}" for what, count in counts.items()) + "\n")
    return results


class RemoteCalls(Calls):
    """The calls kept on the machine of the command, for its Ray workers on any machine."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor  # holds `Calls`

    def get(self, key: str) -> Completion | None:
        completion: Completion | None = self._wait_for(self._actor.get.remote(key))
        return completion

    def looked_up(self) -> Counter[str]:
        counts: Counter[str] = self._wait_for(self._actor.looked_up.remote())
        return counts

    def put(self, completions: Mapping[str, Completion]) -> None:
        self._wait_for(self._actor.put.remote(completions))

    def _wait_for(self, reference: Any) -> Any:
        import ray

        return ray.get(reference)


@contextmanager
def _calls_in(file: Path, cluster: Cluster | None) -> Iterator[Calls]:
    """The calls kept in `file`, in a form that the workers of `cluster` can use."""
    calls = Calls(file)
    if cluster is None:
        yield calls
        return
    with connected(cluster) as ray:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        remote = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Calls)
        yield RemoteCalls(remote.options(scheduling_strategy=here).remote(file.resolve()))
