"""Memory that is freed and needed again."""

import ctypes

_LARGEST = 2**31 - 1
# Parameters of glibc's mallopt(3): its man page describes them, malloc.h numbers them.
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_ARENA_MAX = -8


def keep_freed_memory() -> None:
    """Have glibc keep freed memory for the next tensors; other C libraries are left as they are.

    By default it returns each large tensor to the system as it is freed, and the system clears the
    pages of the next one (`benchmarks/freed_memory.py`).
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST)
        mallopt(_TRIM_THRESHOLD, _LARGEST)
        mallopt(_ARENA_MAX, 1)
