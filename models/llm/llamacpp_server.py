"""What a llama.cpp server says of itself: its context, the tokens that end a turn, its adapters.

Its endpoints are described in llama.cpp's tools/server/README.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from models.llm.errors import LLMError, ServerRejected, ServerUnavailable
from models.llm.server import LLMServer
from utils.deadline import Deadline

_LOADING = 503  # the HTTP status of a server that loads its model
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
        ends: the tokens by which the model ends a turn; empty: they cannot be learnt.
        adapters: the file of each LoRA adapter, by the number that requests give.
    """

    endpoint: LLMServer
    model: str
    context: int | None = None
    ends: tuple[int, ...] = ()
    adapters: Mapping[int, str] = field(default_factory=dict)

    def count_chat(self, messages: Chat, deadline: Deadline) -> int:
        """Tokens of messages as the model reads them, with those of the chat template.

        Raises:
            LLMError: the server does not answer.
            KeyError: it is one without these endpoints.
        """
        return len(self._tokens(self._rendered(messages, deadline), deadline))

    def _get(self, path: str, deadline: Deadline) -> Any:
        return self.endpoint.get_root(f"{path}?model={quote(self.model)}", deadline)

    def _post(self, path: str, body: Mapping[str, Any], deadline: Deadline) -> Any:
        return self.endpoint.post_root(path, {"model": self.model, **body}, deadline)

    def _rendered(self, messages: Chat, deadline: Deadline) -> str:
        """The text that the chat template makes of messages."""
        reply = self._post("/apply-template", {"messages": list(messages)}, deadline)
        return str(reply["prompt"])

    def _tokens(self, text: str, deadline: Deadline, *, special: bool = True) -> list[int]:
        """The tokens of a text; with `special`, those of the chat template are read as such."""
        body = {"content": text, "parse_special": special, "add_special": False}
        return list(self._post("/tokenize", body, deadline)["tokens"])

    def _ends(self, eos: Any, deadline: Deadline) -> tuple[int, ...]:
        """The token that ends a text, and the one that ends a turn, which may be another."""
        ends: list[int] = []
        try:
            if isinstance(eos, str):
                eos_tokens = self._tokens(eos, deadline)
                if len(eos_tokens) == 1:
                    ends += eos_tokens
            after_turn = self._rendered(_CHAT, deadline).partition(_MARK)[2].lstrip()
            end = self._tokens(after_turn, deadline)[0]
            as_text = self._tokens(after_turn, deadline, special=False)[0]
            if end != as_text and end not in ends:  # it is no token of plain text
                ends.append(end)
        except (LLMError, LookupError, TypeError):
            pass  # an older server, or a chat template that refuses this chat
        return tuple(ends)

    def _adapters(self, deadline: Deadline) -> dict[int, str]:
        """The file of each adapter that the server has loaded; empty if it does not say."""
        try:
            rows = self._get("/lora-adapters", deadline)
            return {int(row["id"]): str(row.get("path", "")) for row in rows}
        except (LLMError, LookupError, TypeError, ValueError, AttributeError):
            return {}


def find_llama_cpp(endpoint: LLMServer, model: str, deadline: Deadline) -> LlamaCppServer | None:
    """The llama.cpp server at `endpoint`; None if another kind of server answers there.

    Raises:
        ServerUnavailable: no server answers, or one that is still loading its model.
    """
    server = LlamaCppServer(endpoint, model)
    try:
        props = server._get("/props", deadline)
    except ServerRejected as error:
        if error.status == _LOADING:
            raise ServerUnavailable(str(error), error.status) from error
        return None
    defaults = props.get("default_generation_settings") if isinstance(props, dict) else None
    if not isinstance(defaults, dict):
        return None
    context = defaults.get("n_ctx")
    return replace(
        server,
        context=context if isinstance(context, int) and context > 0 else None,
        ends=server._ends(props.get("eos_token"), deadline),
        adapters=server._adapters(deadline),
    )
