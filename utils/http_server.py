"""What the servers of this project share: a socket, their address on standard output, a limit."""

import socket
from collections.abc import Callable

import typer
import uvicorn
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from utils.errors import InputError


class AnnouncedServer(uvicorn.Server):
    """A server that prints its address, after `prefix`, once it accepts connections.

    `on_stop` is called when it stops, before it waits for the requests that are still running.
    """

    def __init__(
        self, config: uvicorn.Config, prefix: str, on_stop: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(config)
        self._prefix = prefix
        self._on_stop = on_stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, then print."""
        await super().startup(sockets)
        for server in self.servers:
            for listening in server.sockets:
                host, port = listening.getsockname()[:2]
                if ":" in host:  # an address of IPv6
                    host = f"[{host}]"
                typer.echo(f"{self._prefix}http://{host}:{port}")  # echo flushes

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop as uvicorn does, after `on_stop`."""
        self._on_stop()
        await super().shutdown(sockets)


def listening_socket(host: str, port: int) -> socket.socket:
    """A bound socket whose connections send each write at once.

    asyncio sets TCP_NODELAY only on sockets that name TCP; without it, a response in two writes
    waits for the client to acknowledge the first.

    Raises:
        InputError: the host is unknown, or the port cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port)
        bound = socket.create_server((host, port), family=family)
    except socket.gaierror as error:
        raise InputError(f"--host {host}: {error.strerror}") from error
    except OSError as error:
        raise InputError(
            f"port {port} of {host} cannot be used ({error.strerror}): choose another by --port, "
            "or a free one by --port 0"
        ) from error
    return socket.socket(family, bound.type, socket.IPPROTO_TCP, fileno=bound.detach())


class HeadAsGet:
    """Answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, send_head)


class BodyLimit:
    """Refuses a request's body of more than `limit` bytes with 413 before all of it is read."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._limit:
                raise HTTPException(413, f"the body is larger than {self._limit >> 20} MiB")
            return message

        bounded = limited if scope["type"] == "http" else receive
        await self._app(scope, bounded, send)
