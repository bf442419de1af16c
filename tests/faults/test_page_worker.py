"""A page worker that fails costs its page; other faults: tests/models/web/test_page_workers.py."""

import os
import signal
import struct
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

import pytest

from models.records import Page
from models.web import page_workers
from models.web.page_workers import PageWorkers
from models.web.settings import WebSettings
from tests.faults.matrix import fault
from utils.deadline import Deadline

PAGES = [Page(f"Page {i}", "", "", f"<p>Room {i} is {i} feet wide.") for i in range(4)]


@pytest.fixture
def workers() -> Iterator[PageWorkers]:
    made = PageWorkers(WebSettings(workers=2))
    yield made
    made.close()


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


@pytest.mark.parametrize(
    "way",
    [
        pytest.param("raises", marks=fault("page worker", "raises")),
        pytest.param("partial", marks=fault("page worker", "partial")),
    ],
)
def test_a_worker_that_fails_costs_its_page_and_is_counted(
    way: str, workers: PageWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = f"from tests.faults.test_page_worker import {way}; {way}"
    monkeypatch.setattr(page_workers, "_SERVE", broken)
    found = workers.read(PAGES, range(4), Deadline.after(30))
    assert [page.counts for page in found.values()] == [{"broke:page worker": 1}] * 4
    monkeypatch.undo()
    found = workers.read(PAGES, range(4), Deadline.after(30))
    assert all(page.text and not page.counts for page in found.values()) and len(found) == 4


@fault("page worker", "hangs")
@fault("page worker", "slow")
@pytest.mark.clock
def test_a_worker_that_stands_still_is_replaced_at_the_deadline() -> None:
    workers = PageWorkers(WebSettings(workers=1))
    assert len(workers.read(PAGES, range(4), Deadline.after(30))) == 4
    stopped = workers._workers[0].process.pid
    os.kill(stopped, signal.SIGSTOP)
    started = time.monotonic()
    assert workers.read(PAGES, range(4), Deadline.after(1.0)) == {}
    assert time.monotonic() - started < 5
    assert len(workers.read(PAGES, range(4), Deadline.after(30))) == 4
    assert stopped not in [worker.process.pid for worker in workers._workers]
    workers.close()
