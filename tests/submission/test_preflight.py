"""Planted defects: each is found under its own name, and nothing else is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from models.kg.language.errors import QuerySyntaxError
from models.llm.errors import ContextTooLong
from models.records import Task
from submission.checks import CHECKS, RUN_CHECKS, weights
from submission.local_run import Allowed, _job, local_run
from submission.preflight import preflight
from submission.tracks import challenge_of
from submission.tree import Tree
from submission.trial import look_at, not_a_questions
from tests.submission.scratch import (
    ADAPTER,
    EMBEDDER,
    HIDDEN,
    MODEL,
    RERANKER,
    Scratch,
    give_adapter,
    pointer,
    safetensors,
)
from utils.errors import ApiRejected, DeadlineExceeded, InputError
from utils.weights import check
from utils.weights.check import sha256

Plant = Callable[[Scratch], None]
TRACK = Task.END_TO_END  # what aicrowd.json says as it stands


def found(scratch: Scratch, track: Task = TRACK, version: str = "v0.1") -> set[str]:
    return {entry.check for entry in preflight(Tree(scratch.root, track, version), run=False)}


def plain_file_in_history(scratch: Scratch) -> None:
    scratch.write("big.bin", bytes(11 << 20))
    scratch.commit()
    scratch.git("rm", "--quiet", "big.bin")


def settings(text: str) -> Plant:
    return lambda scratch: scratch.write("settings.toml", text)


def edit(name: str, old: str, new: str) -> Plant:
    return lambda scratch: scratch.edit(name, old, new)


def only_in_a_comment(scratch: Scratch) -> None:
    scratch.edit("Dockerfile", "    HF_HUB_OFFLINE=1 \\\n", "")
    scratch.edit("Dockerfile", "ENV DEBIAN", "# HF_HUB_OFFLINE=1\nENV DEBIAN")


def elsewhere(scratch: Scratch) -> None:
    """Weights in a folder of their own, which .gitattributes and .dockerignore do not name."""
    scratch.write("weights/embedder/config.json", "{}")
    scratch.edit("settings.toml", EMBEDDER, "weights/embedder")


CALIBRATED = """
system = "dragonrangers"
[web]
reranker = "lexical"
[options]
calibration = "models/weights/none.json"
"""
ON_A_BARE_TREE: list[tuple[str, str, Plant]] = [
    ("plain-files", "a large file, removed since", plain_file_in_history),
    ("aicrowd-json", "no JSON", lambda s: s.write("aicrowd.json", "{")),
    ("aicrowd-json", "no authors", lambda s: s.edit_json("aicrowd.json", authors=None)),
    ("aicrowd-json", "no such challenge", lambda s: s.edit_json("aicrowd.json", challenge_id="x")),
    (
        "track",
        "another track's challenge",
        lambda s: s.edit_json("aicrowd.json", challenge_id=challenge_of(Task.WEB)),
    ),
    ("track", "settings of another track", settings("task = 1")),
    ("settings", "a misspelt setting", settings("sytem = 'db3'")),
    ("settings", "no such system", settings("system = 'db4'")),
    ("settings", "a path of one machine", settings("tokenizer = '/home/me/tokenizer.json'")),
    ("settings", "more time than there is", settings("seconds_per_question = 60")),
    ("settings", "no margin", settings("margin_s = 0")),
    ("batch-size", "too large", settings("batch_size = 17")),
    ("batch-size", "none", settings("batch_size = 0")),
    ("network", "a server", settings("llm = 'openai:http://127.0.0.1:8000/v1#llama'")),
    ("network", "a KG API", settings("api_url = 'http://127.0.0.1:8000'")),
    ("network", "an embedder by name", settings("[web]\nembedder = 'some/embedder'")),
    ("weights-missing", "a tokenizer", settings("tokenizer = 'models/weights/none.json'")),
    ("weights-missing", "a confidence", settings("confidence = 'models/weights/none.json'")),
    ("weights-missing", "a calibration", settings(CALIBRATED)),
    ("python", "one that is too old", edit("Dockerfile", "python3.12", "python3.10")),
    ("python", "two of them", edit("Dockerfile", "python3.12 -m", "python3.13 -m")),
    ("python", "a file that is no Python", lambda s: s.write("models/new.py", "def (")),
    ("dockerfile", "root", edit("Dockerfile", "USER aicrowd", "USER root")),
    ("dockerfile", "another uid", edit("Dockerfile", "--uid 1001", "--uid 1000")),
    ("dockerfile", "a hub", edit("Dockerfile", "HF_HUB_OFFLINE=1", "HF_HUB_OFFLINE=0")),
    ("dockerfile", "a hub but for a comment", only_in_a_comment),
    ("dockerfile", "weights built in", edit(".dockerignore", "models/weights", "# models/weights")),
    ("requirements", "two versions", edit("requirements.txt", "lark==", "lark==1.1.9\nlark==")),
    ("requirements", "a range", edit("requirements.txt", "vllm==", "vllm>=")),
    ("requirements", "no requirement", edit("requirements.txt", "vllm==", "vllm=")),
]  # fmt: skip
ON_A_TREE_WITH_WEIGHTS: list[tuple[str, str, Plant]] = [
    ("track", "no GPU", lambda s: s.edit_json("aicrowd.json", gpu=False)),
    ("network", "a hub's name", edit("settings.toml", EMBEDDER, "BAAI/bge-base-en-v1.5")),
    ("settings", "a model elsewhere", elsewhere),
    ("settings", "a misspelt subtask", edit("settings.toml", "s.write_query]", "s.write_qeury]")),
    (
        "weights-missing",
        "a model",
        lambda s: (s.root / MODEL / "model.safetensors").unlink(),
    ),
    (
        "weights-pointer",
        "an LFS pointer",
        lambda s: s.write(f"{RERANKER}/model.safetensors", pointer(bytes(9))),
    ),
    (
        "weights-truncated",
        "a model",
        lambda s: s.write(f"{MODEL}/model.safetensors", safetensors({"w": [300]})[:-1]),
    ),
    (
        "weights-changed",
        "one byte",
        lambda s: s.write(f"{EMBEDDER}/model.safetensors", safetensors({"w": [100]})[:-1] + b"x"),
    ),
    (
        "weights-pinned",
        "no revision",
        edit("utils/weights/table.toml", 'revision = "0123456789abcdef', 'revision = "" # "'),
    ),
]


@pytest.mark.parametrize(
    ("name", "plant"),
    [pytest.param(name, plant, id=f"{name}: {what}") for name, what, plant in ON_A_BARE_TREE],
)
def test_a_defect_is_found_by_its_name(scratch: Scratch, name: str, plant: Plant) -> None:
    plant(scratch)
    scratch.commit()
    assert found(scratch) == {name}


@pytest.mark.parametrize(
    ("name", "plant"),
    [pytest.param(n, plant, id=f"{n}: {what}") for n, what, plant in ON_A_TREE_WITH_WEIGHTS],
)
def test_a_defect_of_weights_is_found_by_its_name(
    weighty: Scratch, name: str, plant: Plant
) -> None:
    plant(weighty)
    weighty.commit()
    assert found(weighty) == {name}


def test_a_tree_with_whole_weights_is_clean(weighty: Scratch) -> None:
    assert found(weighty) == set()


def test_weights_may_be_committed_as_pointers(weighty: Scratch) -> None:
    weighty.point(f"{MODEL}/model.safetensors")
    assert found(weighty) == set()


def test_what_a_download_leaves_beside_them_need_not_be_committed(weighty: Scratch) -> None:
    weighty.write(f"{MODEL}/.cache/huggingface/download/config.json.metadata", "x")
    assert found(weighty) == set()


def test_each_file_of_weights_is_read_once(
    weighty: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def counting(file: Path) -> str:
        read.append(file)
        return sha256(file)

    monkeypatch.setattr(check, "sha256", counting)
    monkeypatch.setattr(weights, "sha256", counting)
    assert found(weighty) == set()
    assert len(read) == len(set(read)) > 5


def test_a_shallow_clone_is_found(base: Scratch, tmp_path: Path) -> None:
    base.commit()
    base.git("clone", "--quiet", "--depth", "1", base.root.as_uri(), str(tmp_path / "clone"))
    assert found(Scratch(tmp_path / "clone")) == {"plain-files"}


def test_weights_that_are_not_those_of_the_commit_are_found(weighty: Scratch) -> None:
    weighty.write(f"{EMBEDDER}/model.safetensors", safetensors({"w": [101]}))
    weighty.pin()
    weighty.git("commit", "--quiet", "--message", "the table", "utils/weights/table.toml")
    assert found(weighty) == {"weights-commit"}


def test_an_adapter_that_does_not_fit_is_found(weighty: Scratch) -> None:
    give_adapter(weighty, HIDDEN // 2)
    weighty.pin()
    weighty.commit()
    assert found(weighty) == {"adapters"}


def test_a_truncated_adapter_is_found_before_it_is_pinned(weighty: Scratch) -> None:
    file = weighty.root / ADAPTER / "adapter_model.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    text = (weighty.root / "utils/weights/table.toml").read_text()
    head, _, tail = text.partition("[models.db3-write-query]")
    files = tail[tail.index("files = [") : tail.index("]\n") + 2]
    weighty.write("utils/weights/table.toml", f"{head}[models.db3-write-query]"
                  + tail.replace(files, "files = []\n", 1))  # fmt: skip
    weighty.commit()
    assert found(weighty) == {"weights-truncated", "weights-pinned"}


@pytest.mark.parametrize("name", ["README.md", "models/new.toml"])
def test_what_is_not_committed_is_found(scratch: Scratch, name: str) -> None:
    scratch.write(name, "new")
    assert found(scratch) == {"uncommitted"}


@pytest.mark.parametrize("version", ["0.1", "v", "v0.1 final", ""])
def test_a_version_that_makes_no_tag_is_found(scratch: Scratch, version: str) -> None:
    assert found(scratch, version=version) == {"tag"}


def test_a_tag_that_is_taken_is_found(scratch: Scratch) -> None:
    scratch.git("tag", "submission-v0.1-track3")
    assert found(scratch) == {"tag"}
    assert found(scratch, version="v0.2") == set()


MODEL_FILE = """
class UserModel:
    def __init__(self):
        {init}
    def get_batch_size(self):
        return {size}
    def batch_generate_answer(self, batch):
        {work}
        return {answers}
