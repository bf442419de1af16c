"""Whether pip finds versions that go together for the image's Python, without installing any."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from submission.checks.requirements import SUBMISSION

GLIBC_MINOR = 39  # Ubuntu 24.04's; a wheel for an older one runs too
_UNREACHABLE = (
    "connection broken by", "Could not fetch URL", "Max retries exceeded",
    "Temporary failure in name resolution", "Network is unreachable", "Read timed out",
)  # fmt: skip
_CONFLICT = ("ResolutionImpossible", "No matching distribution found")
_LAST_WORDS = 1500


@dataclass(frozen=True, slots=True)
class Resolution:
    """What pip said; `conflict`: no versions go together; `reached`: it could ask at all."""

    reached: bool
    conflict: bool
    says: str


def resolve(root: Path, timeout_s: float = 300.0) -> Resolution:
    """Ask pip for the Dockerfile's install line, for Linux on x86-64 and the image's Python.

    Where that Python is on this machine, its own pip answers; otherwise this one's is told of the
    target, and takes markers such as `python_version` from its own Python.
    """
    version = re.findall(r"\bpython(3\.\d+)", (root / "Dockerfile").read_text(encoding="utf-8"))[-1]
    command = [*_pip(version), "--quiet", "-r", SUBMISSION]
    # A CPU build of torch that pip's own configuration knows would answer for the CUDA one.
    quiet = ["env", "--unset", "PIP_FIND_LINKS", "--unset", "PIP_EXTRA_INDEX_URL", *_configured()]
    try:
        done = subprocess.run(
            [*quiet, *command], cwd=root, capture_output=True, text=True, timeout=timeout_s,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Resolution(False, False, f"pip was not done after {timeout_s:.0f} s")
    says = done.stderr.strip()[-_LAST_WORDS:]
    if done.returncode == 0:
        return Resolution(True, False, f"resolved for Python {version} on Linux x86-64")
    if any(sign in done.stderr for sign in _UNREACHABLE):
        return Resolution(False, False, f"the package registry was not reached: {says}")
    conflict = any(sign in done.stderr for sign in _CONFLICT)
    return Resolution(conflict, conflict, says)


def _pip(version: str) -> list[str]:
    """pip's dry run for Python `version`, by that Python where there is one."""
    dry = ["install", "--dry-run", "--ignore-installed", "--only-binary=:all:"]
    for name in (sys.executable, shutil.which(f"python{version}")):
        if name and _is(name, version):
            return [name, "-m", "pip", *dry]
    platforms = [f"manylinux_2_{minor}_x86_64" for minor in range(GLIBC_MINOR, 4, -1)]
    platforms += [
        "manylinux2014_x86_64",
        "manylinux2010_x86_64",
        "manylinux1_x86_64",
        "linux_x86_64",
    ]
    abi = f"cp{version.replace('.', '')}"
    target = ["--python-version", version, "--implementation", "cp", "--target", "unused"]
    target += [part for name in (abi, "abi3", "none") for part in ("--abi", name)]
    target += [part for name in platforms for part in ("--platform", name)]
    return [sys.executable, "-m", "pip", *dry, *target]


def _is(python: str, version: str) -> bool:
    code = "import sys, pip; print('%d.%d' % sys.version_info[:2], sys.platform)"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.split() == [version, "linux"]


def _configured() -> list[str]:
    """Of pip's configuration and variables, index and certificate, without the extra places."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    form = r"^{}\.(index-url|cert)='(.*)'$"
    found: dict[str, str] = {}
    for where in ("global", "user", "site", ":env:"):  # the last one counts
        found |= re.findall(form.format(where), listed.stdout, re.MULTILINE)
    kept = {f"PIP_{name.upper().replace('-', '_')}": value for name, value in found.items()}
    return ["PIP_CONFIG_FILE=/dev/null", *(f"{name}={value}" for name, value in kept.items())]
