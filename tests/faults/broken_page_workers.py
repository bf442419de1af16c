"""Page workers that fail, in place of models.web.page_workers.serve."""

import os
import struct
from multiprocessing.connection import Connection


def _begin(descriptor: int) -> Connection:
    """As a sound worker does, up to the first page."""
    pipe = Connection(descriptor)
    pipe.recv()
    pipe.send(None)
    pipe.recv()
    return pipe


def raises(descriptor: int) -> None:
    _begin(descriptor)
    raise RuntimeError("a fault of the worker")


def partial(descriptor: int) -> None:
    """End within a message: of 1,000 bytes come ten."""
    pipe = _begin(descriptor)
    os.write(pipe.fileno(), struct.pack("!i", 1000) + b"x" * 10)
    os._exit(0)
