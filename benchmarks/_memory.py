"""The most memory that a process held."""

import re
import resource
from pathlib import Path

_PROCESSES = Path("/proc")


def peak_mb() -> float:
    """MB that this process held at most, and with it those that it started and that still run, each
    at its most.

    Where there is no /proc, `ru_maxrss` stands in, which knows nothing of these, and counts what
    the process that started this one held then.
    """
    own = _PROCESSES / "self"
    if not (own / "status").exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    children = " ".join(map(_read, own.glob("task/*/children"))).split()
    return _peak(own) + sum(map(_peak, (_PROCESSES / child for child in children)))


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # what it tells of has ended
        return ""


def _peak(process: Path) -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", _read(process / "status"))
    return int(found[1]) / 1024 if found else 0.0
