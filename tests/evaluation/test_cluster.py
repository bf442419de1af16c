"""Batches on Ray: order, lost workers and lost nodes, errors."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import local_evaluation
from evaluation.cluster import MOST_ATTEMPTS, Cluster, map_batches, map_items
from tests.evaluation.run_files import figures_of, rows_of, without_times
from tests.faults.matrix import fault
from utils.errors import InputError, SettingsError

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")
from ray.cluster_utils import Cluster as Nodes  # noqa: E402

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def local() -> Iterator[Cluster]:
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 4})
    yield Cluster(nodes.address, workers=2)
    nodes.shutdown()


def results(
    make: Callable[[], Callable[[Any], Any]], batches: Iterable[Any], cluster: Cluster
) -> tuple[list[Any], int]:
    """The results of the batches, and how many workers were lost."""
    losses: list[None] = []
    batch_results = map_batches(make, batches, cluster, lambda *_: -1, lambda: losses.append(None))
    return list(batch_results), len(losses)


@fault("Ray worker", "slow")
@fault("Ray worker", "out of order")
def test_results_come_in_the_order_of_the_batches(local: Cluster) -> None:
    def run(batch: int) -> int:
        time.sleep(0.5 if batch == 0 else 0)
        return batch

    assert results(lambda: run, range(30), local) == (list(range(30)), 0)
    assert results(lambda: run, [], local) == ([], 0)


@pytest.mark.clock
@pytest.mark.parametrize(
    ("end", "seconds"),
    [
        pytest.param(lambda: os._exit(1), 3600.0, marks=fault("Ray worker", "killed")),
        pytest.param(
            lambda: os.kill(os.getpid(), signal.SIGSTOP), 3.0, marks=fault("Ray worker", "hangs")
        ),
    ],
)
@fault("Ray worker", "duplicate")
def test_a_batch_of_a_lost_worker_is_run_again_and_has_one_result(
    local: Cluster, tmp_path: Path, end: Callable[[], None], seconds: float
) -> None:
    """The worker ends after its work and before its reply, so its line is written twice."""
    done = tmp_path / "done"

    def run(batch: int) -> int:
        with done.open("a") as file:
            file.write(f"{batch}\n")
        if batch == 3 and done.read_text().split().count("3") == 1:
            end()
        return batch

    limited = replace(local, batch_seconds=seconds)
    assert results(lambda: run, range(6), limited) == (list(range(6)), 1)
    assert sorted(done.read_text().split()) == ["0", "1", "2", "3", "3", "4", "5"]


@fault("Ray worker", "killed")
def test_only_the_batch_that_ends_every_worker_is_given_up(local: Cluster) -> None:
    assert results(dies_at(2), range(5), local) == ([0, 1, -1, 3, 4], MOST_ATTEMPTS)
    lost: Counter[str] = Counter()
    assert list(map_items(dies_at([2, 3]), range(5), 2, local, lost)) == [[0, 1], [4]]
    assert sorted(lost.values()) == [2, MOST_ATTEMPTS]


def dies_at(fatal: Any) -> Callable[[], Callable[[Any], Any]]:
    def run(batch: Any) -> Any:
        if batch == fatal:
            os._exit(1)
        return batch

    return lambda: run


@fault("Ray worker", "raises")
def test_an_error_in_a_worker_ends_the_run_with_the_same_type(local: Cluster) -> None:
    def fails() -> Callable[[int], int]:
        raise InputError("no such weights")

    with pytest.raises(InputError, match="no such weights"):
        results(fails, range(3), local)


def test_batches_are_read_only_as_workers_become_free(local: Cluster) -> None:
    numbers = iter(range(1000))
    batch_results = map_batches(lambda: lambda batch: batch, numbers, local, lambda *_: -1)
    assert next(batch_results) == 0
    assert next(numbers) < 20
    batch_results.close()  # type: ignore[attr-defined]


def test_an_address_without_a_cluster_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(SettingsError, match="10.0.0.9:6379"):
        results(dies_at(1), [1], Cluster("10.0.0.9:6379"))


@fault("Ray worker", "killed")
def test_a_killed_node_changes_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three nodes, of which one ends in the middle; the run is the same but for its times."""
    monkeypatch.delenv("CRAG_MOCK_API_URL", raising=False)
    one = tmp_path / "one"
    two = tmp_path / "two"
    argv = ["--limit", "24", "--batch-size", "2", "--out"]
    assert local_evaluation.main([*argv, str(one)]) == 0
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
    doomed = nodes.add_node(num_cpus=1)
    nodes.add_node(num_cpus=1)
    predictions = two / "predictions.jsonl"

    def kill() -> None:
        while not predictions.exists() or len(rows_of(predictions)) < 4:
            time.sleep(0.02)
        nodes.remove_node(doomed, allow_graceful=False)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    try:
        ray_argv = ["--ray", nodes.address, "--workers", "3"]
        assert local_evaluation.main([*argv, str(two), *ray_argv]) == 0
        killer.join(10)
    finally:
        nodes.shutdown()
    for name in ("predictions.jsonl", "traces.jsonl"):
        assert without_times(one / name) == without_times(two / name)
    assert figures_of(two)["notes"]["workers lost"] >= 1
