"""The local run: the checkout's own model over the example questions, watched from outside."""

import json
import os
import signal
import subprocess
import sys
import tempfile
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
from submission.tree import Tree
from submission.trial import TOLD
from submission.watch import SITE

QUESTIONS = "example_data/questions.jsonl"
MANY_PAGES = "example_data/task3.jsonl"
MOST_PAGES = 50  # that track 3 gives
KG = "example_data/kg"
# vLLM asks for its own address by a connection to elsewhere, if it is not told of one.
VARIABLES = (
    "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1", "VLLM_NO_USAGE_STATS=1", "VLLM_HOST_IP=127.0.0.1",
)  # fmt: skip
_LAST_WORDS = 600


@dataclass(frozen=True, slots=True)
class Allowed:
    """How long the local run may take: the contest's seconds a question, and for loading."""

    seconds_per_question: float = 30.0
    load_s: float = 600.0
    questions: int = 64


def local_run(
    tree: Tree, allowed: Allowed, say: Callable[[str], None]
) -> Iterator[tuple[str, str]]:
    """What the model did that the evaluator would not take, as (check, sentence).

    Nothing of this process's environment that sets the model differently is passed on; the KG API
    is the mock over the example facts, for tracks that have one; it runs in a folder of its own, as
    the evaluator's may be any. `say` takes what is nothing wrong
    but to be known.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        network = folder / "network"
        (folder / "sitecustomize.py").write_text(SITE.format(file=str(network)), encoding="utf-8")
        variables = [*VARIABLES, f"PYTHONPATH={folder}:{tree.root}"]
        if tree.track.has_kg:
            variables.append(f"CRAG_MOCK_API_URL={stack.enter_context(serve(tree.root / KG))}")
        job, report, log = (folder / name for name in ("job.json", "report.json", "log"))
        given = _job(tree, allowed)
        job.write_text(json.dumps(given), encoding="utf-8")
        command = ["env", *_unset(), *variables, sys.executable, "-B", "-m", "submission.trial"]
        seconds = allowed.load_s + 2 * allowed.seconds_per_question * len(given["questions"])
        ended = _run([*command, str(job), str(report)], folder, log, seconds)
        if network.is_file():
            for host in dict.fromkeys(network.read_text(encoding="utf-8").splitlines()):
                yield "network", f"the model connects to {host}"
        if ended is None:
            yield "time", f"the local run did not end within {seconds:.0f} s"
            return
        if not report.is_file():
            words = log.read_text(errors="replace").strip()[-_LAST_WORDS:]
            yield "entry-point", f"the local run died ({ended}): {words}"
            return
        found: list[tuple[str, str]] = json.loads(report.read_text(encoding="utf-8"))
        for check, says in found:
            if check == TOLD:
                say(f"local run: {says}")
            else:
                yield check, says


def _run(command: list[str], folder: Path, log: Path, seconds: float) -> int | None:
    """The command's exit status, None where it took longer; nothing that it started is left."""
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


def _job(tree: Tree, allowed: Allowed) -> dict[str, Any]:
    """Example questions of every kind, in track 3 with as many pages as that gives."""
    rows = _rows(tree.root / QUESTIONS)
    rows = rows[:: max(1, len(rows) // allowed.questions)][: allowed.questions]
    if tree.track is Task.END_TO_END:
        for row, other in zip(rows, cycle(_rows(tree.root / MANY_PAGES)), strict=False):
            row["search_results"] = (row["search_results"] + other["search_results"])[:MOST_PAGES]
    return {"questions": rows, "seconds_per_question": allowed.seconds_per_question}


def _rows(file: Path) -> list[dict[str, Any]]:
    batch = to_batch(list(read_examples(file)))
    return [dict(zip(batch, row, strict=True)) for row in zip(*batch.values(), strict=True)]


def _unset() -> list[str]:
    """Arguments of `env` that drop every variable that sets something."""
    names = [f"CRAG_{entry.name.upper()}" for entry in fields(Settings)]
    return [part for name in (*names, "CRAG_MOCK_API_URL") for part in ("--unset", name)]
