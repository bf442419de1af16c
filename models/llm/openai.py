"""Any OpenAI-compatible server: vLLM's, llama.cpp's, Ollama's, or a hosted one."""

import json
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from models.llm.config import LLMSettings
from models.llm.constraints import accepts, check
from models.llm.errors import (
    AdapterUnknown,
    ConstraintUnsupported,
    ContextTooLong,
    LLMError,
    ModelMissing,
    ServerRejected,
    ServerUnavailable,
)
from models.llm.openai_dialects import PROBE_TOKENS, PROBES, WAYS, Way
from models.llm.openai_stream import Call, Endpoint, Written
from models.llm.protocol import (
    Completion,
    Constraint,
    ConstraintKind,
    FinishReason,
    Message,
    Prompt,
    joined,
)
from models.llm.special_tokens import Neutraliser
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.tokens import TokenCounter, estimate_tokens, load_counter

_log = logging.getLogger(__name__)
_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}
_TURN_TOKENS = 8  # what a chat template puts around a message, where it cannot be counted
_ASIDE_SECONDS = 10.0  # for what is asked of the server besides completions


class OpenAILLM:
    """Prompts sent side by side; an adapter is a model that the server knows by another name."""

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        adapters: dict[str, str] | None = None,
        context: int | None = None,
        workers: int = 16,
        tokenizer: Path | None = None,
    ) -> None:
        """Make a client; nothing is sent yet.

        Args:
            endpoint: the server.
            model: the base model, as the server calls it.
            adapters: what the server calls each adapter.
            context: tokens of a prompt and its completion together; None: the server is asked.
            workers: requests sent at once.
            tokenizer: counts tokens; None: the server is asked, else an estimate is made.
        """
        self._endpoint = endpoint
        self._names: dict[str | None, str] = {None: model}
        self._names.update(adapters or {})
        self._workers = workers
        self._context = context
        self._models: list[dict[str, Any]] | None = None
        self._counter: TokenCounter | None = load_counter(tokenizer) if tokenizer else None
        self._neutralise = Neutraliser(_special(tokenizer) if tokenizer else ())
        self._ways: dict[ConstraintKind, Way] = {}
        self._lacking: dict[ConstraintKind, str] = {}  # kinds that it has no way for, and why

    @classmethod
    def load(cls, settings: LLMSettings, api_key: str | None = None) -> "OpenAILLM":
        """The client of `openai:URL#MODEL`. Raises SettingsError where that is not its form."""
        url, _, model = settings.place.partition("#")
        if not url.startswith(("http://", "https://")) or not model:
            raise SettingsError(f"a server is openai:URL#MODEL, not {settings.spec!r}")
        return cls(
            Endpoint(url.rstrip("/"), api_key),
            model,
            adapters=dict(settings.adapters),
            context=settings.context,
            workers=settings.workers,
            tokenizer=Path(settings.tokenizer) if settings.tokenizer else None,
        )

    @property
    def context(self) -> int | None:
        """As settings say, else what the server says of its model, else None."""
        if self._context is None:
            for row in self.served():
                if row.get("id") == self._names[None] and row.get("max_model_len"):
                    self._context = int(row["max_model_len"])
        return self._context

    def served(self) -> list[dict[str, Any]]:
        """The models that the server has, as it lists them. Raises ServerUnavailable."""
        if self._models is None:
            reply = self._endpoint.get("/models", Deadline.after(_ASIDE_SECONDS))
            rows = reply.get("data") if isinstance(reply, dict) else None
            self._models = [row for row in rows or () if isinstance(row, dict)]
        return self._models

    def count(self, text: str) -> int:
        """Tokens in `text`: by the tokenizer of settings, else the server's, else an estimate."""
        if self._counter is None:
            # llama.cpp reads "content", vLLM the rest.
            count = self._ask_count({"prompt": text, "content": text, "add_special_tokens": False})
            if count is not None:
                return count
            self._counter = estimate_tokens
        return self._counter(text)

    def count_prompt(self, prompt: Prompt) -> int:
        """Tokens of the prompt as the model reads it; where only texts can be counted, with
        an allowance for each turn."""
        if self._counter is None:
            count = self._ask_count({"messages": self._messages(prompt.messages)})
            if count is not None:
                return count
        return sum(self.count(m.text) + _TURN_TOKENS for m in prompt.messages) + _TURN_TOKENS

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        """One completion a prompt, in order; see the protocol.

        A prompt on which the server breaks off comes back as broken while others are served;
        where none is, ServerUnavailable is raised.
        """
        for prompt in prompts:
            if prompt.adapter not in self._names:
                known = ", ".join(sorted(name for name in self._names if name)) or "none"
                raise AdapterUnknown(f"no adapter is called {prompt.adapter!r}; there are: {known}")
        constraints = [prompt.constraint for prompt in prompts if prompt.constraint]
        for constraint in constraints:
            check(constraint)
        ways = self._find_ways({constraint.kind for constraint in constraints}, deadline)
        calls = [
            Call(self._endpoint, self._body(prompt, ways), prompt.n, deadline) for prompt in prompts
        ]
        _run(calls, self._workers, deadline)
        self._raise_errors(calls, prompts)
        return [
            joined([_sample(prompt, call, written) for written in call.samples()])
            for prompt, call in zip(prompts, calls, strict=True)
        ]

    def _messages(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        return [{"role": m.role, "content": self._neutralise(m.text)} for m in messages]

    def _body(self, prompt: Prompt, ways: dict[ConstraintKind, Way]) -> dict[str, Any]:
        """The request. What has its default is left out: not every server knows every field."""
        body: dict[str, Any] = {
            "model": self._names[prompt.adapter],
            "messages": self._messages(prompt.messages),
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
        }
        optional = {
            "top_p": prompt.top_p if prompt.top_p < 1 else None,
            "n": prompt.n if prompt.n > 1 else None,
            "seed": prompt.seed,
            "stop": list(prompt.stop) or None,
            "logprobs": prompt.logprobs or None,
        }
        body |= {name: value for name, value in optional.items() if value is not None}
        way = ways.get(prompt.constraint.kind) if prompt.constraint else None
        return body | dict(way(prompt.constraint) if way and prompt.constraint else ())

    def _find_ways(
        self, wanted: set[ConstraintKind], deadline: Deadline
    ) -> dict[ConstraintKind, Way]:
        """How this server takes each kind of constraint. Raises ConstraintUnsupported."""
        for kind in sorted(wanted):
            if kind in self._lacking:
                raise ConstraintUnsupported(self._lacking[kind])
            if kind not in self._ways and not deadline.expired:
                self._probe(kind, deadline)
        return self._ways

    def _probe(self, kind: ConstraintKind, deadline: Deadline) -> None:
        probe: Constraint = PROBES[kind]
        prompt = Prompt((Message("user", "Say hello."),), max_tokens=PROBE_TOKENS)
        said: list[str] = []
        for way in WAYS[kind]:
            call = Call(self._endpoint, self._body(prompt, {}) | dict(way(probe)), 1, deadline)
            _run([call], 1, deadline)
            if deadline.expired:
                return
            if isinstance(call.error, ServerUnavailable) or (
                isinstance(call.error, ServerRejected) and call.error.status in (401, 403)
            ):
                raise call.error
            written = call.samples()[0]
            if call.error is None and accepts(probe, written.text):
                self._ways[kind] = way
                return
            said.append(str(call.error) if call.error else repr(written.text[:60]))
            self._raise_missing(call, None)
        self._lacking[kind] = (
            f"{self._endpoint.url} does not keep to a {kind} constraint; asked for "
            f"{probe.text!r} it answered {' / '.join(said)}"
        )
        raise ConstraintUnsupported(self._lacking[kind])

    def _raise_errors(self, calls: Sequence[Call], prompts: Sequence[Prompt]) -> None:
        for call, prompt in zip(calls, prompts, strict=True):
            self._raise_missing(call, prompt.adapter)
            if isinstance(call.error, ContextTooLong):
                raise self._counted(call.error, prompt) from call.error
            if call.error is not None and not isinstance(call.error, ServerUnavailable):
                raise call.error
        broken = [call.error for call in calls if call.error]
        if broken and not any(w.text or w.reason for call in calls for w in call.samples()):
            raise broken[0]
        if broken:
            _log.warning("%d of %d prompts broke off: %s", len(broken), len(calls), broken[0])

    def _counted(self, error: ContextTooLong, prompt: Prompt) -> ContextTooLong:
        """The error with the tokens counted: few servers say how many there were."""
        over = self.count_prompt(prompt) + prompt.max_tokens - error.context
        return ContextTooLong(over, error.context) if over > 0 else error

    def _raise_missing(self, call: Call, adapter: str | None) -> None:
        """Say what there is, where the server does not know a model."""
        if not isinstance(call.error, ServerRejected) or call.error.status != 404:
            return
        try:
            known = ", ".join(str(row.get("id")) for row in self.served())
        except LLMError as error:
            known = f"(its list cannot be had: {error})"
        kind = ModelMissing if adapter is None else AdapterUnknown
        raise kind(
            f"{self._endpoint.url} serves no {self._names[adapter]!r}; it serves: {known}"
        ) from call.error

    def _ask_count(self, body: dict[str, Any]) -> int | None:
        """Tokens by the server's own tokenizer; None where it does not tell."""
        body = {"model": self._names[None], **body}
        try:
            reply = self._endpoint.post_root("/tokenize", body, Deadline.after(_ASIDE_SECONDS))
            return len(reply["tokens"])
        except (LLMError, KeyError, TypeError):
            return None


def _sample(prompt: Prompt, call: Call, written: Written) -> Completion:
    unfinished = FinishReason.BROKEN if call.error else FinishReason.DEADLINE
    reason = _REASONS.get(written.reason or "", unfinished)
    if reason is FinishReason.STOP and prompt.constraint:
        if not accepts(prompt.constraint, written.text):
            _log.warning("an answer does not keep to its %s", prompt.constraint.kind)
            reason = FinishReason.BROKEN
    tokens = call.usage if prompt.n == 1 else None
    if tokens is None:
        tokens = len(written.logprobs) or estimate_tokens(written.text) * bool(written.text)
    return Completion(
        text=written.text,
        finish_reason=reason,
        tokens=tokens,
        logprobs=tuple(written.logprobs),
        adapter=prompt.adapter,
    )


def _run(calls: Sequence[Call], workers: int, deadline: Deadline) -> None:
    """Run `calls` on daemon threads until all have ended or the deadline is there.

    Nobody waits for a thread: one that hangs in a read ends with the time-out of its socket.
    """
    left = iter(calls)
    lock, slots = threading.Lock(), threading.Semaphore(0)

    def work() -> None:
        while True:
            with lock:
                call = next(left, None)
            if call is None:
                return
            call.run()
            slots.release()

    for number in range(min(workers, len(calls))):
        threading.Thread(target=work, name=f"llm-{number}", daemon=True).start()
    for _ in calls:
        if not slots.acquire(timeout=max(0.001, deadline.remaining())):
            break
    for call in calls:
        call.leave()


def _special(tokenizer: Path) -> list[str]:
    """The special tokens in a tokenizer's file."""
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    rows = json.loads(file.read_text(encoding="utf-8")).get("added_tokens") or ()
    return [row["content"] for row in rows]
