"""Limits on each connection, which uvicorn does not have: time, size of the headers, number."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_CONNECTIONS = 256
CLIENT_SECONDS = 10.0  # for a whole request, and for reading a response
MAX_OVERHEAD_BYTES = 64 * 2**10  # of a request beside its body: URL, headers, framing of chunks


class BoundedProtocol(HttpToolsProtocol):
    """HTTP that closes a connection whose client is slow, and refuses connections over the limit.

    A timer runs while the server waits for the client: for a whole request, or until the client
    reads a response. It does not run while the application works on a request.
    """

    _timer: asyncio.TimerHandle | None = None
    _overhead = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
            return
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop()

    def data_received(self, data: bytes) -> None:
        self._overhead += len(data)
        super().data_received(data)
        if self._overhead > MAX_OVERHEAD_BYTES:
            self.transport.abort()

    def on_body(self, body: bytes) -> None:
        self._overhead -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._overhead = 0
        super().on_message_complete()
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def _watch(self) -> None:
        """Start the timer if the server waits for the client; stop it otherwise."""
        cycle: Any = self.cycle
        answering = cycle is not None and not cycle.more_body and not cycle.response_complete
        if answering and not self.flow.write_paused:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(CLIENT_SECONDS, self.transport.abort)

    def _stop(self) -> None:
        """Stop the timer, if it runs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
