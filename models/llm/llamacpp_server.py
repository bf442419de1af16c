"""What a llama.cpp server says of itself: its context, the tokens that end a turn, its adapters.

Its endpoints are described in llama.cpp's tools/server/README.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from models.llm.errors import ServerRejected, ServerUnavailable
from models.llm.server import TRANSIENT, LLMServer
from utils.deadline import Deadline

_MARK = "zq7"  # what an assistant says, to find the token that ends its turn
_CHAT = (
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": _MARK},
    {"role": "user", "content": "b"},
)

Chat = Sequence[Mapping[str, str]]  # messages with "role" and "content"


@dataclass(frozen=True, slots=True)
class LlamaCppServer:
    """A llama.cpp server.

    Attributes:
        endpoint: its address.
        model: the name that requests give; a server of several models chooses by it.
        context: tokens of a prompt with its completion, in one slot; None: it does not say.
        end_tokens: those by which the model ends a turn; empty: they cannot be learnt.
        adapters: the file of each LoRA adapter, by the number that requests give; None: it does not
            say.
    """

    endpoint: LLMServer
    model: str
    context: int | None = None
    end_tokens: tuple[int, ...] = ()
    adapters: Mapping[int, str] | None = None

    @classmethod
    def found_at(
        cls, endpoint: LLMServer, model: str, deadline: Deadline
    ) -> "LlamaCppServer | None":
        """The llama.cpp server at `endpoint`; None if another kind of server answers there.

        Raises:
            ServerUnavailable: no server answers in time, or one that is still loading its model.
        """
        server = cls(endpoint, model)
        try:
            props = server._get("/props", deadline)
        except ServerRejected:
            return None
        defaults = props.get("default_generation_settings") if isinstance(props, dict) else None
        if not isinstance(defaults, dict):
            return None
        context = defaults.get("n_ctx")
        return replace(
            server,
            context=context if isinstance(context, int) and context > 0 else None,
            end_tokens=server._end_tokens(props.get("eos_token"), deadline),
            adapters=server._adapters(deadline),
        )

    def count_chat(self, messages: Chat, deadline: Deadline) -> int:
        """Tokens of messages as the model reads them, with those of the chat template.

        Raises:
            ServerUnavailable: the server does not answer.
            ServerRejected: it refuses the messages.
            KeyError: it is one without these endpoints.
        """
        return len(self._tokens(self._rendered(messages, deadline), deadline))

    def _get(self, path: str, deadline: Deadline) -> Any:
        path = f"{path}?model={quote(self.model)}"
        return _reply(lambda: self.endpoint.get_root(path, deadline))

    def _post(self, path: str, body: Mapping[str, Any], deadline: Deadline) -> Any:
        body = {"model": self.model, **body}
        return _reply(lambda: self.endpoint.post_root(path, body, deadline))

    def _rendered(self, messages: Chat, deadline: Deadline) -> str:
        """The text that the chat template makes of messages."""
        reply = self._post("/apply-template", {"messages": list(messages)}, deadline)
        return str(reply["prompt"])

    def _tokens(self, text: str, deadline: Deadline, *, special: bool = True) -> list[int]:
        """The tokens of a text; with `special`, those of the chat template are read as such."""
        body = {"content": text, "parse_special": special, "add_special": False}
        return list(self._post("/tokenize", body, deadline)["tokens"])

    def _end_tokens(self, eos: Any, deadline: Deadline) -> tuple[int, ...]:
        """The token that ends a text, and the one that ends a turn, which may be another."""
        ids: list[int] = []
        try:
            if isinstance(eos, str):
                eos_tokens = self._tokens(eos, deadline)
                if len(eos_tokens) == 1:
                    ids += eos_tokens
            after_turn = self._rendered(_CHAT, deadline).partition(_MARK)[2].lstrip()
            end = self._tokens(after_turn, deadline)[0]
            as_text = self._tokens(after_turn, deadline, special=False)[0]
            if end != as_text and end not in ids:  # it is no token of plain text
                ids.append(end)
        except (ServerRejected, LookupError, TypeError):
            pass  # an older server, or a chat template that refuses this chat
        return tuple(ids)

    def _adapters(self, deadline: Deadline) -> dict[int, str] | None:
        """The file of each adapter that the server has loaded; None if it does not say."""
        try:
            rows = self._get("/lora-adapters", deadline)
            return {int(row["id"]): str(row.get("path", "")) for row in rows}
        except (ServerRejected, LookupError, TypeError, ValueError, AttributeError):
            return None


def _reply(ask: Callable[[], Any]) -> Any:
    """The reply to a request.

    Raises:
        ServerUnavailable: there is none; the server, or a proxy before it, may have one later.
        ServerRejected: the server refuses the request, or does not know it.
    """
    try:
        return ask()
    except ServerRejected as error:
        if error.status in TRANSIENT:  # such as 503 while it loads its model
            raise ServerUnavailable(str(error), error.status) from error
        raise
