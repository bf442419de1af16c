"""Models of the official kit's form: one that answers, and some that raise, hang or die."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from evaluation.dataset import Example
from evaluation.model_process import KG_VARIABLES, OUR_PACKAGES, ModelFailed, ModelProcess
from evaluation.runner import Answerer
from local_evaluation import main
from models.settings import EXAMPLE_KG, ROOT
from tests.evaluation.run_files import rows_of

KIT = """
import os, time
import sys
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
        if word == "generator":
            return (word for _ in batch["query"])
        if word == "tuple":
            return (word,)
        if word == "array":
            import numpy
            return numpy.array([word])
        if word == "exit":
            sys.exit("no gpu")
        if word == "start and die later":
            Popen(["sleep", "987.5"])
            Timer(0.2, os._exit, (3,)).start()
        if word == "fork and die":  # the child holds the pipe of the replies
            os.fork() and os._exit(3)
            time.sleep(60)
        return {"set"} if word == "set" else [word]

class Once:
    def __init__(self):
        if os.path.exists("started"):
            raise RuntimeError("its server is gone")
        open("started", "w").close()
    def get_batch_size(self):
        return 1
    def batch_generate_answer(self, batch):
        os._exit(3)

class Sizeless:
    def get_batch_size(self):
        return None
"""

# Models that reach the KG as those of the official kit do: through a wrapper in `utils`, at the
# address in CRAG_MOCK_API_URL, or at that of the wrapper's own variable. Neither package has an
# __init__.py, and a model looks for its files in the working directory.
OFFICIAL = {
    "utils/cragapi_wrapper.py": """
import json, os
from urllib.request import Request, urlopen

class CRAG:
    def __init__(self, server=None):
        self.server = server or os.environ.get("CRAG_SERVER", "http://localhost:1")
    def movie_get_movie_info(self, movie_name):
        body = json.dumps({"query": movie_name}).encode()
        headers = {"Content-Type": "application/json"}
        url = self.server + "/movie/get_movie_info"
        return json.loads(urlopen(Request(url, body, headers)).read())
""",
    "models/rag_baseline.py": """
class RAGModel:
    def get_batch_size(self):
        return 8
    def batch_generate_answer(self, batch):
        pages = batch["search_results"]
        return [found[0]["page_result"] if found else "i don't know" for found in pages]
""",
    "models/kg_baseline.py": """
import os
from utils.cragapi_wrapper import CRAG
CRAG_MOCK_API_URL = os.getenv("CRAG_MOCK_API_URL", "http://localhost:1")

class KGModel:
    def __init__(self):
        if not os.path.exists("models/weights"):
            raise Exception("no weights here")
        self.apis = [CRAG(server=CRAG_MOCK_API_URL), CRAG()]
    def get_batch_size(self):
        return 8
    def batch_generate_answer(self, batch):
        batch["interaction_id"], batch["query_time"]
        answers = []
        for name in batch["query"]:
            movies = [api.movie_get_movie_info(name)["result"][0] for api in self.apis]
            answers.append(" ".join(movie["release_date"] for movie in movies))
        return answers
""",
    "models/weights": "",
}

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
        ("hang", "ModelTimeout", "no reply within 1 s"),
        ("set", "ModelFailed", "not JSON serializable"),
        ("exit", "ModelFailed", "SystemExit: no gpu"),
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


@pytest.mark.parametrize("kind", ["generator", "tuple", "array"])
def test_answers_in_an_order_are_a_list(start: Start, kind: str) -> None:
    assert Answerer(start("kit:Faulty"), str)([example(kind)]).predictions == [kind]


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


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """A repository of the official kit's form."""
    for name, text in OFFICIAL.items():
        file = tmp_path / "kit" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "kit"


def test_a_model_that_cannot_be_started_again_is_a_failure_of_the_setup(start: Start) -> None:
    answer = Answerer(start("kit:Once"), str)
    (died,), (gone,) = answer([example("a")]).failures, answer([example("b")]).failures
    assert "of_setup" not in died[0]
    assert gone[0]["kind"] == "ModelGone" and gone[0]["of_setup"] == "yes"
    assert gone[0]["example"] == (
        "it cannot be started again: models.kit:Once: RuntimeError: its server is gone"
    )


@pytest.mark.first_week
@pytest.mark.parametrize(
    "api", [["--mock-api", "example_data/kg"], ["--api-url", EXAMPLE_KG]], ids=["served", "on disk"]
)
def test_an_official_model_finds_the_kg_with_nothing_exported(
    api: list[str], kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in KG_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    dataset = tmp_path / "questions.jsonl"
    dataset.write_text('{"query": "titanic", "answer": "x"}\n')
    out = tmp_path / "run"
    argv = ["--model", f"{kit}:models.kg_baseline:KGModel", "--dataset", str(dataset), *api]
    assert main([*argv, "--out", str(out)]) == 0
    (row,) = rows_of(out / "predictions.jsonl")
    assert row["prediction"] == "1997-12-19 1997-12-19"


def test_an_official_model_is_found_beside_our_installed_packages(
    kit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # as an installed wheel has them
    with closing(ModelProcess(f"{kit}:models.rag_baseline:RAGModel", 30.0)) as model:
        assert Answerer(model, str)([example("a", "Ann")]).predictions == ["Ann"]


def test_every_package_of_ours_gives_way_to_a_models_own() -> None:
    ours = {file.parent.name for file in ROOT.glob("*/__init__.py")} - {"tests"}
    assert set(OUR_PACKAGES) == ours
