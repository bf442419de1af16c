"""The peak memory of a process and its children."""

import re
import resource
from pathlib import Path

_PROCESSES = Path("/proc")


def peak_mb() -> float:
    """The peaks of this process and of its running children, added up, in MB.

    Without /proc it is `ru_maxrss` of this process alone, which includes what its parent held when
    it started this one.
    """
    own = _PROCESSES / "self"
    if not (own / "status").exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    children = " ".join(map(_read, own.glob("task/*/children"))).split()
    return _peak(own) + sum(map(_peak, (_PROCESSES / child for child in children)))


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # the process has ended
        return ""


def _peak(process: Path) -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", _read(process / "status"))
    return int(found[1]) / 1024 if found else 0.0
