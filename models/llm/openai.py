"""Any OpenAI-compatible server: vLLM's, llama.cpp's, Ollama's, or a hosted one."""

import difflib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from models.llm.config import LLMSettings
from models.llm.constraints import accepts, check
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
from models.llm.openai_dialects import PROBE_TOKENS, PROBES, WAYS, Way
from models.llm.openai_endpoint import Endpoint, Gate
from models.llm.openai_fields import MOST_LESSONS, Fields
from models.llm.openai_stream import Call, Written, run_calls
from models.llm.protocol import (
    Completion,
    Constraint,
    ConstraintKind,
    FinishReason,
    Message,
    Prompt,
    joined,
)
from models.llm.replies import without_thoughts
from models.llm.special_tokens import Neutraliser
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.tokens import TokenCounter, estimate_tokens, load_counter

_log = logging.getLogger(__name__)
_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}
_TURN_TOKENS = 8  # what a chat template puts around a message, where it cannot be counted
_ASIDE_SECONDS = 3.0  # for what is asked of the server besides completions
# Reasons for an end that is none of an answer.
_CUT_REASONS = frozenset(("content_filter", "error", "abort", "safety", "recitation"))
_MOST_SHOWN = 5  # models of a server


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
        think_tokens: int = 0,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a client; nothing is sent yet.

        Args:
            endpoint: the server.
            model: the base model, as the server calls it.
            adapters: what the server calls each adapter.
            context: tokens of a prompt and its completion together; None: the server is asked.
            workers: requests sent at once.
            tokenizer: counts tokens; None: the server is asked, else an estimate is made.
            think_tokens: that the model may need to think, where it is tried.
            extra_body: fields of every request beside those of its prompt.
        """
        self._endpoint = endpoint
        self._names: dict[str | None, str] = {None: model}
        self._names.update(adapters or {})
        self._workers = workers
        self._context = context
        self._models: list[dict[str, Any]] | None = None
        self._counter: TokenCounter | None = load_counter(tokenizer) if tokenizer else None
        self._neutralise = Neutraliser(_special(tokenizer) if tokenizer else ())
        self._think_tokens = think_tokens
        self._extra_body = dict(extra_body or {})
        self._fields = Fields()
        self._one_sample = False  # it writes one sample a request
        self._ways: dict[ConstraintKind, Way] = {}
        self._lacking: dict[ConstraintKind, str] = {}  # kinds that it has no way for, and why

    @classmethod
    def load(cls, settings: LLMSettings, api_key: str | None = None) -> "OpenAILLM":
        """The client of `openai:URL#MODEL`. Raises SettingsError where that is not its form."""
        url, _, model = settings.place.partition("#")
        if not url.startswith(("http://", "https://")) or not model:
            raise SettingsError(f"a server is openai:URL#MODEL, not {settings.spec!r}")
        if api_key is not None and not api_key.isascii():
            raise SettingsError("the key of the LLM (CRAG_LLM_API_KEY) has signs that no key has")
        headers = dict(settings.extra_headers)
        if settings.organization:
            headers["OpenAI-Organization"] = settings.organization
        endpoint = Endpoint(url.rstrip("/"), api_key, headers, gate=Gate(settings.workers))
        return cls(
            endpoint,
            model,
            adapters=dict(settings.adapters),
            context=settings.context,
            workers=settings.workers,
            tokenizer=Path(settings.tokenizer) if settings.tokenizer else None,
            think_tokens=settings.think_tokens,
            extra_body=settings.extra_body,
        )

    @property
    def context(self) -> int | None:
        """As settings say, else what the server says of its model, or in an error, else None."""
        if self._context is None:
            try:
                rows = self.served()
            except LLMError:
                rows = self._models = []  # not asked again
            for row in rows:
                length = row.get("max_model_len")
                if row.get("id") == self._names[None] and isinstance(length, int):
                    self._context = length
        return self._context

    def served(self) -> list[dict[str, Any]]:
        """The models that the server has, as it lists them. Raises ServerUnavailable,
        ServerRejected."""
        if self._models is None:
            reply = self._endpoint.get("/models", Deadline.after(_ASIDE_SECONDS))
            rows = reply.get("data") if isinstance(reply, dict) else None
            known = rows if isinstance(rows, list) else []
            self._models = [row for row in known if isinstance(row, dict)]
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
        """One completion a prompt, in order; see the protocol."""
        for prompt in prompts:
            if prompt.adapter not in self._names:
                known = ", ".join(sorted(name for name in self._names if name)) or "none"
                raise AdapterUnknown(f"no adapter is called {prompt.adapter!r}; there are: {known}")
        constraints = [prompt.constraint for prompt in prompts if prompt.constraint]
        for constraint in constraints:
            check(constraint)
        try:
            ways = self._find_ways({constraint.kind for constraint in constraints}, deadline)
        except (ServerUnavailable, ServerRejected, ModelMissing) as error:
            failed = [Completion("", FinishReason.BROKEN, 0, error=error, adapter=p.adapter)
                      for p in prompts]  # fmt: skip
            return [replace(one, others=(one,) * (p.n - 1))
                    for one, p in zip(failed, prompts, strict=True)]  # fmt: skip
        made = self._run([lambda p=p: self._calls(p, ways, deadline) for p in prompts], deadline)  # type: ignore[misc]
        return [
            self._completion(prompt, calls) for prompt, calls in zip(prompts, made, strict=True)
        ]

    def _calls(
        self, prompt: Prompt, ways: dict[ConstraintKind, Way], deadline: Deadline
    ) -> list[Call]:
        """The requests of a prompt: one, or one a sample where the server writes no more."""
        if prompt.n == 1 or not (self._one_sample or "n" not in self._fields):
            return [Call(self._endpoint, self._body(prompt, ways), prompt.n, deadline)]
        seeds = [None if prompt.seed is None else prompt.seed + k for k in range(prompt.n)]
        alone = [replace(prompt, n=1, seed=seed) for seed in seeds]
        return [Call(self._endpoint, self._body(one, ways), 1, deadline) for one in alone]

    def _run(
        self, make: Sequence[Callable[[], list[Call]]], deadline: Deadline
    ) -> list[list[Call]]:
        """Run what `make` makes, again where the server's refusal says how it wants it."""
        made: list[list[Call]] = [[] for _ in make]
        left = list(range(len(make)))
        before = self._fields.learned
        for _ in range(MOST_LESSONS):
            for place in left:
                made[place] = make[place]()
            run_calls([call for place in left for call in made[place]], self._workers, deadline)
            left = [place for place in left if not deadline.expired and self._learned(made[place])]
            if not left:
                break
        learned = self._fields.learned - before
        if learned and not any(call.error is None for calls in made for call in calls):
            self._fields.forget(learned)  # it was something else
        elif learned:
            _log.warning("%s takes no %s", self._endpoint.shown, ", ".join(sorted(learned)))
        return made

    def _learned(self, calls: Sequence[Call]) -> bool:
        """Whether requests would be written otherwise after what the server said to these."""
        lessons = [self._lesson(call) for call in calls]
        return any(lessons)

    def _lesson(self, call: Call) -> bool:
        error, reasons = call.error, [written.reason for written in call.samples()]
        if isinstance(error, ContextTooLong):
            self._context = self._context or error.context
        if error is None and len(reasons) > 1 and any(reasons) and not all(reasons):
            self._one_sample = True
            return True
        if not isinstance(error, ServerRejected) or error.status not in (400, 403, 422):
            return False
        return self._fields.learn(str(error), call.body)

    def _completion(self, prompt: Prompt, calls: Sequence[Call]) -> Completion:
        made = joined([self._sample(prompt, call, w) for call in calls for w in call.samples()])
        usages = [call.usage for call in calls if call.usage]
        read = sum(usage.prompt for usage in usages)
        if not read and any(sample.text for sample in made.samples):
            read = sum(estimate_tokens(m.text) for m in prompt.messages)
        return replace(
            made,
            prompt_tokens=read,
            cached_tokens=sum(usage.cached for usage in usages),
        )

    def _sample(self, prompt: Prompt, call: Call, written: Written) -> Completion:
        error = self._said(call.error, prompt)
        text = without_thoughts(written.text)
        unfinished = FinishReason.BROKEN if error else FinishReason.DEADLINE
        ended = FinishReason.STOP if written.reason else unfinished
        reason = _REASONS.get(written.reason or "", ended)
        if written.reason in _CUT_REASONS:
            error = error or Broken(f"the server ended it: {written.reason}")
            reason = FinishReason.BROKEN
        if reason is FinishReason.STOP and prompt.constraint and text:
            if not accepts(prompt.constraint, text):
                error = Broken(f"an answer does not keep to its {prompt.constraint.kind}")
                reason = FinishReason.BROKEN
        if written.reason and not text:
            error = error or _why_empty(written)
        tokens = call.usage.completion if call.usage else None
        if tokens is not None:
            tokens //= len(call.samples())
        else:
            tokens = len(written.logprobs) or estimate_tokens(written.text) * bool(written.text)
        return Completion(
            text, reason, tokens, tuple(written.logprobs), prompt.adapter, error=error
        )

    def _said(self, error: LLMError | None, prompt: Prompt) -> LLMError | None:
        """The error with what the server does not say: tokens counted, models that are there."""
        if isinstance(error, ContextTooLong):
            over = self.count_prompt(prompt) + prompt.max_tokens - error.context
            return ContextTooLong(over, error.context) if over > 0 else error
        if isinstance(error, ServerRejected) and error.status == 404:
            return self._missing(prompt.adapter)
        return error

    def keeps(self, kind: ConstraintKind, deadline: Deadline) -> bool | None:
        """Whether the server keeps to constraints of a kind; None: it was not found out in time."""
        try:
            return kind in self._find_ways({kind}, deadline) or None
        except ConstraintUnsupported:
            return False
        except LLMError:
            return None

    def _messages(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        return [{"role": m.role, "content": self._neutralise(m.text)} for m in messages]

    def _body(self, prompt: Prompt, ways: dict[ConstraintKind, Way]) -> dict[str, Any]:
        """The request. What has its default is left out: not every server knows every field."""
        body: dict[str, Any] = {
            "model": self._names[prompt.adapter],
            "messages": self._messages(prompt.messages),
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
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
        body |= dict(way(prompt.constraint) if way and prompt.constraint else ())
        return self._fields.written(body) | self._extra_body

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
        hello = (Message("user", "Say hello."),)
        prompt = Prompt(hello, max_tokens=PROBE_TOKENS + self._think_tokens, constraint=probe)
        said: list[str] = []
        for way in WAYS[kind]:
            (calls,) = self._run(
                [lambda way=way: self._calls(prompt, {kind: way}, deadline)],  # type: ignore[misc]
                deadline,
            )
            call = calls[0]
            if deadline.expired:
                return
            error = self._said(call.error, prompt)
            refused = isinstance(error, ServerRejected) and error.status in (401, 403)
            gone = isinstance(error, ServerUnavailable) and error.status in (None, 429)
            if error and (refused or gone or isinstance(error, ModelMissing)):
                raise error
            text = without_thoughts(call.samples()[0].text)
            if error is None and accepts(probe, text):
                self._ways[kind] = way
                return
            said.append(str(error) if error else repr(text[:60]))
        self._lacking[kind] = (
            f"{self._endpoint.shown} does not keep to a {kind} constraint; asked for "
            f"{probe.text!r} it answered {' / '.join(said)}"
        )
        raise ConstraintUnsupported(self._lacking[kind])

    def _missing(self, adapter: str | None) -> LLMError:
        """What the server has, where it does not know a model."""
        name = self._names[adapter]
        try:
            ids = [str(row.get("id")) for row in self.served()]
            near = difflib.get_close_matches(name, ids, n=_MOST_SHOWN)
            known = ", ".join(list(dict.fromkeys([*near, *ids]))[:_MOST_SHOWN])
        except LLMError as error:
            known = f"(its list cannot be had; does the URL end in /v1? {error})"
        kind = ModelMissing if adapter is None else AdapterUnknown
        return kind(f"{self._endpoint.shown} serves no {name!r}; it serves: {known}")

    def _ask_count(self, body: dict[str, Any]) -> int | None:
        """Tokens by the server's own tokenizer; None where it does not tell."""
        body = {"model": self._names[None], **body}
        try:
            reply = self._endpoint.post_root("/tokenize", body, Deadline.after(_ASIDE_SECONDS))
            return len(reply["tokens"]) or None  # none of a field that it does not know
        except (LLMError, KeyError, TypeError):
            return None


def _why_empty(written: Written) -> Empty:
    """What is wrong with a completion that ended without a text."""
    if written.refusal:
        return Empty(f"the model refused: {written.refusal[:200]}")
    if written.thoughts or written.text:
        return Empty("the model wrote nothing but its thoughts; raise llms.NAME.think_tokens")
    return Empty("the model wrote nothing")


def _special(tokenizer: Path) -> list[str]:
    """The special tokens in a tokenizer's file."""
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    rows = json.loads(file.read_text(encoding="utf-8")).get("added_tokens") or ()
    return [row["content"] for row in rows]
