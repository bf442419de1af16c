"""Models of the official kit's form: one that answers, and some that raise, hang or die."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from evaluation.dataset import Example
from evaluation.model_process import ModelFailed, ModelProcess
from evaluation.runner import Answerer

KIT = """
import os, time
from subprocess import Popen
from threading import Timer

class Reader:
    def get_batch_size(self):
        return 4
    def batch_generate_answer(self, batch):
        print("what a model prints disturbs nobody")
        return [pages[0]["page_result"] for pages in batch["search_results"]]

class Faulty:
    def get_batch_size(self):
        return 1
    def batch_generate_answer(self, batch):
        word = batch["query"][0]
        if word == "hang":
            time.sleep(60)
        if word == "start and die later":
            Popen(["sleep", "987.5"])
            Timer(0.2, os._exit, (3,)).start()
        if word == "fork and die":  # the child holds the pipe of the replies
            os.fork() and os._exit(3)
            time.sleep(60)
        return {"set"} if word == "set" else [word]

class Sizeless:
    def get_batch_size(self):
        return None
"""

Start = Callable[..., ModelProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a model of a kit whose package is called `models`, as ours is."""
    package = tmp_path / "models"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "kit.py").write_text(KIT)
    with ExitStack() as stack:
        yield lambda name, seconds=30.0: stack.enter_context(
            closing(ModelProcess(f"{tmp_path}:models.{name}", seconds))
        )


def example(query: str, text: str = "") -> Example:
    return Example("1", query, "", ({"page_result": text},))


def test_a_model_answers_from_its_questions_and_pages(start: Start) -> None:
    model = start("kit:Reader")
    assert model.get_batch_size() == 4
    answered = Answerer(model, str)([example("a", "Ann"), example("b", "Bo")])
    assert answered.predictions == ["Ann", "Bo"]
    assert answered.failures == [(), ()]


@pytest.mark.parametrize(
    ("query", "kind", "says"),
    [
        ("fork and die", "ModelFailed", "ended with status 3"),
        ("hang", "TimeoutError", "no reply within 1 s"),
        ("set", "ModelFailed", "not JSON serializable"),
    ],
)
def test_a_batch_that_fails_is_counted_and_the_next_is_answered(
    start: Start, query: str, kind: str, says: str
) -> None:
    answerer = Answerer(start("kit:Faulty", 1.0), str)
    answered = answerer([example(query)])
    assert answered.predictions == ["i don't know"]
    [[failure]] = answered.failures
    assert failure["kind"] == kind
    assert says in failure["example"]
    assert answerer([example("fine")]).predictions == ["fine"]


RAISES = """
class Model:
    def get_batch_size(self):
        return 1
    def batch_generate_answer(self, batch):
        raise KeyError("no such page")
"""


def test_a_traceback_of_the_model_is_shown_once_and_ours_never(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(RAISES)
    with closing(ModelProcess(f"{file}:Model", 30.0)) as model:
        answerer = Answerer(model, str)
        failures = [answerer([example(query)]).failures for query in "ab"]
    assert [failure["example"] for [[failure]] in failures] == [
        "my_model:Model: KeyError: 'no such page'"
    ] * 2
    shown = capfd.readouterr().err
    assert shown.count("Traceback") == 1
    assert f'File "{file}"' in shown
    assert "Traceback" not in caplog.text


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no file .*gone\.py"):
        ModelProcess(f"{tmp_path}/gone.py:Model", 30.0)


@pytest.mark.parametrize(
    ("name", "says"),
    [("absent:Model", "No module named 'models.absent'"), ("kit:Sizeless", "None")],
)
def test_a_model_that_cannot_be_used_says_why(start: Start, name: str, says: str) -> None:
    with pytest.raises(ModelFailed, match=says):
        start(name).get_batch_size()


@pytest.mark.clock
def test_a_process_that_ends_between_batches_is_replaced_and_its_children_end(start: Start) -> None:
    model = start("kit:Faulty", 1.0)
    later = ["start and die later"]
    assert model.batch_generate_answer({"query": later}) == later
    time.sleep(1)
    with pytest.raises(ModelFailed, match="ended"):
        model.batch_generate_answer({"query": ["lost"]})
    assert not subprocess.run(["pgrep", "-f", "sleep 987.5"], capture_output=True).stdout
    assert model.batch_generate_answer({"query": ["again"]}) == ["again"]
