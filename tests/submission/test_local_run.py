"""The local run reports what the evaluator would not accept, under the name of its check."""

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from models.kg.language.errors import QuerySyntaxError
from models.llm.errors import ContextTooLong
from models.records import Task
from models.runtime.case import Failure
from submission.__main__ import preflight
from submission.checks.settings import challenge_of
from submission.local_run import RunLimits, example_questions, local_run
from submission.tree import Tree
from submission.trial import failures_of_submission
from tests.submission.scratch import ROOT, RUN_CHECKS, Scratch, write_model
from utils.errors import ApiRejected, DeadlineExceeded, InputError

CONNECTS = """
        import contextlib, socket
        with contextlib.suppress(OSError):
            socket.create_connection(('192.0.2.1', 80), 1)"""
LOOKS_UP = CONNECTS.replace(
    "create_connection(('192.0.2.1', 80), 1)", "getaddrinfo('example.com', 80)"
)
FAILS_IN_THE_ENGINE = """
        from types import SimpleNamespace
        self.last_failures = [[SimpleNamespace(error=MemoryError("no room"))]]"""
# The second batch has no time left: its round is omitted, and nothing is answered.
NOTHING_OMITTED = "self.given_up = {}"
OMITS_A_ROUND = """
        second = bool(self.given_up)
        self.given_up['round'] = self.given_up.get('round', 0) + 16"""
UNKNOWN_IN_THE_SECOND = "[\"i don't know\" if second else 'a'] * len(batch['query'])"
CHILD_CONNECTS = """
        import subprocess, sys
        subprocess.run([sys.executable, '-c', "import socket; socket.gethostbyname('example.com')"])
"""
# The check, the defect in words, and the parts of the model's code that have it.
RUN_DEFECTS: list[tuple[str, str, dict[str, object]]] = [
    ("entry-point", "raises when built", {"init": "raise ValueError('no weights')"}),
    ("entry-point", "raises when asked", {"work": "raise ValueError('no answer')"}),
    ("entry-point", "ends the process", {"work": "import os; os._exit(3)"}),
    ("entry-point", "imports what is not there", {"work": "import models.not_there"}),
    ("batch-size", "too large", {"size": 17}),
    ("answer-count", "one too few", {"answers": "['a']"}),
    ("answer-text", "nothing", {"answers": "[None] * len(batch['query'])"}),
    ("answer-tokens", "too many", {"answers": "['word ' * 76] * len(batch['query'])"}),
    ("time", "too slow", {"work": "import time; time.sleep(0.5)"}),
    ("time", "hangs", {"work": "import time; time.sleep(600)"}),
    ("requirements", "a package without a pin", {"work": "import pytest"}),
    ("requirements", "one that is not reached", {"work": "if not batch:\n            import mypy"}),
    ("failures", "an engine that dies", {"init": FAILS_IN_THE_ENGINE}),
    ("failures", "knows nothing", {"answers": "[\"i don't know\"] * len(batch['query'])"}),
    (
        "failures",
        "a batch without time",
        {"init": NOTHING_OMITTED, "work": OMITS_A_ROUND, "answers": UNKNOWN_IN_THE_SECOND},
    ),
    ("network", "connects", {"work": CONNECTS}),
    ("network", "asks for a name", {"work": LOOKS_UP}),
    ("network", "a process that it starts", {"work": CHILD_CONNECTS}),
]


@pytest.mark.parametrize(
    ("check", "parts"),
    [pytest.param(check, parts, id=f"{check}: {what}") for check, what, parts in RUN_DEFECTS],
)
def test_a_defect_of_the_run_is_reported_by_its_check(
    scratch: Scratch, check: str, parts: dict[str, object]
) -> None:
    scratch.edit_json("aicrowd.json", challenge_id=challenge_of(Task.WEB))
    write_model(scratch, **parts)
    scratch.commit()
    limits = RunLimits(0.02 if check == "time" else 30.0, questions=32)
    tree = Tree(scratch.root, Task.WEB, "v0.1")
    assert {finding.check for finding in preflight(tree, limits)} == {check}


