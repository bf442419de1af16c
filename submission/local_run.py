"""The local run: the checkout's own model over the example questions, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields
from itertools import cycle
from pathlib import Path
from typing import Any

from evaluation.dataset import read_examples, to_batch
from mock_api.process import serve
from models.records import Task
from models.settings import Settings
from submission.tree import Finding, Say, Tree
from submission.trial import NOTE

QUESTIONS = "example_data/questions.jsonl"
MANY_PAGES = "example_data/task3.jsonl"
MOST_PAGES = 50  # per question, on track 3
KG = "example_data/kg"
# Python reads this at the start of every process, those that an engine starts too.
SITE = "from submission.network_guard import guard_network\nguard_network({file!r})\n"
# VLLM_HOST_IP: otherwise vLLM finds its own address by connecting to another machine.
VARIABLES = (
    "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1", "VLLM_NO_USAGE_STATS=1", "VLLM_HOST_IP=127.0.0.1",
)  # fmt: skip
_LAST_WORDS = 600


@dataclass(frozen=True, slots=True)
class Allowed:
    """How long the local run may take: the contest's seconds per question, and for loading."""

    seconds_per_question: float = 30.0
    load_s: float = 600.0
    questions: int = 64


def local_run(tree: Tree, allowed: Allowed, say: Say) -> Iterator[Finding]:
    """What the evaluator would not accept of the model's run; `say` takes notes.

    No variable of this process that configures the model is passed on. On tracks with a KG, the KG
    API is the mock over the example facts. The working directory is a folder of its own, since the
    evaluator's may be any.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        network, job, report, log = (folder / name for name in ("network", "job", "report", "log"))
        (folder / "sitecustomize.py").write_text(SITE.format(file=str(network)), encoding="utf-8")
        variables = [*VARIABLES, f"PYTHONPATH={folder}:{tree.root}"]
        if tree.track.has_kg:
            variables.append(f"CRAG_MOCK_API_URL={stack.enter_context(serve(tree.root / KG))}")
        questions = example_questions(tree, allowed.questions)
        given = {"questions": questions, "seconds_per_question": allowed.seconds_per_question}
        job.write_text(json.dumps(given), encoding="utf-8")
        command = ["env", *_unset(), *variables, sys.executable, "-B", "-m", "submission.trial"]
        seconds = allowed.load_s + 2 * allowed.seconds_per_question * len(questions)
        status = _run([*command, str(job), str(report)], folder, log, seconds)
        if network.is_file():
            for host in dict.fromkeys(network.read_text(encoding="utf-8").splitlines()):
                yield Finding("network", f"the model connects to {host}")
        if status is None:
            yield Finding("time", f"the local run did not end within {seconds:.0f} s")
        elif not report.is_file():
            words = log.read_text(errors="replace").strip()[-_LAST_WORDS:]
            yield Finding("entry-point", f"the local run died ({status}): {words}")
        else:
            for check, says in json.loads(report.read_text(encoding="utf-8")):
                if check == NOTE:
                    say(f"local run: {says}")
                else:
                    yield Finding(check, says)


def _run(command: list[str], folder: Path, log: Path, seconds: float) -> int | None:
    """The command's exit status, None if it takes longer; all that it started is killed."""
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
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def example_questions(tree: Tree, most: int) -> list[dict[str, Any]]:
    """Example questions of every kind, on track 3 with as many pages as it gives."""
    rows = _rows(tree.root / QUESTIONS)
    rows = rows[:: max(1, len(rows) // most)][:most]
    if tree.track is Task.END_TO_END:
        for row, other in zip(rows, cycle(_rows(tree.root / MANY_PAGES)), strict=False):
            row["search_results"] = (row["search_results"] + other["search_results"])[:MOST_PAGES]
    return rows


def _rows(file: Path) -> list[dict[str, Any]]:
    batch = to_batch(list(read_examples(file)))
    return [dict(zip(batch, row, strict=True)) for row in zip(*batch.values(), strict=True)]


def _unset() -> list[str]:
    """Arguments of `env` that drop every variable of ours."""
    names = [f"CRAG_{entry.name.upper()}" for entry in fields(Settings)]
    return [part for name in (*names, "CRAG_MOCK_API_URL") for part in ("--unset", name)]
