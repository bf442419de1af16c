"""`python -m mock_api` serves the mock API; `python -m mock_api import DIR OUT.sqlite` converts."""

import argparse
import asyncio
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from mock_api.app import make_app
from mock_api.cache import import_folder, ready_file
from mock_api.process import READY_PREFIX, ROOT
from mock_api.store import Store
from utils.errors import CragError

_BACKLOG = 2048
_GRACE_S = 1  # for requests that are still running at shutdown
DEFAULT_DATA = ROOT / "example_data" / "kg"


class _Server(uvicorn.Server):
    """A server that says where it is, once it accepts connections."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            host, port = listening.getsockname()[:2]
            host = f"[{host}]" if ":" in host else host
            sys.stdout.write(f"{READY_PREFIX}http://{host}:{port}\n")
            sys.stdout.flush()


def main(arguments: Sequence[str]) -> int:
    """The exit status: 0, or 2 with a word on stderr where there is nothing to serve."""
    try:
        if arguments[:1] == ["import"]:
            return _import(arguments[1:])
        return _serve(arguments)
    except (CragError, OSError) as error:
        sys.stderr.write(f"mock_api: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 130


def _import(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("python -m mock_api import", description=_import.__doc__)
    parser.add_argument("folder", type=Path, help="the official KG, or a folder of JSON lines")
    parser.add_argument("out", type=Path, help="the SQLite file to write")
    options = parser.parse_args(arguments)
    import_folder(options.folder, options.out, _say)
    return 0


def _serve(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("python -m mock_api", description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="a folder or SQLite file")
    parser.add_argument("--cache", type=Path, help="where converted folders are kept")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000, help="0: a free one")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input does")
    options = parser.parse_args(arguments)
    store = Store(ready_file(options.data, _say, cache=options.cache))
    with _listen(options.host, options.port) as listening:
        config = uvicorn.Config(
            make_app(store),
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
        server = _Server(config)
        if options.until_eof:
            threading.Thread(target=_end_at_eof, args=(server,), daemon=True).start()
        asyncio.run(server.serve(sockets=[listening]))
    return 0


def _end_at_eof(server: uvicorn.Server) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    server.should_exit = True


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket. asyncio turns Nagle's delay off only where the protocol is named, which
    `socket.create_server` does not do: every answer would wait 40 ms."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
