"""The image: its Python, its user, its requirements, no network."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache

from packaging.requirements import InvalidRequirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from submission.requirements import FILE, declared, image_python, pins
from submission.tree import Tree
from utils.errors import SettingsError

# What the Dockerfile must contain, and what it means.
_LINES = {
    r"^FROM nvidia/cuda:\d+": "start FROM a CUDA image: the GPUs are used",
    r"--uid 1001\b.*\baicrowd\b": "make the user aicrowd with uid 1001: the evaluator runs as it",
    r"\bHF_HUB_OFFLINE=1\b": "set HF_HUB_OFFLINE=1: there is no hub at run time",
    r"-r requirements\.txt": "install requirements.txt",
    r"\bapt\.txt\b": "install apt.txt",
}


def python(tree: Tree) -> Iterator[str]:
    """An image without one Python, or whose Python cannot run our files."""
    try:
        version = image_python(tree.root)
        required = tomllib.loads(tree.read("pyproject.toml"))["project"]["requires-python"]
        if f"{version}.0" not in SpecifierSet(required):
            yield f"the Dockerfile installs Python {version}, pyproject.toml requires {required}"
    except SettingsError as error:
        yield str(error)
        return
    except (tomllib.TOMLDecodeError, KeyError, InvalidSpecifier) as error:
        yield f"pyproject.toml does not say requires-python: {error!r}"
    for file in tree.runtime_files():
        wrong = _syntax_error(file.read_text(encoding="utf-8"), int(version.partition(".")[2]))
        if wrong:
            yield f"{file.relative_to(tree.root)} cannot be read by Python {version}: {wrong}"


@lru_cache(maxsize=2048)
def _syntax_error(text: str, minor: int) -> str:
    """Why Python 3.`minor` cannot read `text`; empty if it can."""
    try:
        ast.parse(text, feature_version=(3, minor))
    except SyntaxError as error:
        return str(error)
    return ""


def dockerfile(tree: Tree) -> Iterator[str]:
    """An image that the evaluator cannot use."""
    text = re.sub(r"^\s*#.*$", "", tree.read("Dockerfile"), flags=re.MULTILINE)
    joined = text.replace("\\\n", " ")
    for pattern, meaning in _LINES.items():
        if not re.search(pattern, joined, re.MULTILINE):
            yield f"the Dockerfile must {meaning}"
    users = re.findall(r"^USER\s+(\S+)", text, re.MULTILINE)
    if not users or users[-1] not in ("aicrowd", "1001"):
        yield f"the Dockerfile ends as the user {users[-1] if users else 'root'}, not aicrowd"
    if "models/weights" not in tree.read(".dockerignore").splitlines():
        yield ".dockerignore must name models/weights: weights are mounted, not built in"


def requirements(tree: Tree) -> Iterator[str]:
    """Lines that are not pinned, and dependencies of pyproject.toml that no pin satisfies."""
    try:
        lines, wanted = list(pins(tree.root)), declared(tree.root)
    except (InvalidRequirement, SettingsError) as error:
        yield str(error)
        return
    found: dict[str, str] = {}
    for name, version in lines:
        if version is None:
            yield f"{FILE}: {name} is not pinned by =="
        elif name in found:
            yield f"{FILE}: {name}=={found[name]} and {name}=={version} exclude each other"
        found[name] = version or ""
    again = "`python -m submission requirements` writes it again"
    for name, specifier in wanted:
        if name not in found:
            yield f"{FILE} lacks {name} of pyproject.toml: {again}"
        elif found[name] and not specifier.contains(found[name], prereleases=True):
            yield f"{FILE} has {name}=={found[name]}, pyproject.toml asks for {specifier}: {again}"
