"""Freed memory that stays with the process."""

import ctypes
import os
import platform
import subprocess
import sys

import pytest

from utils.memory import keep_freed_memory

PAGES = 5_000  # of 4 KiB, in each of the buffers
FAULTS = f"""
import resource
from utils.memory import keep_freed_memory
{{keep}}
bytearray({PAGES} * 4096 * 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    bytearray({PAGES} * 4096 * 2)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(keep: str) -> int:
    """Page faults of five large buffers, each freed before the next one."""
    script = FAULTS.format(keep=keep)
    environment = {name: value for name, value in os.environ.items() if "MALLOC" not in name}
    command = [sys.executable, "-c", script]
    return int(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_a_large_buffer_takes_the_memory_of_the_one_before() -> None:
    assert faults("keep_freed_memory()") < PAGES < faults("")


def test_another_c_library_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    keep_freed_memory()
