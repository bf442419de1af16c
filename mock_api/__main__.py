"""`python -m mock_api` serves the mock API; `python -m mock_api import DIR OUT.sqlite` converts."""

import asyncio
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from mock_api.app import make_app
from mock_api.cache import import_folder, ready_file
from mock_api.process import READY_PREFIX, ROOT
from mock_api.store import Store
from utils.cli import run

_BACKLOG = 2048
_GRACE_S = 1  # for requests that are still running at shutdown
DEFAULT_DATA = ROOT / "example_data" / "kg"
app = typer.Typer(add_completion=False)


class _Server(uvicorn.Server):
    """A server that says where it is, once it accepts connections."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            host, port = listening.getsockname()[:2]
            host = f"[{host}]" if ":" in host else host
            sys.stdout.write(f"{READY_PREFIX}http://{host}:{port}\n")
            sys.stdout.flush()


@app.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    data: Annotated[Path, typer.Option(help="a folder or SQLite file")] = DEFAULT_DATA,
    cache: Annotated[Path | None, typer.Option(help="where converted folders are kept")] = None,
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0: a free one")] = 8000,
    until_eof: Annotated[
        bool, typer.Option("--until-eof", help="end when standard input does")
    ] = False,
) -> None:
    """Serve the mock API, or convert a KG by the command `import`."""
    if context.invoked_subcommand is not None:
        return
    store = Store(ready_file(data, _say, cache=cache))
    with _listen(host, port) as listening:
        config = uvicorn.Config(
            make_app(store),
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
        server = _Server(config)
        if until_eof:
            threading.Thread(target=_end_at_eof, args=(server,), daemon=True).start()
        asyncio.run(server.serve(sockets=[listening]))


@app.command("import")
def convert(
    folder: Annotated[Path, typer.Argument(help="the official KG, or a folder of JSON lines")],
    out: Annotated[Path, typer.Argument(help="the SQLite file to write")],
) -> None:
    """Convert a folder of facts to the SQLite file that the server reads."""
    import_folder(folder, out, _say)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0, or 2 with a word on stderr where there is nothing to serve."""
    return run(app, arguments, "python -m mock_api")


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
    sys.exit(main())