@pytest.mark.clock
def test_nothing_that_the_model_started_outlives_a_run(scratch: Scratch, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    start_child = f"""
        import pathlib, subprocess, time
        child = subprocess.Popen(['sleep', '60'])
        pathlib.Path({str(pid_file)!r}).write_text(str(child.pid))
        time.sleep(60)"""
    write_model(scratch, init=start_child)
    scratch.commit()
    tree = Tree(scratch.root, Task.WEB, "v0.1")
    findings = local_run(tree, RunLimits(0.02, 8.0), lambda _: None)
    assert [finding.check for finding in findings] == ["time"]
    status = Path(f"/proc/{pid_file.read_text()}/stat")
    for _ in range(100):  # a signal needs a moment to arrive
        if not status.exists() or status.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("the process still runs")


def problems_of(scratch: Scratch) -> list[tuple[str, str]]:
    """What the checks and the local run find."""
    scratch.edit_json("aicrowd.json", challenge_id=challenge_of(Task.WEB))
    scratch.commit()
    tree = Tree(scratch.root, Task.WEB, "v0.1")
    return [(each.check, each.says) for each in preflight(tree, RunLimits(questions=16))]


@pytest.mark.parametrize(
    ("work", "name"),
    [
        ("open({root!r} + '/docs/notes.txt').read()", "docs/notes.txt"),
        ("open({root!r} + '/build/data.txt').read()", "build/data.txt"),
        ("__import__('pathlib').Path({root!r}, 'LICENSE').read_text()", "LICENSE"),
    ],
)
def test_a_model_that_reads_the_checkout_is_reported(
    scratch: Scratch, work: str, name: str
) -> None:
    scratch.write("docs/notes.txt", "a")
    scratch.write("build/data.txt", "a")  # which git ignores
    write_model(scratch, work=work.format(root=str(scratch.root)))
    problems = problems_of(scratch)
    assert {check for check, _ in problems} == {"entry-point"}
    assert any(f"opens {name} of the checkout" in says for _, says in problems)
    assert any("(models/user_config.py, line " in says for _, says in problems)


@pytest.mark.parametrize(
    "ignore",
    ["models/own.py", "/models/own.py", "**/own.py", "mod*/o?n.*", "models/o*\n!models/other.py"],
)
def test_a_module_that_dockerignore_leaves_out_is_missed(scratch: Scratch, ignore: str) -> None:
    scratch.write("models/own.py", "x = 1\n")
    write_model(scratch, init="import models.own")
    scratch.write(".dockerignore", (scratch.root / ".dockerignore").read_text() + f"{ignore}\n")
    [(check, says)] = problems_of(scratch)
    assert check == "entry-point"
    assert "No module named 'models.own'" in says


def test_a_model_may_open_its_files_from_the_repositorys_folder(scratch: Scratch) -> None:
    scratch.write("models/facts.json", "{}")
    write_model(scratch, init="open('models/facts.json').read()")
    assert problems_of(scratch) == []


def test_a_file_that_is_not_there_is_named(scratch: Scratch) -> None:
    write_model(scratch, init="open('models/facts.json').read()")
    [(check, says)] = problems_of(scratch)
    assert check == "entry-point"
    assert "'models/facts.json' (models/user_config.py, line " in says


def test_a_file_outside_of_the_repository_is_noted(scratch: Scratch, tmp_path: Path) -> None:
    file = tmp_path / "facts.json"
    file.write_text("{}")
    os.utime(file, (0, 0))
    write_model(scratch, init=f"open({str(file)!r}).read()")
    scratch.edit_json("aicrowd.json", challenge_id=challenge_of(Task.WEB))
    scratch.commit()
    lines: list[str] = []
    tree = Tree(scratch.root, Task.WEB, "v0.1")
    assert preflight(tree, RunLimits(questions=16), lines.append) == []
    notes = [line for line in lines if "outside the repository" in line]
    assert notes == [f"local run: note: the model opens {file}, which is outside the repository"]


def test_a_guarded_import_needs_no_pin(scratch: Scratch) -> None:
    guarded = """
        try:
            import pytest
        except ImportError:
            pytest = None"""
    write_model(scratch, init=guarded)
    assert problems_of(scratch) == []


def test_a_questions_own_failures_are_no_findings() -> None:
    of_question = [QuerySyntaxError("", 0, ""), ApiRejected(), InputError()]
    of_submission = [ContextTooLong(9, 8), DeadlineExceeded(), RuntimeError()]
    failures = [[Failure(error)] for error in (*of_question, *of_submission)]
    model = SimpleNamespace(last_failures=failures)
    assert list(failures_of_submission(model)) == of_submission


def test_track_3_is_tried_in_whole_batches_of_many_pages() -> None:
    questions = example_questions(Tree(ROOT, Task.END_TO_END, "v0.1"), 32)
    pages = [len(question["search_results"]) for question in questions]
    assert len(pages) == 32 and min(pages) >= 30 and max(pages) == 50


def test_every_check_of_the_run_has_a_planted_defect() -> None:
    assert RUN_CHECKS
    assert {check for check, _, _ in RUN_DEFECTS} >= RUN_CHECKS
