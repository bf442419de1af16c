"""The memory of this process and its children on Linux; 0 elsewhere."""

import re
from pathlib import Path

_PROCESSES = Path("/proc")


def peak_mb() -> float:
    """The peaks of this process and of its running children, added up, in MB."""
    return sum(megabytes(process, "VmHWM") for process in ("self", *children()))


def children() -> list[str]:
    """The ids of the running children of this process."""
    return " ".join(map(_text_or_nothing, _PROCESSES.glob("self/task/*/children"))).split()


def megabytes(process: str, figure: str) -> float:
    """A figure of a process's memory: VmHWM, its peak, or VmRSS, what it holds; 0 once it ended."""
    status = _text_or_nothing(_PROCESSES / process / "status")
    kilobytes = re.search(rf"{figure}:\s+(\d+) kB", status)
    return int(kilobytes[1]) / 1024 if kilobytes else 0.0


def _text_or_nothing(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # the process or thread has ended
        return ""
