"""Runs a function over batches on a Ray cluster: ordered results, and retries after lost workers.

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
MOST_ATTEMPTS = 3  # a batch whose worker ended that often gets no further worker


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
        """The cluster that the options of a command line name; None without Ray.

        Args:
            ray: an address, "local", or None.
        """
        if ray is None:
            return None
        address = "" if ray == "local" else ray
        return cls(address, workers, gpus_per_worker)


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
        # The batches of lost workers, then the next one that is read.
        waiting = deque(islice(unread, 1))
        attempts: Counter[int] = Counter()
        finished: dict[int, R] = {}
        next_index = 0
        while waiting or workers.running:
            while waiting and workers.idle:
                index, batch = waiting.popleft()
                workers.start(index, batch)
                if not waiting:
                    waiting.extend(islice(unread, 1))
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
    batches = _batched(items, size)
    if cluster is None:
        yield from map(make(), batches)
        return

    def give_up(batch: list[T], _: WorkerLost) -> None:
        lost["left out because their worker ended repeatedly"] += len(batch)

    def count_loss() -> None:
        lost["workers lost"] += 1

    results: Iterator[R | None] = map_batches(make, batches, cluster, give_up, count_loss)
    for result in results:
        if result is not None:
            yield result


def _batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items, the last of them perhaps shorter."""
    unread = iter(items)
    while batch := list(islice(unread, size)):
        yield batch


@dataclass(frozen=True, slots=True)
class _Task(Generic[T]):
    """A batch that an actor works on; after the deadline the actor counts as lost."""

    actor: Any
    index: int
    batch: T
    deadline: Deadline


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
        self._seconds = cluster.batch_seconds
        self._failed_starts = 0
        # Ray's references of calls that go on: starts of actors, until a node is free; and tasks.
        self._starting: dict[Any, Any] = {}
        self.running: dict[Any, _Task[T]] = {}
        self.idle: list[Any] = []
        for _ in range(cluster.workers):
            self._add()

    def start(self, index: int, batch: T) -> None:
        """Give the batch to an idle actor."""
        actor = self.idle.pop()
        deadline = Deadline.after(self._seconds)
        self.running[actor.run.remote(batch)] = _Task(actor, index, batch, deadline)

    def wait(self) -> Iterator[tuple[int, T, R | WorkerLost]]:
        """Wait until an actor is ready, done or lost; yield its batch and result, if it had one.

        A lost actor is replaced.
        """
        reference, in_time = self._next_reference()
        task = self.running.pop(reference, None)
        actor = self._starting.pop(reference) if task is None else task.actor
        result: R | WorkerLost
        try:
            result = self._ray.get(reference, timeout=None if in_time else 0)
            self.idle.append(actor)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.RayError as error:
            self._replace(actor, error, starting=task is None)
            result = WorkerLost(f"the worker ended {MOST_ATTEMPTS} times: {error}")
        if task is not None:
            yield task.index, task.batch, result

    def _next_reference(self) -> tuple[Any, bool]:
        """The reference of an actor that is ready, done or lost, and False where it is late.

        Raises:
            SettingsError: no worker could start.
        """
        limits = [task.deadline.remaining() for task in self.running.values()]
        timeout = min(limits, default=START_SECONDS)
        ready, _ = self._ray.wait([*self.running, *self._starting], timeout=timeout)
        if ready:
            return ready[0], True
        if self.running:
            return next(iter(self.running)), False  # the one that runs longest
        resources = self._ray.cluster_resources()
        raise SettingsError(
            f"no worker could start in {START_SECONDS:g} s: the cluster has "
            f"{resources.get('CPU', 0):g} CPUs and {resources.get('GPU', 0):g} GPUs"
        )

    def _replace(self, actor: Any, error: Exception, *, starting: bool) -> None:
        """End a lost actor, and start another one.

        Raises:
            SettingsError: several actors in a row ended while they started.
        """
        self._ray.kill(actor)
        self._failed_starts = self._failed_starts + 1 if starting else 0
        if self._failed_starts >= MOST_ATTEMPTS:
            raise SettingsError(f"every worker ended while starting: {error}") from error
        self._add()

    def _add(self) -> None:
        """Start another actor."""
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
    place: dict[str, Any] = {"num_cpus": cluster.workers}  # Ray starts on this machine
    if cluster.address:
        place = {"address": cluster.address}
    try:
        ray.init(**place, include_dashboard=False, logging_level=logging.WARNING)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise SettingsError(f"--ray {cluster.address}: cannot be reached: {error}") from error
    try:
        yield ray
    finally:
        ray.shutdown()
