"""A function over batches on a Ray cluster: ordered results; a lost worker's batch is run again.

Each actor makes its own function, such as a `UserModel` with its own KG client, and runs one batch
at a time. An actor is lost when its process or its node ends, or when it takes too long; another
one then starts and runs its batch again.
"""

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from utils.deadline import Deadline
from utils.errors import CragError, SettingsError

T = TypeVar("T")
R = TypeVar("R")

START_SECONDS = 300.0  # for the first worker; a cluster may have to add a machine
MOST_ATTEMPTS = 3  # a batch whose worker ended that often is given up


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the workers run.

    Attributes:
        address: of a running Ray cluster; "": one is started on this machine.
        workers: the number of actors.
        gpus_per_worker: the GPUs that Ray reserves for each; a share such as 0.5 is possible.
        batch_seconds: a worker that needs longer for a batch, its first one with the loading of
            models, counts as lost.
    """

    address: str = ""
    workers: int = 2
    gpus_per_worker: float = 0.0
    batch_seconds: float = 3600.0

    @classmethod
    def of(cls, ray: str | None, workers: int, gpus_per_worker: float) -> "Cluster | None":
        """What the options of a command line say: `ray` is an address or "local", None: no Ray."""
        return None if ray is None else cls("" if ray == "local" else ray, workers, gpus_per_worker)


class WorkerLost(CragError):
    """The worker of a batch ended `MOST_ATTEMPTS` times."""


def map_batches(
    make: Callable[[], Callable[[T], R]],
    batches: Iterable[T],
    cluster: Cluster,
    give_up: Callable[[T, WorkerLost], R],
    on_loss: Callable[[], None] = lambda: None,
) -> Iterator[R]:
    """One result per batch, in the order of the batches.

    Args:
        make: makes the function, once in each worker; it is pickled by value.
        batches: read only as workers become free.
        cluster: where to run.
        give_up: makes the result of a batch whose worker ended `MOST_ATTEMPTS` times.
        on_loss: called each time a worker ends.

    Raises:
        SettingsError: Ray is not installed, the cluster cannot be reached, or no worker can start.
        Exception: what `make` or the function raised in a worker.
    """
    with connected(cluster) as ray:
        workers = _Workers(ray, make, cluster)
        unread = enumerate(batches)
        waiting = deque(islice(unread, 1))  # the next batch; before it, those of lost workers
        attempts: Counter[int] = Counter()
        finished: dict[int, R] = {}
        next_index = 0
        while waiting or workers.running:
            while waiting and workers.idle:
                workers.start(*waiting.popleft())
                waiting.extend(islice(unread, 0 if waiting else 1))
            for index, batch, result in workers.wait():
                if not isinstance(result, WorkerLost):
                    finished[index] = result
                    continue
                on_loss()
                attempts[index] += 1
                if attempts[index] < MOST_ATTEMPTS:
                    waiting.appendleft((index, batch))
                else:
                    finished[index] = give_up(batch, result)
            while next_index in finished:
                yield finished.pop(next_index)
                next_index += 1


def map_items(
    make: Callable[[], Callable[[list[T]], R]],
    items: Iterable[T],
    size: int,
    cluster: Cluster | None,
    lost: Counter[str],
) -> Iterator[R]:
    """One result per `size` items, in their order, made in this process or on `cluster`.

    Args:
        make: as for `map_batches`.
        lost: counts the workers that ended, and the items that have no result because their worker
            ended `MOST_ATTEMPTS` times.
    """
    waiting = iter(items)
    batches = iter(lambda: list(islice(waiting, size)), [])
    if cluster is None:
        yield from map(make(), batches)
        return

    def give_up(batch: list[T], _: WorkerLost) -> None:
        lost["left out because their worker ended repeatedly"] += len(batch)

    results: Iterator[R | None] = map_batches(
        make, batches, cluster, give_up, lambda: lost.update({"workers lost": 1})
    )
    yield from (result for result in results if result is not None)


class _Workers(Generic[T, R]):
    """The actors: starting, idle, or running a task."""

    def __init__(self, ray: Any, make: Callable[[], Callable[[T], R]], cluster: Cluster) -> None:
        class Worker:
            function: Callable[[T], R] | None = None

            def ready(self) -> None:
                pass

            def run(self, batch: T) -> R:
                self.function = self.function or make()
                return self.function(batch)

        self._ray = ray
        self._actor = ray.remote(num_cpus=1, num_gpus=cluster.gpus_per_worker)(Worker)
        self._starting: dict[Any, Any] = {}  # until a node is free
        self.idle: list[Any] = []
        self.running: dict[Any, tuple[Any, tuple[int, T], Deadline]] = {}
        self._seconds = cluster.batch_seconds
        self._failed_starts = 0
        for _ in range(cluster.workers):
            self._add()

    def start(self, index: int, batch: T) -> None:
        """Give the batch to an idle actor."""
        actor = self.idle.pop()
        deadline = Deadline.after(self._seconds)
        self.running[actor.run.remote(batch)] = actor, (index, batch), deadline

    def wait(self) -> Iterator[tuple[int, T, R | WorkerLost]]:
        """Wait until an actor is ready, done or lost; yield its batch and result, if it had one.

        A lost actor is replaced.
        """
        limits = [deadline.remaining() for _, _, deadline in self.running.values()]
        timeout = min(limits, default=START_SECONDS)
        ready, _ = self._ray.wait([*self.running, *self._starting], timeout=timeout)
        if not ready and not self.running:
            has = self._ray.cluster_resources()
            raise SettingsError(
                f"no worker could start in {START_SECONDS:g} s: the cluster has "
                f"{has.get('CPU', 0):g} CPUs and {has.get('GPU', 0):g} GPUs"
            )
        reference = ready[0] if ready else next(iter(self.running))  # the one that runs longest
        actor, task, _ = self.running.pop(reference, None) or (
            self._starting.pop(reference), None, None
        )  # fmt: skip
        try:
            result: R | WorkerLost = self._ray.get(reference, timeout=0 if not ready else None)
            self.idle.append(actor)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.RayError as error:
            self._ray.kill(actor)
            self._failed_starts = 0 if task else self._failed_starts + 1
            if self._failed_starts >= MOST_ATTEMPTS:
                raise SettingsError(f"every worker ended while starting: {error}") from error
            self._add()
            result = WorkerLost(f"the worker ended {MOST_ATTEMPTS} times: {error}")
        if task is not None:
            yield *task, result

    def _add(self) -> None:
        actor = self._actor.remote()
        self._starting[actor.ready.remote()] = actor


@contextmanager
def connected(cluster: Cluster) -> Iterator[Any]:
    """The module `ray`, connected; the actors end with the outermost block."""
    try:
        import ray
    except ImportError:
        raise SettingsError("--ray needs Ray: pip install '.[ray]'") from None
    if ray.is_initialized():
        yield ray
        return
    where = {"address": cluster.address} if cluster.address else {"num_cpus": cluster.workers}
    try:
        ray.init(**where, include_dashboard=False, logging_level=logging.WARNING)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise SettingsError(f"--ray {cluster.address}: cannot be reached: {error}") from error
    try:
        yield ray
    finally:
        ray.shutdown()
