"""Planted defects: each is reported under the name of its check alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from models.records import Task
from submission.__main__ import preflight
from submission.checks import CHECKS
from submission.checks.settings import challenge_of
from submission.tree import Tree
from tests.submission.scratch import EMBEDDER, HIDDEN, MODEL, RERANKER, Scratch, write_adapter
from tests.utils.test_model_files import pointer, safetensors

Plant = Callable[[Scratch], None]
WEB = challenge_of(Task.WEB)
PINS = "submission/weights/pins.json"
TRACK = Task.END_TO_END  # what aicrowd.json says as it stands


def failing_checks(scratch: Scratch, track: Task = TRACK, version: str = "v0.1") -> set[str]:
    return {finding.check for finding in preflight(Tree(scratch.root, track, version))}


def plain_file_in_history(scratch: Scratch) -> None:
    scratch.write("big.bin", bytes(11 << 20))
    scratch.commit()
    scratch.git("rm", "--quiet", "big.bin")


def settings(text: str) -> Plant:
    return lambda scratch: scratch.write("settings.toml", text)


def edit(name: str, old: str, new: str) -> Plant:
    return lambda scratch: scratch.edit(name, old, new)


def weights_of(model: str, content: bytes) -> Plant:
    return lambda scratch: scratch.write(f"{model}/model.safetensors", content)


def only_in_a_comment(scratch: Scratch) -> None:
    scratch.edit("Dockerfile", "    HF_HUB_OFFLINE=1 \\\n", "")
    scratch.edit("Dockerfile", "ENV DEBIAN", "# HF_HUB_OFFLINE=1\nENV DEBIAN")


def misfit(scratch: Scratch) -> None:
    write_adapter(scratch, HIDDEN // 2)
    scratch.pin()


def elsewhere(scratch: Scratch) -> None:
    """Weights in a folder of their own, which .gitattributes and .dockerignore do not name."""
    scratch.write("weights/embedder/config.json", "{}")
    scratch.edit("settings.toml", EMBEDDER, "weights/embedder")


def ignores(line: str, *names: str) -> Plant:
    """Files that are there, and that a line of .gitignore leaves out."""

    def plant(scratch: Scratch) -> None:
        for name in names:
            scratch.git("rm", "--quiet", "--cached", "--ignore-unmatch", name)
            if not (scratch.root / name).exists():
                scratch.write(name, "x = 1\n")
        scratch.write(".gitignore", (scratch.root / ".gitignore").read_text() + f"{line}\n")

    return plant


def marked(option: str) -> Plant:
    def plant(scratch: Scratch) -> None:
        scratch.git("update-index", option, "models/user_config.py")
        scratch.write("models/user_config.py", "from models.user_model import UserModel  # mine\n")

    return plant


def nested(name: str) -> Plant:
    """A repository in the repository."""

    def plant(scratch: Scratch) -> None:
        inner = Scratch(scratch.root / name)
        inner.write("model.py", "x = 1\n")
        inner.git("init", "--quiet")
        inner.commit()

    return plant


def link(name: str, target: str) -> Plant:
    def plant(scratch: Scratch) -> None:
        (scratch.root / name).unlink(missing_ok=True)
        (scratch.root / name).symlink_to(target)

    return plant


def tagged_on_the_remote(scratch: Scratch) -> None:
    remote = scratch.root.parent / "remote.git"
    scratch.git("init", "--quiet", "--bare", str(remote))
    scratch.git("remote", "add", "aicrowd", str(remote))
    scratch.git("tag", "submission-v0.1-track3")
    scratch.git("push", "--quiet", "aicrowd", "submission-v0.1-track3")
    scratch.git("tag", "--delete", "submission-v0.1-track3")


CALIBRATED = """
system = "dragonrangers"
[web]
reranker = "lexical"
[options]
calibration = "models/weights/none.json"
"""
# The check, the defect in words, and what plants it.
DEFECTS: list[tuple[str, str, Plant]] = [
    ("plain-files", "a large file, removed since", plain_file_in_history),
    ("aicrowd-json", "not JSON", lambda s: s.write("aicrowd.json", "{")),
    ("aicrowd-json", "JSON object", lambda s: s.write("aicrowd.json", "[]")),
    ("aicrowd-json", "byte order mark", lambda s: s.write("aicrowd.json", "\ufeff{}")),
    ("apt", "Windows line ends", lambda s: s.write("apt.txt", "git\r\nffmpeg\r\n")),
    ("apt", "'git; rm -rf /' is no package", lambda s: s.write("apt.txt", "git; rm -rf /\n")),
    ("apt", "'# tools' is no package", lambda s: s.write("apt.txt", "# tools\ngit\n")),
    ("apt", "'git ffmpeg' is no package", lambda s: s.write("apt.txt", "git ffmpeg\n")),
    ("apt", "'$(reboot)' is no package", lambda s: s.write("apt.txt", "git\n$(reboot)\n")),
    (
        "apt",
        "'--allow-unauthenticated' is no",
        lambda s: s.write("apt.txt", "--allow-unauthenticated"),
    ),
    ("aicrowd-json", "no authors", lambda s: s.edit_json("aicrowd.json", authors=None)),
    ("aicrowd-json", "no such challenge", lambda s: s.edit_json("aicrowd.json", challenge_id="x")),
    ("track", "another track's challenge", lambda s: s.edit_json("aicrowd.json", challenge_id=WEB)),
    ("track", "settings of another track", settings("task = 1")),
    ("settings", "a misspelt setting", settings("sytem = 'db3'")),
    ("settings", "a misspelt system", settings("system = 'db33'\n[web]\npreset = 'default'")),
    ("settings", "no such system", settings("system = 'db4'")),
    ("settings", "a path of one machine", settings("tokenizer = '/home/me/tokenizer.json'")),
    ("settings", "more time than there is", settings("seconds_per_question = 60")),
    ("settings", "no margin", settings("margin_s = 0")),
    ("network", "a server", settings("llm = 'openai:http://127.0.0.1:8000/v1#llama'")),
    ("network", "a KG API", settings("api_url = 'http://127.0.0.1:8000'")),
    ("weights-missing", "a tokenizer", settings("tokenizer = 'models/weights/none.json'")),
    ("weights-missing", "a calibration", settings(CALIBRATED)),
    ("python", "one that is too old", edit("Dockerfile", "python3.12", "python3.10")),
    ("python", "two of them", edit("Dockerfile", "python3.12 -m", "python3.13 -m")),
    ("dockerfile", "root", edit("Dockerfile", "USER aicrowd", "USER root")),
    ("dockerfile", "another uid", edit("Dockerfile", "--uid 1001", "--uid 1000")),
    ("dockerfile", "a hub but for a comment", only_in_a_comment),
    ("dockerfile", "weights built in", edit(".dockerignore", "models/weights", "# models/weights")),
    ("dockerfile", "no models", edit(".dockerignore", "docs\n", "docs\nmodels\n")),
    ("dockerfile", "no packages", edit(".dockerignore", "docs\n", "*.txt\n!apt.txt\n")),
    ("dockerfile", "only some", edit(".dockerignore", "docs\n", "**\n!models/llm/**\n")),
    ("requirements", "two versions", edit("requirements.txt", "rich==", "rich==1\nrich==")),
    ("requirements", "a range", edit("requirements.txt", "vllm==", "vllm>=")),
    ("requirements", "no requirement", edit("requirements.txt", "vllm==", "vllm=")),
    ("requirements", "a pin left out", edit("requirements.txt", "holidays==", "# holidays==")),
    ("requirements", "another version", edit("pyproject.toml", "vllm==", "vllm==1.")),
    ("engines", "llama.cpp", edit("settings.toml", "hf:", "llamacpp:")),
    ("track", "no GPU", lambda s: s.edit_json("aicrowd.json", gpu=False)),
    ("network", "a hub's name", edit("settings.toml", EMBEDDER, "BAAI/bge-base-en-v1.5")),
    ("settings", "a model elsewhere", elsewhere),
    ("settings", "a misspelt subtask", edit("settings.toml", "s.write_query]", "s.write_qeury]")),
    ("weights-missing", "a model", lambda s: (s.root / MODEL / "model.safetensors").unlink()),
    ("weights-pointer", "an LFS pointer", weights_of(RERANKER, pointer(bytes(9)))),
    ("weights-truncated", "a model", weights_of(MODEL, safetensors(w=(300,))[:-1])),
    ("weights-changed", "one byte", weights_of(EMBEDDER, safetensors(w=(100,))[:-1] + b"x")),
    ("weights-pinned", "no pin", lambda s: s.edit_json(PINS, **{"db3-write-query": None})),
    ("adapters", "one of another shape", misfit),
    ("ignored", "a module", ignores("my_*.py", "models/my_model.py")),
    ("ignored", "a module beside models", ignores("*_tools.py", "my_tools.py")),
    ("ignored", "a package", ignores("helpers/", "helpers/__init__.py", "helpers/a.py")),
    ("ignored", "a prompt", ignores("*.jinja", "models/prompts/mine.jinja")),
    ("ignored", "a utility", ignores("utils/own*", "utils/own.py")),
    ("ignored", "the settings", ignores("settings.toml", "settings.toml")),
    ("hidden-edits", "skip-worktree", marked("--skip-worktree")),
    ("hidden-edits", "assume-unchanged", marked("--assume-unchanged")),
    ("submodules", "a clone within", nested("models/other")),
    ("submodules", "a clone beside", nested("baseline")),
    ("links", "the entry point", link("models/user_config.py", "/opt/my_model.py")),
    ("links", "out of the tree", link("models/other.py", "../../other.py")),
    ("links", "to nothing", link("models/other.py", "absent.py")),
    ("secrets", "an environment", lambda s: s.write(".env", "CRAG_LLM_API_KEY=abc")),
    ("secrets", "another one", lambda s: s.write("models/.env.local", "KEY=abc")),
    ("secrets", "a key", lambda s: s.write("id_ed25519", "PRIVATE")),
    ("branch", "a detached HEAD", lambda s: s.git("checkout", "--quiet", "--detach")),
    ("tag", "one that the remote has", tagged_on_the_remote),
    ("tag", "one that is taken", lambda s: s.git("tag", "submission-v0.1-track3")),
]


@pytest.mark.parametrize(
    ("check", "plant"),
    [pytest.param(check, plant, id=f"{check}: {what}") for check, what, plant in DEFECTS],
)
def test_a_defect_is_reported_by_its_check_alone(
    weighty: Scratch, check: str, plant: Plant
) -> None:
    plant(weighty)
    weighty.commit()
    assert failing_checks(weighty) == {check}


def test_whole_weights_are_clean_even_if_committed_as_pointers(weighty: Scratch) -> None:
    assert failing_checks(weighty) == set()
    weighty.commit_pointer(f"{MODEL}/model.safetensors")
    assert failing_checks(weighty) == set()


def test_a_shallow_clone_is_reported(base: Scratch, tmp_path: Path) -> None:
    base.commit()
    base.git("clone", "--quiet", "--depth", "1", base.root.as_uri(), str(tmp_path / "clone"))
    assert failing_checks(Scratch(tmp_path / "clone")) == {"plain-files"}


def test_weights_that_differ_from_the_commit_are_reported(weighty: Scratch) -> None:
    weighty.write(f"{EMBEDDER}/model.safetensors", safetensors(w=(101,)))
    weighty.pin()
    weighty.git("commit", "--quiet", "--message", "the pins", PINS)
    assert failing_checks(weighty) == {"weights-commit"}


@pytest.mark.parametrize(
    "plant",
    [
        link("models/other.py", "user_model.py"),
        link("prompts", "models/prompts"),
        lambda s: s.write(".env.example", "CRAG_LLM_API_KEY="),
        lambda s: s.write("models/weights/new/config.json", "{}"),
        ignores("notes/", "notes/a.py"),
        ignores("*.log", "run.log"),
        lambda s: s.git("remote", "add", "aicrowd", "/nowhere.git"),
    ],
)
def test_what_the_commit_needs_not_is_no_defect(scratch: Scratch, plant: Plant) -> None:
    plant(scratch)
    scratch.commit()
    assert failing_checks(scratch) == set()


@pytest.mark.parametrize("name", ["README.md", "models/new.toml"])
def test_an_uncommitted_file_is_reported(scratch: Scratch, name: str) -> None:
    scratch.write(name, "new")
    assert failing_checks(scratch) == {"uncommitted"}


@pytest.mark.parametrize("version", ["0.1", "v", "v0.1 final", ""])
def test_a_version_that_makes_no_tag_is_reported(scratch: Scratch, version: str) -> None:
    assert failing_checks(scratch, version=version) == {"tag"}


def test_every_check_has_a_planted_defect() -> None:
    planted = {check for check, _, _ in DEFECTS}
    assert planted | {"uncommitted", "weights-commit"} == set(CHECKS)
