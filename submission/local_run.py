"""The local run: the committed model over the example questions, in a process of its own, from the
files that the evaluator's image would hold."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields
from itertools import cycle
from pathlib import Path
from typing import Any

from evaluation.dataset import read_examples, to_batch
from mock_api.process import serve
from models.records import Task
from models.settings import Settings
from submission.image_files import write_image_files
from submission.tree import Finding, Tree
from submission.trial import NOTE
from submission.weights.table import WEIGHTS

QUESTIONS = "example_data/questions.jsonl"
MANY_PAGES = "example_data/task3.jsonl"
MOST_PAGES = 50  # per question, on track 3
KG = "example_data/kg"
# Python reads this at the start of every process, those that an engine starts too.
SITE = """
from submission.guards import guard_checkout, guard_network, watch_files
guard_network({network!r})
guard_checkout({root!r}, {weights!r}, {files!r})
watch_files({known!r}, {outside!r})
"""
VARIABLES = (
    "HF_HUB_OFFLINE=1",
    "TRANSFORMERS_OFFLINE=1",
    "VLLM_NO_USAGE_STATS=1",
    "VLLM_HOST_IP=127.0.0.1",  # otherwise vLLM finds its own address by connecting elsewhere
)
_LAST_CHARS = 600  # of a log, shown where the run died
_PROGRESS = "progress"  # the file in which the run says how far it is
_PROGRESS_S = 15.0  # between two lines on how far the run is


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How long the local run may take: the contest's seconds per question, and for loading."""

    seconds_per_question: float = 30.0
    load_s: float = 600.0
    questions: int = 64


def local_run(
    tree: Tree, limits: RunLimits, print_line: Callable[[str], None]
) -> Iterator[Finding]:
    """What the evaluator would not accept of the model's run; `print_line` receives notes.

    The model comes from the commit, as the image would hold it; the checkout is hidden from it. No
    variable of this process that configures the model is passed on. On tracks with a KG, the KG API
    is the mock over the example facts. The working directory is that of the image.

    Raises:
        GitError: there is no commit.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        hosts = folder / "network"
        hidden_files = folder / "files"
        outside = folder / "outside"
        image = folder / "image"
        image.mkdir()
        write_image_files(tree, image)
        root = tree.root.resolve()
        site = SITE.format(
            network=str(hosts),
            root=str(root),
            weights=str(root / WEIGHTS),
            files=str(hidden_files),
            known=[str(folder.resolve()), str(root)],
            outside=str(outside),
        )
        (folder / "sitecustomize.py").write_text(site, encoding="utf-8")
        variables = [*VARIABLES, f"PYTHONPATH={folder}:{image}"]
        if tree.track.has_kg:
            api_url = stack.enter_context(serve(tree.root / KG))
            variables.append(f"CRAG_MOCK_API_URL={api_url}")
        questions = example_questions(tree, limits.questions)
        job = {
            "questions": questions,
            "seconds_per_question": limits.seconds_per_question,
            "load_s": limits.load_s,
            "progress": str(folder / _PROGRESS),
        }
        job_file = folder / "job"
        job_file.write_text(json.dumps(job), encoding="utf-8")
        report = folder / "report"
        log = folder / "log"
        python = [sys.executable, "-B", "-m", "submission.trial", str(job_file), str(report)]
        command = ["env", *_unset_arguments(), *variables, *python]
        seconds = limits.load_s + 2 * limits.seconds_per_question * len(questions)
        print_line(
            f"local run: {len(questions)} questions, at most {limits.seconds_per_question:g} s each"
        )
        status = _run_and_kill(command, image, log, seconds, print_line)
        for name in _lines_of(outside):
            print_line(f"local run: note: the model opens {name}, which is outside the repository")
        for host in _lines_of(hosts):
            yield Finding("network", f"the model connects to {host}")
        for name in _lines_of(hidden_files):
            problem = f"the model opens {name} of the checkout, which the image does not hold there"
            yield Finding("entry-point", problem)
        if status is None:
            yield Finding("time", f"the local run did not end within {seconds:.0f} s")
        elif not report.is_file():
            tail = log.read_text(errors="replace").strip()[-_LAST_CHARS:]
            says = f"its last lines: {tail}" if tail else "it printed nothing"
            yield Finding("entry-point", f"the model's process ended with status {status}; {says}")
        else:
            yield from _findings_of(report, print_line)


def _findings_of(report: Path, print_line: Callable[[str], None]) -> Iterator[Finding]:
    """The findings in the report of submission/trial.py; its notes are printed."""
    for check, text in json.loads(report.read_text(encoding="utf-8")):
        if check == NOTE:
            print_line(f"local run: {text}")
        else:
            yield Finding(check, text)


def _lines_of(file: Path) -> list[str]:
    """The distinct lines of a file, none if there is no file."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return list(dict.fromkeys(text.splitlines()))


def _run_and_kill(
    command: list[str],
    folder: Path,
    log: Path,
    seconds: float,
    print_line: Callable[[str], None],
) -> int | None:
    """The command's exit status, None if it takes longer; all that it started is killed. Now and
    then a line says how far it is."""
    progress = log.with_name(_PROGRESS)
    ends_at = time.monotonic() + seconds
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            while (rest := ends_at - time.monotonic()) > 0:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(min(rest, _PROGRESS_S))
                if progress.is_file():
                    print_line(f"local run: {progress.read_text(encoding='utf-8')}")
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def example_questions(tree: Tree, most: int) -> list[dict[str, Any]]:
    """Example questions of every kind, on track 3 with as many pages as it gives."""
    questions = _questions_in(tree.root / QUESTIONS)
    step = max(1, len(questions) // most)
    questions = questions[::step][:most]
    if tree.track is Task.END_TO_END:
        others = cycle(_questions_in(tree.root / MANY_PAGES))
        for question, other in zip(questions, others, strict=False):
            pages = question["search_results"] + other["search_results"]
            question["search_results"] = pages[:MOST_PAGES]
    return questions


def _questions_in(file: Path) -> list[dict[str, Any]]:
    """The questions of a file as the evaluator hands them over, each by itself."""
    batch = to_batch(list(read_examples(file)))
    rows = zip(*batch.values(), strict=True)
    return [dict(zip(batch, row, strict=True)) for row in rows]


def _unset_arguments() -> list[str]:
    """Arguments of `env` that drop every variable of ours."""
    arguments = ["--unset", "CRAG_MOCK_API_URL"]
    for setting in fields(Settings):
        arguments += ["--unset", f"CRAG_{setting.name.upper()}"]
    return arguments
