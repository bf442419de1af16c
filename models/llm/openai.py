"""Any OpenAI-compatible server: vLLM's, llama.cpp's, Ollama's, or a hosted one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from models.llm.config import LLMSettings
from models.llm.constraints import accepts, check_prompts
from models.llm.dialects import ENCODINGS, MAX_LESSONS, PROBE_TOKENS, PROBES, Encoding, Fields
from models.llm.errors import (
    AdapterUnknown,
    Broken,
    ConstraintUnsupported,
    ContextTooLong,
    Empty,
    LLMError,
    ModelMissing,
    ServerRejected,
    ServerUnavailable,
)
from models.llm.protocol import Completion, ConstraintKind, FinishReason, Message, Prompt, joined
from models.llm.replies import empty_error, without_thoughts
from models.llm.server import LLMServer, ServerCall, Written, run_calls
from models.llm.special_tokens import Neutraliser
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.secrets import without_secrets
from utils.tokens import TokenCounter, estimate_tokens, load_counter
from utils.typed import nearest

_TURN_TOKENS = 8  # of a chat template around a message, where they cannot be counted
_ASIDE_SECONDS = 3.0  # for requests other than completions
_CUT_REASONS = frozenset(("content_filter", "error", "abort", "safety", "recitation"))
_MOST_SHOWN = 5  # models of a server

Encodings = Mapping[ConstraintKind, Encoding]


class OpenAILLM:
    """Sends prompts concurrently; an adapter is a model that the server knows by another name."""

    def __init__(self, endpoint: LLMServer, settings: LLMSettings) -> None:
        """A client of `endpoint`; nothing is sent yet.

        Raises:
            SettingsError: the spec of `settings` is not openai:URL#MODEL.
        """
        url, _, model = settings.place.partition("#")
        if not url.startswith(("http://", "https://")) or not model:
            spec = without_secrets(settings.spec)
            raise SettingsError(f"a server is openai:URL#MODEL, not {spec!r}")
        self._endpoint = endpoint
        self._settings = settings
        self._names: dict[str | None, str] = {None: model}
        self._names.update(settings.adapters.items())
        self._context = settings.context
        self._models: dict[str, Any] | None = None
        tokenizer = Path(settings.tokenizer) if settings.tokenizer else None
        self._counter: TokenCounter | None = load_counter(tokenizer) if tokenizer else None
        self._neutralise = Neutraliser(_special(tokenizer) if tokenizer else ())
        self._fields = Fields()
        self._one_sample = False  # the server writes one sample a request
        self._encodings: dict[ConstraintKind, Encoding] = {}
        self._lacking: dict[ConstraintKind, str] = {}  # kinds without an encoding, and why

    @classmethod
    def load(cls, settings: LLMSettings, api_key: str | None = None) -> "OpenAILLM":
        """The client of `openai:URL#MODEL`. Raises SettingsError as above, and for the key."""
        if api_key is not None and not api_key.isascii():
            raise SettingsError("the LLM's key (CRAG_LLM_API_KEY) has characters outside ASCII")
        url = settings.place.partition("#")[0].rstrip("/")
        return cls(LLMServer(url, api_key, settings.extra_headers), settings)

    @property
    def context(self) -> int | None:
        """From settings, else as the server lists its model or said in an error, else None."""
        if self._context is None:
            try:
                length = self.served().get(self._names[None])
            except LLMError:
                length, self._models = None, {}  # not asked again
            if isinstance(length, int):
                self._context = length
        return self._context

    def served(self) -> dict[str, Any]:
        """The models that the server lists, each with its context's length if the server says it.
        Raises ServerUnavailable, ServerRejected."""
        if self._models is None:
            reply = self._endpoint.get("/models", Deadline.after(_ASIDE_SECONDS))
            rows = reply.get("data") if isinstance(reply, dict) else None
            known = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
            self._models = {str(row.get("id")): row.get("max_model_len") for row in known}
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
        """Tokens of the prompt as the model reads it; where only texts can be counted, with an
        allowance for each turn."""
        if self._counter is None:
            count = self._ask_count({"messages": self._messages(prompt.messages)})
            if count is not None:
                return count
        return sum(self.count(m.text) + _TURN_TOKENS for m in prompt.messages) + _TURN_TOKENS

    def _ask_count(self, body: dict[str, Any]) -> int | None:
        """Tokens by the server's tokenizer; None where it has no such endpoint."""
        body = {"model": self._names[None], **body}
        try:
            reply = self._endpoint.post_root("/tokenize", body, Deadline.after(_ASIDE_SECONDS))
            return len(reply["tokens"]) or None  # none: it did not know the field
        except (LLMError, KeyError, TypeError):
            return None

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        """One completion per prompt, in order; see the protocol."""
        check_prompts(prompts, self._names)
        kinds = {prompt.constraint.kind for prompt in prompts if prompt.constraint}
        try:
            encodings = self._find_encodings(kinds, deadline)
        except (ServerUnavailable, ServerRejected, ModelMissing) as error:
            failed = Completion("", FinishReason.BROKEN, 0, error=error)
            return [joined([failed] * prompt.n) for prompt in prompts]
        made = self._ask(prompts, encodings, deadline)
        return [self._completion(p, calls) for p, calls in zip(prompts, made, strict=True)]

    def keeps(self, kind: ConstraintKind, deadline: Deadline) -> bool | None:
        """Whether the server satisfies constraints of a kind; None: there was no time to see."""
        try:
            return kind in self._find_encodings({kind}, deadline) or None
        except ConstraintUnsupported:
            return False
        except LLMError:
            return None

    def _find_encodings(self, kinds: set[ConstraintKind], deadline: Deadline) -> Encodings:
        """How this server takes each kind of constraint. Raises ConstraintUnsupported."""
        for kind in sorted(kinds):
            if kind in self._lacking:
                raise ConstraintUnsupported(self._lacking[kind])
            if kind not in self._encodings and not deadline.expired:
                self._probe(kind, deadline)
        return self._encodings

    def _probe(self, kind: ConstraintKind, deadline: Deadline) -> None:
        tokens = PROBE_TOKENS + self._settings.think_tokens
        prompt = Prompt(
            (Message("user", "Say hello."),), max_tokens=tokens, constraint=PROBES[kind]
        )
        said: list[str] = []
        for encoding in ENCODINGS[kind]:
            ((call,),) = self._ask([prompt], {kind: encoding}, deadline)
            if deadline.expired:
                return
            error = self._explained(call.error, prompt)
            refused = isinstance(error, ServerRejected) and error.status in (401, 403)
            gone = isinstance(error, ServerUnavailable) and error.status in (None, 429)
            if error and (refused or gone or isinstance(error, ModelMissing)):
                raise error
            text = without_thoughts(call.samples[0].text)
            if error is None and accepts(PROBES[kind], text):
                self._encodings[kind] = encoding
                return
            said.append(str(error) if error else repr(text[:60]))
        self._lacking[kind] = (
            f"{self._endpoint.shown} does not keep to a {kind} constraint; asked for "
            f"{PROBES[kind].text!r} it answered {' / '.join(said)}"
        )
        raise ConstraintUnsupported(self._lacking[kind])

    def _ask(
        self, prompts: Sequence[Prompt], encodings: Encodings, deadline: Deadline
    ) -> list[list[ServerCall]]:
        """The calls of each prompt, made again where a refusal says how the server wants them."""
        made: list[list[ServerCall]] = [[] for _ in prompts]
        left = list(range(len(prompts)))
        for _ in range(MAX_LESSONS):
            for place in left:
                made[place] = self._calls(prompts[place], encodings, deadline)
            calls = [call for place in left for call in made[place]]
            run_calls(calls, self._settings.workers, deadline)
            lessons = {call: self._learn(call) for call in calls}  # of every call, not the first
            left = [place for place in left if any(lessons[call] for call in made[place])]
            if not left or deadline.expired:
                break
        return made

    def _calls(self, prompt: Prompt, encodings: Encodings, deadline: Deadline) -> list[ServerCall]:
        """The requests of a prompt: one, or one a sample where the server writes no more."""
        asked = [prompt]
        if prompt.n > 1 and (self._one_sample or "n" not in self._fields):
            seeds = [None if prompt.seed is None else prompt.seed + k for k in range(prompt.n)]
            asked = [replace(prompt, n=1, seed=seed) for seed in seeds]
        return [ServerCall(self._endpoint, self._body(p, encodings), p.n, deadline) for p in asked]

    def _body(self, prompt: Prompt, encodings: Encodings) -> dict[str, Any]:
        """The request. What has its default is left out: not every server knows every field."""
        body: dict[str, Any] = {
            "model": self._names[prompt.adapter],
            "messages": self._messages(prompt.messages),
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
            "n": prompt.n if prompt.n > 1 else None,
            "seed": prompt.seed,
            "stop": list(prompt.stop) or None,
            "logprobs": prompt.logprobs or None,
        }
        body = {name: value for name, value in body.items() if value is not None}
        if prompt.constraint and (encoding := encodings.get(prompt.constraint.kind)):
            body |= encoding(prompt.constraint)
        return self._fields.apply(body) | dict(self._settings.extra_body)

    def _messages(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        return [{"role": m.role, "content": self._neutralise(m.text)} for m in messages]

    def _learn(self, call: ServerCall) -> bool:
        """Whether the request would be written otherwise after the reply to this one."""
        error, reasons = call.error, [written.reason for written in call.samples]
        if isinstance(error, ContextTooLong):
            self._context = self._context or error.context
        if error is None and len(reasons) > 1 and any(reasons) and not all(reasons):
            self._one_sample = True
            return True
        if not isinstance(error, ServerRejected) or error.status not in (400, 403, 422):
            return False
        return self._fields.learn(str(error), call.body)

    def _completion(self, prompt: Prompt, calls: Sequence[ServerCall]) -> Completion:
        made = joined([self._sample(prompt, call, w) for call in calls for w in call.samples])
        usages = [call.usage for call in calls if call.usage]
        read = sum(usage.prompt for usage in usages)
        if not read and any(sample.text for sample in made.samples):
            read = sum(estimate_tokens(m.text) for m in prompt.messages)
        cached = sum(usage.cached for usage in usages)
        return replace(made, prompt_tokens=read, cached_tokens=cached)

    def _sample(self, prompt: Prompt, call: ServerCall, written: Written) -> Completion:
        text = without_thoughts(_joined(written.text))
        error = self._explained(call.error, prompt) or _problem(prompt, written, text)
        reason = FinishReason.DEADLINE
        if written.reason:
            reason = FinishReason.LENGTH if written.reason == "length" else FinishReason.STOP
        if isinstance(error, Broken) or (error is not None and not written.reason):
            reason = FinishReason.BROKEN
        tokens = len(written.logprobs) or estimate_tokens(written.text) * bool(written.text)
        if call.usage and call.usage.completion is not None:
            tokens = call.usage.completion // len(call.samples)
        return Completion(text, reason, tokens, tuple(written.logprobs), error=error)

    def _explained(self, error: LLMError | None, prompt: Prompt) -> LLMError | None:
        """The error with what the server did not say: tokens counted, models that it serves."""
        if isinstance(error, ContextTooLong):
            over = self.count_prompt(prompt) + prompt.max_tokens - error.context
            return ContextTooLong(over, error.context) if over > 0 else error
        if isinstance(error, ServerRejected) and error.status == 404:
            return self._missing(prompt.adapter)
        return error

    def _missing(self, adapter: str | None) -> LLMError:
        name = self._names[adapter]
        try:
            ids = list(self.served())
            known = f"{', '.join(ids[:_MOST_SHOWN])}{nearest(name, ids)}"
        except LLMError as error:
            known = f"(its list cannot be had; does the URL end in /v1? {error})"
        kind = ModelMissing if adapter is None else AdapterUnknown
        return kind(f"{self._endpoint.shown} serves no {name!r}; it serves: {known}")


def _joined(text: str) -> str:
    """The text with the halves of a character joined, which may arrive in two events."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _problem(prompt: Prompt, written: Written, text: str) -> LLMError | None:
    """What is wrong with a completion that the server calls whole; `text`: without thoughts."""
    if written.reason in _CUT_REASONS:
        return Broken(f"the server ended it: {written.reason}")
    if written.reason and not text:
        if written.refusal:
            return Empty(f"the model refused: {written.refusal[:200]}")
        return empty_error(thoughts=bool(written.thoughts or written.text))
    whole = written.reason not in (None, "length")
    if whole and prompt.constraint and not accepts(prompt.constraint, text):
        return Broken(f"an answer does not keep to its {prompt.constraint.kind}")
    return None


def _special(tokenizer: Path) -> list[str]:
    """The special tokens in a tokenizer's file."""
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    rows = json.loads(file.read_text(encoding="utf-8")).get("added_tokens") or ()
    return [row["content"] for row in rows]
