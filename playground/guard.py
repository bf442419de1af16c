"""What the server refuses and hides: a page of another site, a large body, keys in a response."""

import json
import logging
from collections.abc import Iterable, Iterator

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playground.errors import error_body
from utils.secrets import secret_of

MAX_BODY_BYTES = 32 << 20  # fifty pages
HOSTS = ("127.0.0.1", "localhost")
WITHOUT_DATA = ("/playground.js", "/playground.css")
# No script but the server's own runs, and nothing is asked of another server.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
POLICIES = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

logger = logging.getLogger(__name__)


class Guard:
    """Refuses requests that no page of this server sends, and hides keys in all responses.

    A foreign page can send requests to a server on loopback: by its address (then `Origin` names
    that page), or by a name of its own that it has set to 127.0.0.1 (then `Host` has that name).
    """

    def __init__(self, app: ASGIApp, keys: Iterable[str]) -> None:
        self._app = app
        forms: set[bytes] = set()
        for key in keys:
            forms.update(_forms(key))
        self._keys = sorted(forms, key=len, reverse=True)  # one may begin another

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = _refusal(Headers(scope=scope))
        if refusal:
            await JSONResponse(error_body(refusal), 403, POLICIES)(scope, receive, send)
            return
        has_begun = False

        async def guarded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                MutableHeaders(scope=message).update(POLICIES)
            elif scope["path"] not in WITHOUT_DATA:
                message = {**message, "body": self._hidden(message.get("body", b""))}
            await send(message)

        try:
            await self._app(scope, receive, guarded)
        except Exception:
            logger.exception("%s %s", scope["method"], scope["path"])
            if has_begun:
                raise
            error = error_body("the server failed; its log says why", "server_error")
            await JSONResponse(error, 500, POLICIES)(scope, receive, send)

    def _hidden(self, body: bytes) -> bytes:
        """The body with a star for each byte of a key, so that its length stays."""
        for key in self._keys:
            body = body.replace(key, b"*" * len(key))
        return body


def _forms(key: str) -> Iterator[bytes]:
    """How a key can stand in a response: as it is, and as JSON has it."""
    secret = secret_of(key)
    if secret:
        yield secret.encode()
        yield json.dumps(secret)[1:-1].encode()


def _refusal(headers: Headers) -> str:
    """Why a request is refused; empty: it is not."""
    host = headers.get("host", "")
    if host.partition(":")[0].lower() not in HOSTS:
        return f"the host {host!r} is not this server: use 127.0.0.1"
    origin = headers.get("origin", f"http://{host}")
    if origin.lower() != f"http://{host}".lower():
        return f"a page of {origin!r} may not use this server"
    return ""
