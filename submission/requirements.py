"""requirements.txt: what pip resolves of pyproject.toml's dependencies for the image's Python."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from utils.errors import SettingsError

FILE = "requirements.txt"
EXTRA = "engines"  # what a submission installs beside the project's own dependencies
HEAD = """# Python {version} on Linux x86-64: every package of a submission, as pip resolved it.
# Made by `python -m submission requirements` from pyproject.toml, which gives the reasons.
"""
GLIBC_MINOR = 39  # Ubuntu 24.04; wheels for older ones run too
# How pip says that it cannot reach the registry, and that versions exclude each other.
_SIGNS = (
    ("connection broken by", "Could not fetch URL", "Max retries exceeded",
     "Temporary failure in name resolution", "Network is unreachable", "Read timed out"),
    ("ResolutionImpossible", "No matching distribution found"),
)  # fmt: skip
_LAST_WORDS = 1500


def image_python(root: Path) -> str:
    """The version of Python that the Dockerfile installs. Raises SettingsError."""
    file = root / "Dockerfile"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    code = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    versions: list[str] = sorted(set(re.findall(r"\bpython(3\.\d+)", code)))
    if len(versions) != 1:
        named = ", ".join(versions) or "none"
        raise SettingsError(f"the Dockerfile must name one Python (python3.N), it names {named}")
    return versions[0]


def project(root: Path) -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    content = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(content["project"])


def declared(root: Path, extra: str = EXTRA) -> list[tuple[str, SpecifierSet]]:
    """The dependencies in pyproject.toml, those of `extra` included."""
    content = project(root)
    found = map(Requirement, [*content["dependencies"], *_expanded(content, extra)])
    return [(canonicalize_name(found.name), found.specifier) for found in found]


def _expanded(project: dict[str, Any], extra: str) -> Iterator[str]:
    """The lines of an extra, with those of the project's other extras that it names."""
    for line in project["optional-dependencies"][extra]:
        requirement = Requirement(line)
        if requirement.name == project["name"]:
            for other in requirement.extras:
                yield from _expanded(project, other)
        else:
            yield line


def pins(root: Path) -> Iterator[tuple[str, str | None]]:
    """Name and version of each line of requirements.txt; None if it is not pinned."""
    for line in (root / FILE).read_text(encoding="utf-8").splitlines():
        if text := line.partition("#")[0].strip():
            requirement = Requirement(text)
            exact = re.fullmatch(r"==([^*,]+)", str(requirement.specifier))
            yield canonicalize_name(requirement.name), exact[1] if exact else None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What pip found: versions to install, or a conflict; neither if it could not tell."""

    says: str
    versions: dict[str, str] = field(default_factory=dict)
    conflict: bool = False


def resolve(root: Path, arguments: Sequence[str], timeout_s: float) -> Resolution:
    """What `pip install ARGUMENTS` would install in the image; nothing is installed.

    If the image's Python is on this machine, its own pip answers. Otherwise this one's is told of
    the target, and reads markers such as `python_version` by its own Python.
    """
    version = image_python(root)
    # A CPU build of torch that pip's own configuration knows would answer for the CUDA one.
    clean = ["env", "--unset", "PIP_FIND_LINKS", "--unset", "PIP_EXTRA_INDEX_URL", *_configured()]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [*clean, *_pip(version), "--quiet", "--report", str(report), *arguments]
        try:
            done = subprocess.run(
                command, cwd=root, capture_output=True, text=True, timeout=timeout_s, check=False
            )
        except subprocess.TimeoutExpired:
            return Resolution(f"pip did not finish within {timeout_s:.0f} s")
        if done.returncode == 0:
            rows = [row["metadata"] for row in json.loads(report.read_bytes())["install"]]
            versions = {str(canonicalize_name(row["name"])): row["version"] for row in rows}
            return Resolution(f"resolved for Python {version} on Linux x86-64", versions)
    unreachable, conflict = (any(sign in done.stderr for sign in signs) for signs in _SIGNS)
    return Resolution(done.stderr.strip()[-_LAST_WORDS:], conflict=conflict and not unreachable)


def write_requirements(root: Path, *, upgrade: bool, timeout_s: float) -> int:
    """Write requirements.txt and return the number of its lines.

    Without `upgrade`, today's pins stay where they are still allowed. Raises SettingsError: pip
    found no versions, or was not reached.
    """
    wanted = declared(root)
    kept = () if upgrade else ("--constraint", FILE)
    outcome = resolve(root, [*(f"{name}{spec}" for name, spec in wanted), *kept], timeout_s)
    if not outcome.versions:
        hint = "" if upgrade else "; --upgrade ignores today's pins"
        raise SettingsError(f"{FILE} was not written: {outcome.says}{hint}")
    lines = [f"{name}=={version}\n" for name, version in sorted(outcome.versions.items())]
    text = HEAD.format(version=image_python(root)) + "".join(lines)
    (root / FILE).write_text(text, encoding="utf-8")
    return len(lines)


def _pip(version: str) -> list[str]:
    """pip's dry run for Python `version`, by that Python if it is on this machine."""
    dry = ["install", "--dry-run", "--ignore-installed", "--only-binary=:all:"]
    for name in (sys.executable, shutil.which(f"python{version}")):
        if name and _is_linux_python(name, version):
            return [name, "-m", "pip", *dry]
    platforms = [f"manylinux_2_{minor}_x86_64" for minor in range(GLIBC_MINOR, 4, -1)]
    platforms += [f"manylinux{year}_x86_64" for year in ("2014", "2010", "1")]
    abis = (f"cp{version.replace('.', '')}", "abi3", "none")
    target = ["--python-version", version, "--implementation", "cp", "--target", "unused"]
    target += [part for name in abis for part in ("--abi", name)]
    target += [part for name in (*platforms, "linux_x86_64") for part in ("--platform", name)]
    return [sys.executable, "-m", "pip", *dry, *target]


def _is_linux_python(python: str, version: str) -> bool:
    code = "import sys, pip; print('%d.%d' % sys.version_info[:2], sys.platform)"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.split() == [version, "linux"]


def _configured() -> list[str]:
    """Index and certificate of pip's configuration and variables, as variables for `env`."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found: dict[str, str] = {}
    for where in ("global", "user", "site", ":env:"):  # the last one counts
        found |= re.findall(rf"^{where}\.(index-url|cert)='(.*)'$", listed, re.MULTILINE)
    kept = [f"PIP_{name.upper().replace('-', '_')}={value}" for name, value in found.items()]
    return ["PIP_CONFIG_FILE=/dev/null", *kept]
