"""The command line: `crag mock-api` serves, `crag mock-api import DIR OUT` converts."""

import sys
import threading
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from mock_api.app import make_app
from mock_api.cache import import_folder, ready_file
from mock_api.connections import BoundedProtocol
from mock_api.process import READY_PREFIX, ROOT
from mock_api.store import Store
from utils.cli import new_app, run
from utils.errors import InputError
from utils.http_server import AnnouncedServer, listening_socket

_GRACE_S = 1  # for requests that are still running at shutdown
DEFAULT_DATA = ROOT / "example_data" / "kg"
app = new_app("Serve the mock API, or convert a KG.")
_progress = partial(typer.echo, err=True)


@app.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    data: Annotated[
        Path,
        typer.Option(help="a folder or SQLite file; default: the example KG", show_default=False),
    ] = DEFAULT_DATA,
    cache: Annotated[Path | None, typer.Option(help="where converted folders are kept")] = None,
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one")] = 8000,
    until_eof: Annotated[
        bool, typer.Option("--until-eof", help="end when standard input does")
    ] = False,
) -> None:
    """Serve the mock API.

    The command `import` converts a KG to the file from which it is served.
    """
    if context.invoked_subcommand is not None:
        return
    config = uvicorn.Config(
        make_app(Store(ready_file(data, _progress, cache=cache))),
        host=host,
        port=port,
        http=BoundedProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    server = AnnouncedServer(config, READY_PREFIX)
    if until_eof:
        threading.Thread(target=_end_at_eof, args=(server,), daemon=True).start()
    server.run(sockets=[listening_socket(host, port)])


@app.command("import")
def convert(
    folder: Annotated[Path, typer.Argument(help="the official KG, or a folder of JSON lines")],
    out: Annotated[Path, typer.Argument(help="the SQLite file to write")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="replace an older file")] = False,
) -> None:
    """Convert a folder of facts to SQLite.

    The server starts at once with such a file.
    """
    if out.exists() and not overwrite:
        raise InputError(f"{out}: exists already; replace it by --overwrite")
    import_folder(folder, out, _progress)


def _end_at_eof(server: uvicorn.Server) -> None:
    """Stop the server once standard input ends."""
    sys.stdin.buffer.read()
    server.should_exit = True


main = partial(run, app, name="crag mock-api")

if __name__ == "__main__":
    sys.exit(main())
