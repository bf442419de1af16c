"""Pages read by worker processes: the same result, limits that hold, and nothing left running."""

import gc
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from benchmarks.adversarial_pages import FUZZED, PAGES, fuzzed
from models.records import Page
from models.web import page_workers
from models.web.page_reader import PageRead, in_process
from models.web.page_workers import PageWorkers
from models.web.settings import WebSettings
from tests.faults.matrix import fault
from utils.deadline import Deadline

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = WebSettings(page_seconds=0.5)
GOOD = [Page(f"Page {i}", "", "", f"<p>Room {i} is {i} feet wide.") for i in range(6)]
SLOW = Page("slow", "", "", PAGES["30,000 deep, unclosed"]())


@pytest.fixture
def workers() -> Iterator[PageWorkers]:
    made = PageWorkers(SETTINGS)
    yield made
    made.close()


def read(workers: PageWorkers, pages: Sequence[Page]) -> dict[int, PageRead]:
    return workers.read(pages, range(len(pages)), Deadline.after(60))


def pids(workers: PageWorkers) -> list[int]:
    return [worker.process.pid for worker in workers._workers]


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_pages_come_out_as_from_this_process_and_workers_are_reused(workers: PageWorkers) -> None:
    pages = [*GOOD, *(Page("name", "", "", fuzzed(seed)) for seed in range(FUZZED))]
    found = read(workers, pages)
    assert found == in_process(SETTINGS).read(pages, range(len(pages)), Deadline.after(60))
    assert list(found) == list(range(len(pages)))
    before = pids(workers)
    assert read(workers, GOOD) and pids(workers) == before and len(before) == 2


@fault("page worker", "slow")
def test_a_page_beyond_the_time_limit_is_skipped_and_counted(workers: PageWorkers) -> None:
    found = read(workers, [SLOW, *GOOD])
    assert found[0].text is None and not found[0].chunks
    assert found[0].counts == {"broke:time limit": 1}
    assert all(found[i].text for i in range(1, 7))
    assert len(read(workers, GOOD)) == len(GOOD)


@fault("page worker", "huge")
def test_a_page_beyond_the_memory_limit_is_skipped_and_counted() -> None:
    workers = PageWorkers(replace(SETTINGS, page_seconds=30.0, page_megabytes=400))
    cells = "<table>" + f"<tr><td colspan=50 rowspan=50>{'long' * 70}<td>x" * 2_500
    found = read(workers, [Page("large", "", "", cells), *GOOD])
    assert found[0].counts == {"broke:memory limit": 1} and found[1].text
    workers.close()


@fault("page worker", "killed")
def test_a_worker_that_died_is_replaced(workers: PageWorkers) -> None:
    read(workers, GOOD)
    first = pids(workers)
    workers._workers[0].process.kill()
    workers._workers[0].process.wait()
    found = read(workers, GOOD)
    assert all(page.text and not page.counts for page in found.values())
    assert len(pids(workers)) == 2 and pids(workers) != first


def begin(descriptor: int) -> Connection:
    """In place of models.web.page_workers.serve: as it does, up to the first page."""
    pipe = Connection(descriptor)
    pipe.recv()
    pipe.send(None)
    pipe.recv()
    return pipe


def raises(descriptor: int) -> None:
    begin(descriptor)
    raise RuntimeError("a fault of the worker")


def partial(descriptor: int) -> None:
    """End within a message: of 1,000 bytes come ten."""
    os.write(begin(descriptor).fileno(), struct.pack("!i", 1000) + b"x" * 10)
    os._exit(0)


@fault("page worker", "raises")
@fault("page worker", "partial")
@pytest.mark.parametrize("way", ["raises", "partial"])
def test_a_worker_that_fails_costs_its_page_and_is_counted(
    way: str, workers: PageWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = f"from tests.models.web.test_page_workers import {way}; {way}"
    monkeypatch.setattr(page_workers, "_SERVE", broken)
    assert [page.counts for page in read(workers, GOOD).values()] == [{"broke:page worker": 1}] * 6
    monkeypatch.undo()
    assert all(page.text and not page.counts for page in read(workers, GOOD).values())


@fault("page worker", "hangs")
@fault("page worker", "slow")
@pytest.mark.clock
def test_a_worker_that_stands_still_is_replaced_at_the_deadline() -> None:
    workers = PageWorkers(WebSettings(workers=1))
    assert len(read(workers, GOOD)) == len(GOOD)
    [stopped] = pids(workers)
    os.kill(stopped, signal.SIGSTOP)
    started = time.monotonic()
    assert workers.read(GOOD, range(6), Deadline.after(1.0)) == {}
    assert time.monotonic() - started < 5
    assert len(read(workers, GOOD)) == len(GOOD) and stopped not in pids(workers)
    workers.close()


@fault("page worker", "out of order")
def test_two_threads_may_read_at_once(workers: PageWorkers) -> None:
    found: list[dict[int, PageRead]] = []
    threads = [threading.Thread(target=lambda: found.append(read(workers, GOOD))) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 2 and found[0] == found[1]


@pytest.mark.parametrize("executable", ["/no/such/python", "/bin/false"])
def test_without_workers_pages_are_read(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    workers = PageWorkers(SETTINGS)
    for _ in range(2):
        found = read(workers, GOOD)
        assert all(page.text for page in found.values()) and len(found) == len(GOOD)
        assert [page.counts.total() for page in found.values()] == [1, 0, 0, 0, 0, 0]
        assert found[0].counts["broke:page workers"] == 1


def test_workers_end_with_their_owner() -> None:
    workers = PageWorkers(SETTINGS)
    read(workers, GOOD)
    started = pids(workers)
    assert all(map(is_running, started))
    del workers
    gc.collect()
    assert not any(map(is_running, started))


CALLER = """
open("imported", "a").write("once ")
from models.user_config import UserModel
page = {"page_name": "Tower", "page_result": "<p>The Elm Tower is 41 metres tall.</p>"}
batch = {"query": ["how tall is the elm tower?"], "search_results": [[page]]}
model = UserModel()
assert len(model.batch_generate_answer(batch)) == 1
assert not model.failures, model.failures
workers = model._system.retriever.pages
print(*(worker.process.pid for worker in workers._workers), flush=True)
ENDING
"""


@pytest.mark.clock
@pytest.mark.parametrize("ending", ["", "import os; os._exit(0)"])
def test_the_callers_script_runs_once_and_ends(ending: str, tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER.replace("ENDING", ending))
    command, env = [sys.executable, "caller.py"], {**os.environ, "PYTHONPATH": str(ROOT)}
    said = subprocess.check_output(command, cwd=tmp_path, env=env, text=True, timeout=60)
    assert (tmp_path / "imported").read_text() == "once "
    started = [int(pid) for pid in said.split()]
    end = time.monotonic() + 10
    while any(map(is_running, started)) and time.monotonic() < end:
        time.sleep(0.05)
    assert started and not any(map(is_running, started))
