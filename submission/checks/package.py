"""The image: its Python, its user, its silence towards the network."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from submission.tree import Tree

UID = 1001
_PYTHON = re.compile(r"\bpython(3\.\d+)")
# What the Dockerfile must say, and why.
_LINES = {
    r"^FROM nvidia/cuda:\d+": "FROM a CUDA image: the GPUs are used",
    r"--uid 1001\b.*\baicrowd\b": f"make the user aicrowd with uid {UID}: the evaluator runs as it",
    r"\bHF_HUB_OFFLINE=1\b": "set HF_HUB_OFFLINE=1: nothing may be looked for on a hub",
    r"-r requirements\.txt": "install requirements.txt",
    r"\bapt\.txt\b": "install apt.txt",
}


def python(tree: Tree) -> Iterator[str]:
    """Whether the image's Python is one, is allowed by pyproject.toml, and can read our files."""
    versions = sorted(set(_PYTHON.findall(_without_comments(tree.read("Dockerfile")))))
    if len(versions) != 1:
        named = ", ".join(versions) or "none"
        yield f"the Dockerfile must name one Python (python3.N), it names {named}"
        return
    version = versions[0]
    try:
        required = tomllib.loads(tree.read("pyproject.toml"))["project"]["requires-python"]
        if f"{version}.0" not in SpecifierSet(required):
            yield f"the Dockerfile installs Python {version}, pyproject.toml requires {required}"
    except (tomllib.TOMLDecodeError, KeyError, InvalidSpecifier) as error:
        yield f"pyproject.toml does not say requires-python: {error!r}"
    minor = int(version.partition(".")[2])
    for file in tree.runtime_files():
        wrong = _misread(file.read_text(encoding="utf-8"), minor)
        if wrong:
            yield f"{file.relative_to(tree.root)} cannot be read by Python {version}: {wrong}"


def _without_comments(text: str) -> str:
    return re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)


@lru_cache(maxsize=2048)
def _misread(text: str, minor: int) -> str:
    """Why Python 3.`minor` cannot read `text`; empty where it can."""
    try:
        ast.parse(text, feature_version=(3, minor))
    except SyntaxError as error:
        return str(error)
    return ""


def dockerfile(tree: Tree) -> Iterator[str]:
    """Whether it makes the image that the evaluator expects."""
    text = _without_comments(tree.read("Dockerfile"))
    joined = text.replace("\\\n", " ")
    for pattern, why in _LINES.items():
        if not re.search(pattern, joined, re.MULTILINE):
            yield f"the Dockerfile must {why}"
    users = re.findall(r"^USER\s+(\S+)", text, re.MULTILINE)
    if not users or users[-1] not in ("aicrowd", str(UID)):
        yield f"the Dockerfile ends as the user {users[-1] if users else 'root'}, not aicrowd"
    ignored = tree.read(".dockerignore").splitlines()
    if "models/weights" not in ignored:
        yield ".dockerignore must name models/weights: weights are mounted, not built in"