"""
PLAIN = {"init": "pass", "size": 16, "work": "pass", "answers": "['a'] * len(batch['query'])"}
CONNECTS = """
        import contextlib, socket
        with contextlib.suppress(OSError):
            socket.create_connection(('192.0.2.1', 80), 1)"""
ASKS = CONNECTS.replace("create_connection(('192.0.2.1', 80), 1)", "getaddrinfo('example.com', 80)")
DIES = "from collections import Counter; self.failures = Counter(OutOfMemoryError=16)"
LATE = "self.given_up = {}"
GIVES_UP = "late = bool(self.given_up); self.given_up['round'] = self.given_up.get('round', 0) + 16"
UNKNOWN_LATE = "['a' if not late else \"i don't know\"] * len(batch['query'])"
CHILD = """
        import subprocess, sys
        subprocess.run([sys.executable, '-c', "import socket; socket.gethostbyname('example.com')"])
"""
ON_THE_RUN: list[tuple[str, str, dict[str, object]]] = [
    ("entry-point", "raises when built", {"init": "raise ValueError('no weights')"}),
    ("entry-point", "raises when asked", {"work": "raise ValueError('no answer')"}),
    ("entry-point", "ends the process", {"work": "import os; os._exit(3)"}),
    ("batch-size", "too large", {"size": 17}),
    ("batch-size", "no number", {"size": "'16'"}),
    ("answer-count", "one too few", {"answers": "['a']"}),
    ("answer-count", "a text", {"answers": "'a' * len(batch['query'])"}),
    ("answer-text", "nothing", {"answers": "[None] * len(batch['query'])"}),
    ("answer-tokens", "too many", {"answers": "['word ' * 76] * len(batch['query'])"}),
    ("time", "too slow", {"work": "import time; time.sleep(0.5)"}),
    ("time", "never ends", {"work": "import time; time.sleep(60)"}),
    ("failures", "an engine that dies", {"init": DIES}),
    ("failures", "knows nothing", {"answers": "[\"i don't know\"] * len(batch['query'])"}),
    ("failures", "a batch without time", {"init": LATE, "work": GIVES_UP, "answers": UNKNOWN_LATE}),
    ("network", "connects", {"work": CONNECTS}),
    ("network", "asks for a name", {"work": ASKS}),
    ("network", "a process that it starts", {"work": CHILD}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changed"),
    [pytest.param(name, changed, id=f"{name}: {what}") for name, what, changed in ON_THE_RUN],
)
def test_a_defect_of_the_run_is_found_by_its_name(
    scratch: Scratch, name: str, changed: dict[str, object]
) -> None:
    scratch.edit_json("aicrowd.json", challenge_id=challenge_of(Task.WEB))
    scratch.write("models/user_config.py", MODEL_FILE.format(**PLAIN | changed))
    scratch.commit()
    hangs = "sleep(60)" in str(changed)
    per_question = 0.02 if name == "time" else 30.0
    allowed = Allowed(per_question, load_s=3.0 if hangs else 600.0, questions=32)
    tree = Tree(scratch.root, Task.WEB, "v0.1")
    assert {entry.check for entry in preflight(tree, allowed)} == {name}


def test_a_system_without_its_engine_is_found(scratch: Scratch) -> None:
    scratch.write("settings.toml", "system = 'db3'\n[web]\npreset = 'default'\n")
    scratch.commit()
    said = {entry.check: entry.says for entry in preflight(Tree(scratch.root, TRACK, "v0.1"))}
    assert said.keys() == {"entry-point"}
    assert "needs an LLM called 'default'" in said["entry-point"]


def test_nothing_that_the_model_started_outlives_a_run(scratch: Scratch, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    starts = f"""
        import pathlib, subprocess, time
        child = subprocess.Popen(['sleep', '60'])
        pathlib.Path({str(file)!r}).write_text(str(child.pid))
        time.sleep(60)"""
    scratch.write("models/user_config.py", MODEL_FILE.format(**PLAIN | {"init": starts}))
    ran = local_run(Tree(scratch.root, Task.WEB, "v0.1"), Allowed(0.02, 8.0), lambda _: None)
    assert [name for name, _ in ran] == ["time"]
    status = Path(f"/proc/{file.read_text()}/stat")
    assert not status.exists() or status.read_text().split()[2] == "Z"


def test_a_questions_own_failures_are_no_findings() -> None:
    own = (QuerySyntaxError, ApiRejected, InputError)
    errors = {kind.__name__: 1 for kind in own}
    assert not_a_questions(errors) == {}
    others = {kind.__name__: 1 for kind in (ContextTooLong, DeadlineExceeded, RuntimeError)}
    assert not_a_questions(errors | others) == others


def test_track_3_is_tried_in_whole_batches_of_many_pages(scratch: Scratch) -> None:
    job = _job(Tree(scratch.root, Task.END_TO_END, "v0.1"), Allowed(questions=32))
    pages = [len(question["search_results"]) for question in job["questions"]]
    assert len(pages) == 32
    assert min(pages) >= 30 and max(pages) == 50


def test_answers_are_counted_as_the_evaluator_may_count_them() -> None:
    """Digits are a token each in Llama 2's tokenizer and one for three in Llama 3's."""
    found: list[str] = []
    look_at(["1234567890" * 8], 1, lambda check, _: found.append(check))
    assert found == ["answer-tokens"]


def test_a_model_that_cannot_be_imported_is_found(scratch: Scratch) -> None:
    scratch.edit_json("aicrowd.json", challenge_id=challenge_of(Task.WEB))
    scratch.write("models/user_config.py", "from models.nowhere import UserModel\n")
    scratch.commit()
    tree = Tree(scratch.root, Task.WEB, "v0.1")
    assert {entry.check for entry in preflight(tree)} == {"entry-point"}


def test_every_check_has_a_planted_defect() -> None:
    planted = {name for name, _, _ in (*ON_A_BARE_TREE, *ON_A_TREE_WITH_WEIGHTS)}
    planted |= {"uncommitted", "tag", "weights-commit", "adapters"}  # tests of their own, above
    assert planted == set(CHECKS)
    assert {name for name, _, _ in ON_THE_RUN} >= set(RUN_CHECKS)
