"""How large report.html of 3,000 questions is, and how fast it opens and filters.

The questions are made up, with traces of two steps, one of them with passages. The times are those
of headless Chromium, and are left out where there is none.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from statistics import median

from benchmarks._chromium import chromium, open_page, why_not
from benchmarks._command import command
from evaluation.judge.protocol import Verdict
from evaluation.page.report import write_report_page
from evaluation.run_folder import TRACES, RunFolder
from evaluation.runner import trace_of
from evaluation.score import Result
from models.runtime.trace import Step

SEED = 20240320
QUESTIONS, PASSAGES, PASSAGE_WORDS = 3000, 20, 90
OPENED = 3
Invented = tuple[Result, list[Step]]
FILTERS = {
    "verdict": "wrong", "domain": "movie", "type": "set", "dynamism": "static", "text": "ba",
    "slower": "2",
}  # fmt: skip
# Sets a filter as a user does, and returns the milliseconds until the new rows are laid out.
FILTER_SCRIPT = """
const [name, value] = arguments;
const input = document.querySelector(`#filters [name=${name}]`);
const start = performance.now();
input.value = value;
input.dispatchEvent(new Event(input.tagName === "SELECT" ? "change" : "input"));
document.body.offsetHeight;
return performance.now() - start;
"""


def invented(number: int, text: Callable[[int], str], draw: random.Random) -> Invented:
    """A question's result and its trace; `text` makes a text of so many words."""
    verdict = draw.choices(list(Verdict), [55, 30, 14, 1])[0]
    gold, answer, sure = text(2), text(3), {"probability": draw.random()}
    passages = "\n\n".join(text(PASSAGE_WORDS) for _ in range(PASSAGES))
    steps = [
        Step("parse", {"result": text(20)}, answer, draw.random(), confidence=sure),
        Step("answer_web", {"passages": passages}, answer, draw.random(), "web", 9, llm="small"),
    ]
    slices = {
        "domain": draw.choice("finance movie music open sports".split()),
        "question_type": draw.choice("simple set comparison multi-hop".split()),
        "static_or_dynamic": draw.choice("static slow-changing real-time".split()),
    }
    seconds = draw.lognormvariate(0.6, 0.9)
    result = Result(f"question-{number:05}", text(9), answer, verdict, seconds, golds=(gold,),
                    slices=slices)  # fmt: skip
    return result, steps


def make_run(folder: Path) -> None:
    """A run folder with made-up questions and their traces."""
    draw = random.Random(SEED)
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in "aeiou"]
    words = ["".join(draw.choices(syllables, k=1 + i % 4)) for i in range(20_000)]
    sums = list(accumulate(1 / (i + 2) for i in range(len(words))))

    def text(count: int) -> str:
        return " ".join(draw.choices(words, cum_weights=sums, k=count))

    made = [invented(number, text, draw) for number in range(QUESTIONS)]
    results, steps = zip(*made, strict=True)
    out = RunFolder(folder)
    out.start({"system": "invented", "dataset": f"{QUESTIONS} invented questions"})
    out.append_traces(list(map(trace_of, results, steps)))
    out.append(results)


@command
def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_run(folder)
        start = time.perf_counter()
        page = write_report_page(folder)
        figures = {
            "write s": time.perf_counter() - start,
            "trace MiB": (folder / TRACES).stat().st_size / 2**20,
            "page MiB": page.stat().st_size / 2**20,
        }
        if reason := why_not():
            print(f"not opened: {reason}")
        else:
            figures |= _in_chromium(page)
        for name, value in figures.items():
            print(f"{name:<28}{value:.4g}")


def _in_chromium(page: Path) -> dict[str, float]:
    """Seconds to open the page (median), milliseconds of each filter."""
    with chromium() as driver:
        opened = []
        for _ in range(OPENED):
            start = time.perf_counter()
            open_page(driver, page)
            opened.append(time.perf_counter() - start)
        figures = {"open s": median(opened)}
        for name, value in FILTERS.items():
            figures[f"filter {name}={value} ms"] = driver.execute_script(FILTER_SCRIPT, name, value)
            driver.execute_script(FILTER_SCRIPT, name, "")
    return figures


if __name__ == "__main__":
    sys.exit(main())
