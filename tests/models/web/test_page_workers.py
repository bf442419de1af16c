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
    page_workers = PageWorkers(SETTINGS)
    yield page_workers
    page_workers.close()


def read_pages(workers: PageWorkers, pages: Sequence[Page]) -> dict[int, PageRead]:
    return workers.read(pages, range(len(pages)), Deadline.after(60))


def process_ids(workers: PageWorkers) -> list[int]:
    return [worker.process.pid for worker in workers._workers]


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_workers_read_pages_as_this_process_does_and_are_reused(workers: PageWorkers) -> None:
    fuzzed_pages = [Page("name", "", "", fuzzed(seed)) for seed in range(FUZZED)]
    pages = GOOD + fuzzed_pages
    by_workers = read_pages(workers, pages)
    here = in_process(SETTINGS).read(pages, range(len(pages)), Deadline.after(60))
    assert by_workers == here
    assert list(by_workers) == list(range(len(pages)))
    before = process_ids(workers)
    assert read_pages(workers, GOOD)
    assert process_ids(workers) == before
    assert len(before) == 2


@fault("page worker", "slow")
def test_a_page_beyond_the_time_limit_is_skipped_and_counted(workers: PageWorkers) -> None:
    results = read_pages(workers, [SLOW, *GOOD])
    assert results[0].text is None
    assert not results[0].chunks
    assert results[0].counts == {"broke:time limit": 1}
    assert all(results[i].text for i in range(1, 7))
    assert len(read_pages(workers, GOOD)) == len(GOOD)


@fault("page worker", "huge")
def test_a_page_beyond_the_memory_limit_is_skipped_and_counted() -> None:
    workers = PageWorkers(replace(SETTINGS, page_seconds=30.0, page_megabytes=400))
    cells = "<table>" + f"<tr><td colspan=50 rowspan=50>{'long' * 70}<td>x" * 2_500
    results = read_pages(workers, [Page("large", "", "", cells), *GOOD])
    assert results[0].counts == {"broke:memory limit": 1}
    assert results[1].text
    workers.close()


@fault("page worker", "killed")
def test_a_worker_that_died_is_replaced(workers: PageWorkers) -> None:
    read_pages(workers, GOOD)
    first = process_ids(workers)
    workers._workers[0].process.kill()
    workers._workers[0].process.wait()
    results = read_pages(workers, GOOD)
    assert all(page.text and not page.counts for page in results.values())
    assert len(process_ids(workers)) == 2
    assert process_ids(workers) != first


def begin(descriptor: int) -> Connection:
    """Act as models.web.page_workers.serve does, up to the first page."""
    pipe = Connection(descriptor)
    pipe.recv()
    pipe.send(None)
    pipe.recv()
    return pipe


def raises(descriptor: int) -> None:
    begin(descriptor)
    raise RuntimeError("a fault of the worker")


def partial(descriptor: int) -> None:
    """Exit within a message, after ten of its 1,000 bytes."""
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
    counts = [page.counts for page in read_pages(workers, GOOD).values()]
    assert counts == [{"broke:page worker": 1}] * 6
    monkeypatch.undo()
    assert all(page.text and not page.counts for page in read_pages(workers, GOOD).values())


@fault("page worker", "hangs")
@fault("page worker", "slow")
@pytest.mark.clock
def test_a_worker_that_hangs_is_replaced_at_the_deadline() -> None:
    workers = PageWorkers(WebSettings(workers=1))
    assert len(read_pages(workers, GOOD)) == len(GOOD)
    [stopped] = process_ids(workers)
    os.kill(stopped, signal.SIGSTOP)
    started = time.monotonic()
    assert workers.read(GOOD, range(6), Deadline.after(1.0)) == {}
    assert time.monotonic() - started < 5
    assert len(read_pages(workers, GOOD)) == len(GOOD)
    assert stopped not in process_ids(workers)
    workers.close()


@fault("page worker", "out of order")
def test_two_threads_may_read_at_once(workers: PageWorkers) -> None:
    results: list[dict[int, PageRead]] = []

    def read_good_pages() -> None:
        results.append(read_pages(workers, GOOD))

    threads = [threading.Thread(target=read_good_pages) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 2
    assert results[0] == results[1]


@pytest.mark.parametrize("executable", ["/no/such/python", "/bin/false"])
def test_pages_are_read_in_this_process_if_no_worker_starts(
    executable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    workers = PageWorkers(SETTINGS)
    for _ in range(2):
        results = read_pages(workers, GOOD)
        assert len(results) == len(GOOD)
        assert all(page.text for page in results.values())
        assert [page.counts.total() for page in results.values()] == [1, 0, 0, 0, 0, 0]
        assert results[0].counts["broke:page workers"] == 1


def test_workers_end_with_their_owner() -> None:
    workers = PageWorkers(SETTINGS)
    read_pages(workers, GOOD)
    started = process_ids(workers)
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
workers = model._system.load_web_reader().retriever.page_reader
print(*(worker.process.pid for worker in workers._workers), flush=True)
ENDING
"""


@pytest.mark.clock
@pytest.mark.parametrize("ending", ["", "import os; os._exit(0)"])
def test_the_callers_script_runs_once_and_ends(ending: str, tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER.replace("ENDING", ending))
    command = [sys.executable, "caller.py"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    output = subprocess.check_output(command, cwd=tmp_path, env=env, text=True, timeout=60)
    assert (tmp_path / "imported").read_text() == "once "
    started = [int(process_id) for process_id in output.split()]
    assert started
    end = time.monotonic() + 10
    while any(map(is_running, started)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(is_running, started))
