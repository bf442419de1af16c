"""How large report.html of 3,000 questions is, and how fast it opens and filters.

The questions are made up, with traces of five steps, one of them with passages. The times are those
of headless Chromium, and are left out where there is none.
"""

import random
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path
from statistics import median

from benchmarks._chromium import chromium, open_page, why_not
from benchmarks._command import main_of
from evaluation.judge.protocol import Verdict
from evaluation.page.report import write_report_page
from evaluation.run_folder import TRACES, RunFolder
from evaluation.score import Result
from models.runtime.trace import Step

SEED = 20240320
QUESTIONS, PASSAGES, PASSAGE_WORDS = 3000, 20, 90
OPENED = 3
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


class Invented:
    """Made-up questions, answers and traces."""

    def __init__(self) -> None:
        self._random = random.Random(SEED)
        syllables = [a + b for a in "bcdfghklmnprstvw" for b in "aeiou"]
        self._words = ["".join(self._random.choices(syllables, k=1 + i % 4)) for i in range(20_000)]
        self._sums = list(accumulate(1 / (i + 2) for i in range(len(self._words))))

    def text(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._sums, k=words))

    def question(self, number: int) -> tuple[Result, list[Step]]:
        """A question's result and its trace."""
        draw = self._random
        gold, said = self.text(2), self.text(3)
        verdict = draw.choices(list(Verdict), [55, 30, 14, 1])[0]
        answer = {Verdict.CORRECT: gold, Verdict.MISSING: "i don't know"}.get(verdict, said)
        passages = [self.text(PASSAGE_WORDS) for _ in range(PASSAGES)]
        passages[draw.randrange(PASSAGES)] += f" {gold} {self.text(5)}"
        kg = {"program": f'get_movie("{gold}")["release_date"]', "result": self.text(20)}
        prompt, written = {"passages": "\n\n".join(passages)}, draw.randint(2, 40)
        sure = {"probability": draw.random(), "from_kg": float(draw.random() < 0.4)}
        steps = [
            Step("route", {"question": self.text(9)}, "movie", draw.random() / 9, None, 1),
            Step("parse", kg, said, draw.random(), confidence={"probability": sure["probability"]}),
            Step("answer_web", prompt, answer, 2 * draw.random(), "web", written, llm="small",
                 prompt_tokens=3000 + draw.randrange(900), cost=0.0004),
            Step("answer_kg", {"result": kg["result"]}, answer, draw.random(), llm="small"),
            Step("confidence", {"answer": answer}, answer, confidence=sure),
        ]  # fmt: skip
        failed = {"kind": "TooLong", "step": "answer_web", "example": self.text(8)}
        result = Result(
            id=f"question-{number:05}",
            query=self.text(9),
            prediction=answer,
            verdict=verdict,
            seconds=draw.lognormvariate(0.6, 0.9),
            failures=(failed,) if draw.random() < 0.05 else (),
            usage={"answer_web": {"llm": "small", "adapter": "web", "calls": 1, "prompt": 3000,
                                  "cached": 0, "completion": written, "dollars": 0.0004}},
            reason="exact match" if verdict is Verdict.CORRECT else "gives another answer",
            golds=(gold,),
            slices={"domain": draw.choice("finance movie music open sports".split()),
                    "question_type": draw.choice("simple set comparison multi-hop".split()),
                    "static_or_dynamic": draw.choice(["static", "slow-changing", "real-time"])},
        )  # fmt: skip
        return result, steps


def make_run(folder: Path) -> None:
    """A run folder with made-up questions and their traces."""
    invented = Invented()
    out = RunFolder(folder)
    out.start({"system": "invented", "dataset": f"{QUESTIONS} invented questions"})
    for number in range(QUESTIONS):
        result, steps = invented.question(number)
        out.append([result])
        out.append_traces([{"id": result.id, "steps": [step.as_json() for step in steps]}])


def measure() -> None:
    """Print the size of the page, and how long it takes to write, to open and to filter it."""
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


main = main_of(measure)

if __name__ == "__main__":
    sys.exit(main())
