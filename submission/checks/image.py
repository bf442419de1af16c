"""The image: its Python, its user, its requirements, no network."""

import re
from collections.abc import Iterator

from packaging.specifiers import SpecifierSet

from submission.image_files import IGNORE_FILE, left_out, read_patterns
from submission.requirements import EXTRA, FILE, declared, image_python, pins, project
from submission.tree import Tree

# What the Dockerfile must contain, and what it means.
_DOCKERFILE_LINES = {
    r"^FROM nvidia/cuda:\d+": "start FROM a CUDA image: the GPUs are used",
    r"--uid 1001\b.*\baicrowd\b": "make the user aicrowd with uid 1001: the evaluator runs as it",
    r"\bHF_HUB_OFFLINE=1\b": "set HF_HUB_OFFLINE=1: there is no hub at run time",
    r"-r requirements\.txt": "install requirements.txt",
    r"\bapt\.txt\b": "install apt.txt",
}

_IN_THE_IMAGE = ("requirements.txt", "apt.txt", "aicrowd.json", "models/user_config.py")
# A package as apt-get names it: "git", "libsndfile1=1.2-1", "g++:amd64".
# A minus after a name would remove the package, a plus (but for "++") install it.
_APT_PACKAGE = re.compile(
    r"[a-z0-9][a-z0-9+.-]*(?:[a-z0-9.]|\+\+)(?::[a-z0-9]+)?(?:=[A-Za-z0-9.+:~-]+)?"
)


def python(tree: Tree) -> Iterator[str]:
    """An image without one Python, or with one that pyproject.toml rules out."""
    version = image_python(tree.root)
    required = project(tree.root)["requires-python"]
    if f"{version}.0" not in SpecifierSet(required):
        yield f"the Dockerfile installs Python {version}, pyproject.toml requires {required}"


def dockerfile(tree: Tree) -> Iterator[str]:
    """An image that the evaluator cannot use."""
    text = re.sub(r"^\s*#.*$", "", tree.read("Dockerfile"), flags=re.MULTILINE)
    joined = text.replace("\\\n", " ")
    for pattern, meaning in _DOCKERFILE_LINES.items():
        if not re.search(pattern, joined, re.MULTILINE):
            yield f"the Dockerfile must {meaning}"
    users = re.findall(r"^USER\s+(\S+)", text, re.MULTILINE)
    last_user = users[-1] if users else "root"
    if last_user not in ("aicrowd", "1001"):
        yield f"the Dockerfile ends as the user {last_user}, not aicrowd"
    patterns = read_patterns(tree.read(IGNORE_FILE))
    for path in _IN_THE_IMAGE:
        if left_out(path, patterns):
            yield f"{IGNORE_FILE} leaves out {path}, which the image needs"
    if "models/weights" not in tree.read(IGNORE_FILE).splitlines():
        yield ".dockerignore must name models/weights: weights are mounted, not built in"


def apt(tree: Tree) -> Iterator[str]:
    """Lines of apt.txt that name no Debian package: the image hands them to apt-get as they are."""
    file = tree.root / "apt.txt"
    content = file.read_bytes() if file.is_file() else b""
    if b"\r" in content:
        yield "apt.txt has Windows line ends (CRLF): save it with LF"
    lines = content.decode(errors="replace").split("\n")
    for number, line in enumerate(lines, start=1):
        if line.strip() and not _APT_PACKAGE.fullmatch(line.strip()):
            yield f"apt.txt, line {number}: {line.strip()[:60]!r} is no package: one name a line"


def requirements(tree: Tree) -> Iterator[str]:
    """Lines that are not pinned, and dependencies of pyproject.toml that no pin satisfies."""
    versions: dict[str, str] = {}
    for name, version in pins(tree.root):
        if version is None:
            yield f"{FILE}: {name} is not pinned by =="
        elif name in versions:
            yield f"{FILE}: {name}=={versions[name]} and {name}=={version} exclude each other"
        versions[name] = version or ""
    remedy = "`crag submission requirements` writes it again"
    for name, specifier in declared(tree.root):
        if name not in versions:
            yield f"{FILE} lacks {name} of pyproject.toml: {remedy}"
        elif versions[name] and not specifier.contains(versions[name], prereleases=True):
            yield (
                f"{FILE} has {name}=={versions[name]}, pyproject.toml asks for {specifier}: "
                f"{remedy}"
            )


def engines(tree: Tree) -> Iterator[str]:
    """Engines of settings.toml whose packages requirements.txt lacks."""
    for name, llm in tree.settings.llms.items():
        if llm.kind == "llamacpp" and "xllamacpp" not in dict(pins(tree.root)):
            yield (
                f"llms.{name} = {llm.spec!r}, but {FILE} lacks xllamacpp: add "
                f"{project(tree.root)['name']}[llamacpp] to the extra {EXTRA!r} of pyproject.toml; "
                "then `crag submission requirements`"
            )
