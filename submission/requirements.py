"""requirements.txt: what uv resolves of pyproject.toml's dependencies for the image's Python."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from utils.errors import MissingPackageError, SettingsError
from utils.packages import package

FILE = "requirements.txt"
EXTRA = "engines"  # what a submission installs beside the project's own dependencies
PLATFORM = "x86_64-manylinux_2_39"  # Ubuntu 24.04
# They may name a CPU build of torch, or make uv call a missing network a conflict.
_ENV = "env -u UV_FIND_LINKS -u UV_INDEX -u UV_EXTRA_INDEX_URL -u UV_TORCH_BACKEND -u UV_OFFLINE"


def image_python(root: Path) -> str:
    """The version of Python that the Dockerfile installs.

    Raises:
        SettingsError: it names no Python, or several.
    """
    file = root / "Dockerfile"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    code = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    versions: list[str] = sorted(set(re.findall(r"\bpython(3\.\d+)", code)))
    if len(versions) != 1:
        listing = ", ".join(versions) or "none"
        raise SettingsError(f"the Dockerfile must name one Python (python3.N), it names {listing}")
    return versions[0]


def project(root: Path) -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    content = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(content["project"])


def declared(root: Path, extra: str = EXTRA) -> list[tuple[str, SpecifierSet]]:
    """The dependencies in pyproject.toml, those of `extra` included."""
    content = project(root)
    lines = [*content["dependencies"], *_lines_of_extra(content, extra)]
    requirements = [Requirement(line) for line in lines]
    return [(canonicalize_name(entry.name), entry.specifier) for entry in requirements]


def _lines_of_extra(project: dict[str, Any], extra: str) -> Iterator[str]:
    """The lines of an extra, with those of the project's other extras that it names."""
    for line in project["optional-dependencies"][extra]:
        requirement = Requirement(line)
        if requirement.name == project["name"]:
            for other in requirement.extras:
                yield from _lines_of_extra(project, other)
        else:
            yield line


def pins(root: Path) -> Iterator[tuple[str, str | None]]:
    """Name and version of each line of requirements.txt; None if it is not pinned."""
    for line in (root / FILE).read_text(encoding="utf-8").splitlines():
        text = line.partition("#")[0].strip()
        if not text:
            continue
        requirement = Requirement(text)
        exact = re.fullmatch(r"==([^*,]+)", str(requirement.specifier))
        version = exact[1] if exact else None
        yield canonicalize_name(requirement.name), version


class Resolution(IntEnum):
    """How a resolution ended, by uv's exit status."""

    YES = 0
    CONFLICT = 1  # the versions exclude each other
    UNKNOWN = 2  # such as without a network, or without uv


def resolve(root: Path, *arguments: str) -> tuple[Resolution, str]:
    """How `uv pip compile ARGUMENTS` ends for the image's Python on Linux x86-64; installs nothing.

    Returns:
        the outcome, and the end of uv's error output.

    Raises:
        SettingsError: the Dockerfile does not name one Python.
    """
    try:
        uv = package("uv", "-e '.[submit]'").find_uv_bin()
    except MissingPackageError as error:
        return Resolution.UNKNOWN, str(error)
    target = ["--python-version", image_python(root), "--python-platform", PLATFORM]
    options = ["--no-python-downloads", "--only-binary", ":all:", "--no-annotate"]
    header = ["--custom-compile-command", "crag submission requirements"]
    base = [*_ENV.split(), uv, "pip", "compile", "--quiet"]
    command = [*base, *target, *options, *header, *arguments]
    process = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    message = process.stderr.strip()[-1500:]
    if process.returncode in (Resolution.YES, Resolution.CONFLICT):
        return Resolution(process.returncode), message
    return Resolution.UNKNOWN, message


def write_requirements(root: Path, *, upgrade: bool) -> int:
    """Write requirements.txt and return the number of its packages.

    Without `upgrade`, today's pins stay where they are still allowed.

    Raises:
        SettingsError: uv found no versions, or reached no registry.
    """
    arguments = ["pyproject.toml", "--extra", EXTRA, "-o", FILE]
    if upgrade:
        arguments.append("--upgrade")
    outcome, message = resolve(root, *arguments)
    if outcome is not Resolution.YES:
        raise SettingsError(f"{FILE} was not written: {message}")
    return len(list(pins(root)))
