"""Models of the official kit's form: a dummy, one that retrieves, one that hangs or dies."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from evaluation.dataset import Example
from evaluation.model_process import ModelProcess
from evaluation.runner import Answerer

KIT = {
    "dummy": """
        class Model:
            def get_batch_size(self):
                return 4
            def batch_generate_answer(self, batch):
                print("what a model prints disturbs nobody")
                return ["i don't know" for _ in batch["query"]]
    """,
    "retrieval": """
        import re

        class Model:
            '''The sentence of the pages that shares most words with the question.'''
            def get_batch_size(self):
                return 2
            def batch_generate_answer(self, batch):
                return [self.one(*row) for row in zip(batch["query"], batch["search_results"])]
            def one(self, query, pages):
                text = " ".join(re.sub("<[^>]+>", " ", page["page_result"]) for page in pages)
                words = set(re.findall("[a-z]+", query.lower()))
                parts = re.split("[.]", text) or [""]
                return max(parts, key=lambda s: len(words & set(s.lower().split()))).strip()
    """,
    "faulty": """
        import os, time
        from subprocess import Popen
        from threading import Timer

        class Model:
            def get_batch_size(self):
                return 1
            def batch_generate_answer(self, batch):
                word = batch["query"][0]
                if word == "die":
                    os._exit(3)
                if word == "hang":
                    time.sleep(60)
                if word == "die later":
                    Timer(0.2, os._exit, (3,)).start()
                if word == "fork and die":
                    Popen(["sleep", "987.5"], close_fds=False)
                    os._exit(3)
                if word == "raise":
                    raise ValueError("no")
                return {"set"} if word == "set" else [word]
    """,
    "wrong": """
        class Raises:
            def __init__(self):
                raise ValueError("no weights")
        class Sizeless:
            def get_batch_size(self):
                return None
    """,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A kit whose package is called `models`, as ours is."""
    package = tmp_path / "models"
    package.mkdir()
    (package / "__init__.py").touch()
    for name, code in KIT.items():
        (package / f"{name}.py").write_text(dedent(code))
    return tmp_path


@pytest.fixture
def faulty(folder: Path) -> Iterator[ModelProcess]:
    model = ModelProcess(f"{folder}:models.faulty:Model", 1.0)
    yield model
    model.close()


def example(query: str, text: str = "") -> Example:
    return Example("1", query, "", ({"page_result": text},))


def test_the_dummy_model(folder: Path) -> None:
    model = ModelProcess(f"{folder}:models.dummy:Model", 30.0)
    assert model.get_batch_size() == 4
    answered = Answerer(model, str)([example("a"), example("b")])
    assert answered.predictions == ["i don't know"] * 2
    assert answered.failures == [(), ()]
    model.close()


def test_a_model_that_retrieves(folder: Path) -> None:
    model = ModelProcess(f"{folder}:models.retrieval:Model", 30.0)
    page = "<p>The sea is wide. The tower is 30 metres tall. Nobody asks.</p>"
    answered = Answerer(model, str)([example("how tall is the tower?", page)])
    assert answered.predictions == ["The tower is 30 metres tall"]
    model.close()


@pytest.mark.parametrize(
    ("query", "kind", "says"),
    [
        ("die", "RuntimeError", "status 3"),
        ("hang", "TimeoutError", "no reply within 1 s"),
        ("raise", "RuntimeError", "ValueError: no"),
        ("set", "RuntimeError", "not JSON serializable"),
    ],
)
def test_a_batch_that_fails_is_counted_and_the_next_is_answered(
    faulty: ModelProcess, query: str, kind: str, says: str
) -> None:
    answerer = Answerer(faulty, str)
    answered = answerer([example(query)])
    assert answered.predictions == ["i don't know"]
    [[failure]] = answered.failures
    assert failure["kind"] == kind
    assert says in failure["example"]
    assert answerer([example("fine")]).predictions == ["fine"]


@pytest.mark.parametrize("spec", ["Model", "module:", "/nowhere:module:Model", ""])
def test_another_form_is_refused(spec: str) -> None:
    with pytest.raises((ValueError, RuntimeError)):
        ModelProcess(spec, 1.0)


def test_a_module_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(RuntimeError, match="No module named 'models.absent'"):
        ModelProcess(f"{folder}:models.absent:Model", 1.0)


def children() -> str:
    found = subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True)
    return found.stdout


@pytest.mark.parametrize(("name", "says"), [("Raises", "no weights"), ("Sizeless", "None")])
def test_a_model_that_cannot_be_used_leaves_no_process(folder: Path, name: str, says: str) -> None:
    before = children()
    with pytest.raises(RuntimeError, match=says):
        ModelProcess(f"{folder}:models.wrong:{name}", 1.0)
    assert children() == before


@pytest.mark.clock
def test_a_process_that_ends_between_two_batches_is_started_again(faulty: ModelProcess) -> None:
    assert faulty.batch_generate_answer({"query": ["die later"]}) == ["die later"]
    time.sleep(1)
    with pytest.raises(RuntimeError, match="ended"):
        faulty.batch_generate_answer({"query": ["lost"]})
    assert faulty.batch_generate_answer({"query": ["again"]}) == ["again"]


@pytest.mark.clock
def test_what_a_model_started_ends_with_it(folder: Path) -> None:
    model = ModelProcess(f"{folder}:models.faulty:Model", 30.0)
    started = time.monotonic()
    with pytest.raises(RuntimeError, match="status 3"):
        model.batch_generate_answer({"query": ["fork and die"]})
    assert time.monotonic() - started < 10  # its child holds the pipe open
    assert not subprocess.run(["pgrep", "-f", "sleep 987.5"], capture_output=True).stdout
