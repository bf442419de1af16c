"""How soon the playground's page is painted, beside an empty page, and how soon the first step of
an offline question arrives, beside the same question in this process.

It needs Chromium and chromedriver. The server is another process, as a user starts it.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from statistics import median
from typing import Annotated

import requests
import typer

from benchmarks._command import ROOT, command, show
from evaluation.dataset import read_examples, to_batch
from models.settings import EXAMPLE_KG, load_settings
from models.user_model import UserModel

EMPTY = "data:text/html,<title>empty</title><p>empty"
_FIRST_PAINT = """
const [done] = arguments; // it may come after the page is loaded
new PerformanceObserver((list) => {
  const [paint] = list.getEntriesByName('first-contentful-paint');
  if (paint) done(paint.startTime);
}).observe({ type: 'paint', buffered: true });
"""
_PREFIX = "playground on "


@contextmanager
def server() -> Iterator[str]:
    """The address of a playground over the example KG, in a process of its own."""
    arguments = ["-m", "crag", "playground", "--example", "--port", "0", "--no-open"]
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip().removeprefix(_PREFIX)
        finally:
            process.terminate()


def first_paints(url: str, runs: int) -> dict[str, list[float]]:
    """Seconds to the first paint of the page, and of an empty page, in a new browser."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless", "--no-sandbox", "--disable-gpu"):
        options.add_argument(flag)
    seconds: dict[str, list[float]] = {EMPTY: [], url: []}
    with webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver")) as driver:
        for _ in range(runs):
            for address, times in seconds.items():
                driver.get(address)
                times.append(driver.execute_async_script(_FIRST_PAINT) / 1000)
    return seconds


def first_step(url: str, question: str, asked_at: str) -> float:
    """Seconds from asking to the first step, over HTTP."""
    start = time.perf_counter()
    reply = requests.post(f"{url}/api/ask", json={"question": question, "time": asked_at})
    path = f"{url}/api/inquiries/{reply.json()['id']}/events"
    with requests.get(path, stream=True, timeout=60) as stream:
        for line in stream.iter_lines():
            if line.startswith(b"data: ") and json.loads(line[6:])["type"] == "step":
                return time.perf_counter() - start
    raise RuntimeError(f"no step of {question!r}")


@command
def main(
    runs: Annotated[int, typer.Option(min=1, help="of each page and question")] = 10,
) -> None:
    """Measure both, and print the medians."""
    model = UserModel(load_settings(None, {}, api_url=EXAMPLE_KG))
    questions = list(islice(read_examples(ROOT / "example_data" / "questions.jsonl"), runs))
    without_pages = [{**to_batch([each]), "search_results": [[]]} for each in questions]
    model.batch_generate_answer(without_pages[0])
    here: list[float] = []
    there: list[float] = []
    with server() as url:
        first_step(url, questions[0].query, questions[0].query_time)
        for example, batch in zip(questions, without_pages, strict=True):
            start = time.perf_counter()
            model.batch_generate_answer(batch)
            here.append(time.perf_counter() - start)
            there.append(first_step(url, example.query, example.query_time))
        paints = first_paints(url, runs)
    rows = []
    for name, reference, times in (
        ("first paint, beside an empty page", paints[EMPTY], paints[url]),
        ("first step, beside the answer in this process", here, there),
    ):
        rows.append((name, median(times), max(times), median(times) / median(reference)))
    show(f"{runs} runs", ("", "seconds, median", "longest", "times the reference"), rows)


if __name__ == "__main__":
    sys.exit(main())
