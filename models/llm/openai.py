"""Any OpenAI-compatible server: vLLM's, llama.cpp's, Ollama's, or a hosted one."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from models.llm.config import LLMSettings
from models.llm.constraints import check_prompts
from models.llm.dialects import (
    MAX_LESSONS,
    PROBE_TOKENS,
    Encoding,
    Fields,
    llama_cpp,
    refuses_roles,
)
from models.llm.errors import (
    AdapterUnknown,
    ContextTooLong,
    LLMError,
    ModelMissing,
    ServerRejected,
    ServerUnavailable,
)
from models.llm.llamacpp_server import LlamaCppServer
from models.llm.probing import ConstraintProbes, Encodings, Kept
from models.llm.protocol import (
    Completion,
    Constraint,
    ConstraintKind,
    FinishReason,
    Message,
    OnEnd,
    Prompt,
    ignore_end,
    joined,
)
from models.llm.server import LLMServer, ServerCall, Written, run_calls
from models.llm.server_samples import sample_of
from models.llm.special_tokens import Neutraliser
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.secrets import without_secrets
from utils.tokens import TokenCounter, estimate_tokens, load_counter
from utils.typed import nearest

_TURN_TOKENS = 8  # of a chat template around a message, if they cannot be counted
_SHORT_REQUEST_SECONDS = 3.0  # for requests other than completions
_MOST_SLOW = 2  # such requests in a row that use up their time, before they are given up
_MOST_SHOWN = 10  # models of a server in a message
_MOST_STOPS = 4  # texts at which servers stop; the client cuts at the others
_LORA = re.compile(r"lora:(\d{1,4})")  # an adapter by the number that llama.cpp gave it
_WRONG_KEY = (401, 403)  # HTTP statuses
_REFUSALS = (400, 403, 422)
_REFUSALS_OF_ROLES = (400, 422, 500)

T = TypeVar("T")


class OpenAILLM:
    """Sends prompts concurrently.

    An adapter is a model that the server knows by another name, or a number that a llama.cpp server
    gave it (`lora:0`). llama.cpp is recognised by what it says of itself (`LlamaCppServer`).
    """

    def __init__(
        self, endpoint: LLMServer, settings: LLMSettings, *, caches_by_adapter: bool = False
    ) -> None:
        """A client of `endpoint`; nothing is sent yet.

        Args:
            endpoint: the server.
            settings: of the engine.
            caches_by_adapter: whether the server's cache of prompts tells adapters apart. That of
                llama.cpp does not (its issue 26207) unless it is confined to the slots.

        Raises:
            SettingsError: the spec is not openai:URL#MODEL, or an adapter has no number.
        """
        url, _, model = settings.place.partition("#")
        if not url.startswith(("http://", "https://")) or not model:
            spec = without_secrets(settings.spec)
            raise SettingsError(f"a server is openai:URL#MODEL, not {spec!r}")
        self._endpoint = endpoint
        self._settings = settings
        self._caches_by_adapter = caches_by_adapter
        self._names: dict[str | None, str] = {None: model}
        self._loras: dict[str | None, int] = {}  # the numbers of adapters
        for name, served_name in settings.adapters.items():
            lora = _LORA.fullmatch(served_name)
            if served_name.startswith("lora:") and not lora:
                raise SettingsError(f"adapter {name}: lora:NUMBER, not {served_name!r}")
            self._names[name] = model if lora else served_name
            if lora:
                self._loras[name] = int(lora[1])
        self._context_of_settings = settings.context
        self._context_of_server: int | None = None
        self._llama_cpp: LlamaCppServer | None = None
        self._recognised = False  # whether the kind of the server is known
        self._slow = 0  # requests in a row, other than completions, that used up their time
        self._models: dict[str, Any] | None = None
        tokenizer = Path(settings.tokenizer) if settings.tokenizer else None
        self._counter: TokenCounter | None = load_counter(tokenizer) if tokenizer else None
        self._neutralise = Neutraliser(_special_tokens(tokenizer) if tokenizer else ())
        self._fields = Fields()
        self._folds_system = False  # whether the server wants instructions in the user's message
        self._one_sample = False  # whether the server writes only one sample per request
        self._constraints = ConstraintProbes(endpoint.shown, self._say_hello)

    @classmethod
    def load(cls, settings: LLMSettings, api_key: str | None = None) -> "OpenAILLM":
        """The client of `openai:URL#MODEL`.

        Raises:
            SettingsError: the spec is not openai:URL#MODEL, or a header cannot be sent.
        """
        api_key = None if api_key is None else api_key.strip()  # a file's last line has an end
        headers = {"the LLM's key (CRAG_LLM_API_KEY)": api_key or ""}
        for name, value in settings.extra_headers.items():
            headers[f"the header {name!r} of extra_headers"] = f"{name}{value}"
        for name, value in headers.items():
            if not (value.isascii() and value.isprintable()):
                raise SettingsError(f"{name} has a line break or characters outside ASCII")
        url = settings.place.partition("#")[0].rstrip("/")
        return cls(LLMServer(url, api_key, settings.extra_headers), settings)

    @property
    def context(self) -> int | None:
        """The context's length, if known: the shorter one of the settings' and the server's."""
        lengths = [self._context_of_settings, self.context_of_server]
        return min((length for length in lengths if length is not None), default=None)

    @property
    def context_of_server(self) -> int | None:
        """The context's length by what the server says of itself or of its models, else by an error
        of the server; None: none of them says it."""
        self._recognise(_soon())
        if self._context_of_server is None:
            try:
                length = self.served().get(self._names[None])
            except LLMError:
                length = None
                self._models = {}  # do not request the list again
            if isinstance(length, int):
                self._context_of_server = length
        return self._context_of_server

    def llama_cpp(self) -> LlamaCppServer | None:
        """What a llama.cpp server says of itself; None: the server is of another kind, or down."""
        self._recognise(_soon())
        return self._llama_cpp

    def _recognise(self, deadline: Deadline) -> None:
        """Learn whether the server is llama.cpp, unless that is known, or no server answers."""
        if self._recognised:
            return
        try:
            server = self._briefly(
                lambda: LlamaCppServer.found_at(self._endpoint, self._names[None], deadline),
                deadline,
            )
        except ServerUnavailable:
            return
        self._recognised = True
        self._llama_cpp = server
        if server is not None:
            self._context_of_server = server.context
            self._constraints.use(llama_cpp(server.end_tokens))
            self._one_sample = True  # several at once would need as many free slots

    def _briefly(self, ask: Callable[[], T], deadline: Deadline) -> T:
        """What `ask` returns, which sends requests other than completions until `deadline`.

        A server that answers completions, but not these, would cost seconds each time.

        Raises:
            ServerUnavailable: the server does not answer, or did not the last times.
        """
        if self._slow >= _MOST_SLOW:
            raise ServerUnavailable(f"{self._endpoint.shown} answers only completions in time")
        try:
            reply = ask()
        except ServerUnavailable:
            self._slow += deadline.expired
            raise
        self._slow = 0
        return reply

    def served(self) -> dict[str, Any]:
        """The models that the server lists, each with its context's length if the server states it.

        Raises:
            ServerUnavailable: the server cannot be reached.
            ServerRejected: the server refuses the request.
        """
        if self._models is None:
            reply = self._endpoint.get("/models", Deadline.after(_SHORT_REQUEST_SECONDS))
            self._models = _models_in(reply)
        return self._models

    def count(self, text: str) -> int:
        """Tokens in `text`: by the tokenizer of settings, else the server's, else an estimate."""
        if not text:
            return 0
        if self._counter is None:
            # llama.cpp reads "content" and "parse_special", vLLM the other fields.
            body = {
                "prompt": text,
                "content": text,
                "add_special_tokens": False,
                "parse_special": False,
            }
            try:
                return self._server_count(body)
            except ServerUnavailable:
                return estimate_tokens(text)
            except (LLMError, KeyError, TypeError):  # the server has no such endpoint
                self._counter = estimate_tokens
        return self._counter(text)

    def count_prompt(self, prompt: Prompt) -> int:
        """Tokens of the prompt as the model reads it.

        If only texts can be counted, an allowance for each turn is added.
        """
        if self._counter is None:
            self._recognise(_soon())
            with suppress(LLMError, KeyError, TypeError):
                return self._chat_count(self._messages(prompt.messages))
        text_tokens = sum(self.count(message.text) for message in prompt.messages)
        return text_tokens + _TURN_TOKENS * (len(prompt.messages) + 1)

    def _chat_count(self, messages: list[dict[str, str]]) -> int:
        """Tokens of messages by the server's tokenizer; raises what `_server_count` raises."""
        server = self._llama_cpp
        if server is None:
            return self._server_count({"messages": messages})
        deadline = _soon()
        return self._briefly(lambda: server.count_chat(messages, deadline), deadline)

    def _server_count(self, body: dict[str, Any]) -> int:
        """Tokens by the server's tokenizer.

        Raises:
            ServerUnavailable: the server does not answer now.
            LLMError, KeyError, TypeError: the server does not count what `body` has.
        """
        body = {"model": self._names[None], **body}
        deadline = _soon()
        reply = self._briefly(
            lambda: self._endpoint.post_root("/tokenize", body, deadline), deadline
        )
        tokens = len(reply["tokens"])
        if not tokens:
            raise KeyError("the server does not know the field")
        return tokens

    def generate(
        self, prompts: Sequence[Prompt], *, deadline: Deadline, on_end: OnEnd = ignore_end
    ) -> list[Completion]:
        """One completion per prompt, in order; see the protocol.

        llama.cpp computes requests with different adapters one after the other, so that they are
        sent to it adapter by adapter.
        """
        check_prompts(prompts, self._names)
        self._recognise(deadline.sooner(_SHORT_REQUEST_SECONDS))
        self._check_loras(prompt.adapter for prompt in prompts)
        kinds = {prompt.constraint.kind for prompt in prompts if prompt.constraint}
        try:
            encodings = self._constraints.encodings(kinds, deadline)
        except (ServerUnavailable, ServerRejected, ModelMissing) as error:
            failed = Completion("", FinishReason.BROKEN, 0, error=error)
            return [joined([failed] * prompt.n) for prompt in prompts]
        indices_by_lora: dict[int | None, list[int]] = defaultdict(list)
        for index, prompt in enumerate(prompts):
            indices_by_lora[self._loras.get(prompt.adapter)].append(index)
        completions: dict[int, Completion] = {}
        for indices in indices_by_lora.values():
            group = [prompts[index] for index in indices]
            calls_of_prompts = self._ask(group, encodings, deadline, on_end)
            for index, calls in zip(indices, calls_of_prompts, strict=True):
                completions[index] = self._completion(prompts[index], calls)
        return [completions[index] for index in range(len(prompts))]

    def _check_loras(self, adapters: Iterable[str | None]) -> None:
        """Check that the server has the adapters that the settings give by number.

        Raises:
            AdapterUnknown: it has not.
        """
        for adapter in adapters:
            number = self._loras.get(adapter)
            problem = None if number is None else self._missing_lora(number)
            if problem is not None:
                raise AdapterUnknown(f"{self._endpoint.shown}: {adapter}: {problem}")

    def missing(self, adapter: str | None) -> str | None:
        """Why the server cannot serve an adapter, or the base model (None), as far as it says what
        it serves; None: nothing is wrong."""
        number = self._loras.get(adapter)
        if number is not None:
            self.llama_cpp()
            return self._missing_lora(number)
        served = self._models or {}
        name = self._names[adapter]
        # Ollama adds a tag to a name without one, Gemini's API a folder.
        if not served or {name, f"{name}:latest", f"models/{name}"} & served.keys():
            return None
        loras = self._llama_cpp.adapters if adapter and self._llama_cpp else None
        if loras:
            return f"the server has no {name!r}, but adapters by number: {_numbered(loras)}"
        return f"the server has no {name!r}; it has: {_first_of(served)}"

    def served_adapter(self, adapter: str) -> str:
        """How the server knows an adapter: its name there, or its number with its file."""
        number = self._loras.get(adapter)
        if number is None:
            return f"the model {self._names[adapter]!r}"
        adapters = self._llama_cpp.adapters if self._llama_cpp else None
        file = (adapters or {}).get(number)
        return f"lora:{number}, {file}" if file else f"lora:{number}"

    def _missing_lora(self, number: int) -> str | None:
        """Why the server cannot serve the adapter of a number; None: nothing is wrong, or it is not
        known what the server is."""
        server = self._llama_cpp
        if server is None:
            return f"lora:{number} is for llama.cpp" if self._recognised else None
        if server.adapters is None or number in server.adapters:
            return None
        return f"the server has no lora:{number}; it has: {_numbered(server.adapters) or 'none'}"

    def keeps(self, kind: ConstraintKind, deadline: Deadline) -> Kept:
        """Whether the server satisfies constraints of a kind."""
        self._recognise(deadline.sooner(_SHORT_REQUEST_SECONDS))
        return self._constraints.kept(kind, deadline)

    def _say_hello(
        self,
        deadline: Deadline,
        constraint: Constraint | None = None,
        encoding: Encoding | None = None,
    ) -> tuple[Written, LLMError | None]:
        """What the base model says under a constraint, and its error.

        Raises:
            LLMError: one that is not about the constraint.
        """
        tokens = PROBE_TOKENS + self._settings.think_tokens
        prompt = Prompt((Message("user", "Say hello."),), max_tokens=tokens, constraint=constraint)
        encodings = {constraint.kind: encoding} if constraint and encoding else {}
        ((call,),) = self._ask([prompt], encodings, deadline)
        error = self._explained(call.error, prompt)
        if error is not None and _stops_probes(error):
            raise error
        return call.samples[0], error

    def _ask(
        self,
        prompts: Sequence[Prompt],
        encodings: Encodings,
        deadline: Deadline,
        on_end: OnEnd = ignore_end,
    ) -> list[list[ServerCall]]:
        """The calls of each prompt, repeated if a refusal says how the server wants the request."""
        calls_of_prompts: list[list[ServerCall]] = [[] for _ in prompts]
        pending = list(range(len(prompts)))
        for _ in range(MAX_LESSONS):
            calls: list[ServerCall] = []
            for index in pending:
                calls_of_prompts[index] = self._calls(prompts[index], encodings, deadline)
                calls.extend(calls_of_prompts[index])
            ends = _Ends([calls_of_prompts[index] for index in pending], self._learn, on_end)
            run_calls(calls, self._settings.workers, deadline, ends)
            to_repeat = ends.close()
            pending = [
                index for index in pending if not to_repeat.isdisjoint(calls_of_prompts[index])
            ]
            if not pending or deadline.expired:
                break
        return calls_of_prompts

    def _calls(self, prompt: Prompt, encodings: Encodings, deadline: Deadline) -> list[ServerCall]:
        """The requests of a prompt: one, or one per sample if the server writes only one sample."""
        requests = [prompt]
        if prompt.n > 1 and (self._one_sample or "n" not in self._fields):
            requests = _one_prompt_per_sample(prompt)
        return [
            ServerCall(self._endpoint, self._body(request, encodings), request.n, deadline)
            for request in requests
        ]

    def _body(self, prompt: Prompt, encodings: Encodings) -> dict[str, Any]:
        """The request. Fields with a default are left out: not every server knows every field."""
        body: dict[str, Any] = {
            "model": self._names[prompt.adapter],
            "messages": self._messages(prompt.messages),
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
            "n": prompt.n if prompt.n > 1 else None,
            "seed": prompt.seed,
            "stop": list(prompt.stop[:_MOST_STOPS]) or None,
            "logprobs": prompt.logprobs or None,
        }
        body = {name: value for name, value in body.items() if value is not None}
        if prompt.constraint is not None:
            encoding = encodings.get(prompt.constraint.kind)
            if encoding is not None:
                body |= encoding(prompt.constraint)
        if self._loras:
            body |= self._lora_fields(self._loras.get(prompt.adapter))
        return self._fields.apply(body) | dict(self._settings.extra_body)

    def _lora_fields(self, chosen: int | None) -> dict[str, Any]:
        """The fields by which llama.cpp applies one adapter: it applies the others, too, that a
        request does not name, if it was started so."""
        numbers = set(self._loras.values())
        if self._llama_cpp is not None:
            numbers.update(self._llama_cpp.adapters or ())
        scales = [
            {"id": number, "scale": 1.0 if number == chosen else 0.0} for number in sorted(numbers)
        ]
        fields: dict[str, Any] = {"lora": scales}
        if not self._caches_by_adapter:
            fields["cache_prompt"] = False
        return fields

    def _messages(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        if self._folds_system:
            messages = folded(messages)
        return [{"role": m.role, "content": self._neutralise(m.text)} for m in messages]

    def _learn(self, call: ServerCall) -> bool:
        """Learn from the reply to a request; whether the request would now be different."""
        error = call.error
        if isinstance(error, ContextTooLong):
            self._context_of_server = self._context_of_server or error.context
        finished = [sample for sample in call.samples if sample.reason]
        if error is None and 0 < len(finished) < len(call.samples):
            self._one_sample = True
            return True
        if not isinstance(error, ServerRejected):
            return False
        if error.status in _REFUSALS and self._fields.learn(str(error), call.body):
            return True
        has_system = any(message["role"] == "system" for message in call.body["messages"])
        if error.status in _REFUSALS_OF_ROLES and has_system and refuses_roles(str(error)):
            self._folds_system = True
            return True
        return False

    def _completion(self, prompt: Prompt, calls: Sequence[ServerCall]) -> Completion:
        samples: list[Completion] = []
        for call in calls:
            error = self._explained(call.error, prompt)
            samples += [sample_of(call, written, prompt, error) for written in call.samples]
        usages = [call.usage for call in calls if call.usage]
        prompt_tokens = sum(usage.prompt for usage in usages)
        if not prompt_tokens and any(sample.text for sample in samples):
            prompt_tokens = sum(estimate_tokens(message.text) for message in prompt.messages)
        cached_tokens = sum(usage.cached for usage in usages)
        return replace(joined(samples), prompt_tokens=prompt_tokens, cached_tokens=cached_tokens)

    def _explained(self, error: LLMError | None, prompt: Prompt) -> LLMError | None:
        """The error with details that the server did not give: tokens, or the models it serves."""
        if isinstance(error, ContextTooLong):
            over = self.count_prompt(prompt) + prompt.max_tokens - error.context
            return ContextTooLong(over, error.context) if over > 0 else error
        if isinstance(error, ServerRejected) and error.status == 404:
            return self._unknown_model(prompt.adapter)
        return error

    def _unknown_model(self, adapter: str | None) -> LLMError:
        name = self._names[adapter]
        try:
            models = list(self.served())
            served = f"{_first_of(models)}{nearest(name, models)}"
        except LLMError as error:
            served = f"(its list is not available; does the URL end in /v1? {error})"
        kind = ModelMissing if adapter is None else AdapterUnknown
        return kind(f"{self._endpoint.shown} serves no {name!r}; it serves: {served}")


class _Ends:
    """Hears of calls that end: learns from each, and tells of prompts that need no more of them."""

    def __init__(
        self,
        calls_of_prompts: Sequence[Sequence[ServerCall]],
        learn: Callable[[ServerCall], bool],
        on_end: OnEnd,
    ) -> None:
        """`learn` says whether a call would now be different."""
        self._open = [set(calls) for calls in calls_of_prompts]
        self._learn = learn
        self._on_end = on_end
        self._to_repeat: set[ServerCall] = set()
        self._closed = False
        self._lock = Lock()

    def __call__(self, call: ServerCall) -> None:
        """A call has ended; by its thread."""
        with self._lock:
            if self._closed:
                return
            if self._learn(call):  # its prompt stays open
                self._to_repeat.add(call)
                return
            for calls in self._open:
                if call in calls:
                    calls.remove(call)
                    if not calls:
                        self._on_end()

    def close(self) -> set[ServerCall]:
        """Hear of no more ends; the calls that are worth a repetition."""
        with self._lock:
            self._closed = True
            return self._to_repeat


def _soon() -> Deadline:
    """When a request other than a completion must have been answered."""
    return Deadline.after(_SHORT_REQUEST_SECONDS)


def _first_of(names: Iterable[str]) -> str:
    return ", ".join(islice(names, _MOST_SHOWN))


def _numbered(adapters: Mapping[int, str]) -> str:
    """The first adapters of a llama.cpp server, with their files."""
    return _first_of(f"lora:{id} ({path})" for id, path in adapters.items())


def folded(messages: Sequence[Message]) -> list[Message]:
    """Messages for a template without system messages, and whose roles must alternate: those of one
    role in a row become one, and a system message is a part of what the user says.

    >>> [one.text for one in folded([Message("system", "Be brief."), Message("user", "Hi")])]
    ['Be brief.\\n\\nHi']
    """
    turns: list[Message] = []
    for message in messages:
        role = "user" if message.role == "system" else message.role
        if turns and turns[-1].role == role:
            turns[-1] = Message(role, f"{turns[-1].text}\n\n{message.text}")
        else:
            turns.append(Message(role, message.text))
    return turns


def _models_in(reply: Any) -> dict[str, Any]:
    """The models in a server's list, each with its context's length or None."""
    rows = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(rows, list):
        return {}
    models: dict[str, Any] = {}
    for row in rows:
        if not isinstance(row, dict):
            continue
        aliases = row.get("aliases")  # of llama.cpp
        for name in (row.get("id"), *(aliases if isinstance(aliases, list) else ())):
            models[str(name)] = row.get("max_model_len")
    return models


def _stops_probes(error: LLMError) -> bool:
    """Whether the error is not about a constraint, so that every other probe would fail as well."""
    if isinstance(error, ServerRejected):
        return error.status in _WRONG_KEY
    if isinstance(error, ServerUnavailable):
        return error.status in (None, 429)
    return isinstance(error, ModelMissing)


def _one_prompt_per_sample(prompt: Prompt) -> list[Prompt]:
    """Prompts for one sample each, with different seeds if `prompt` has one."""
    prompts = []
    for sample in range(prompt.n):
        seed = None if prompt.seed is None else prompt.seed + sample
        prompts.append(replace(prompt, n=1, seed=seed))
    return prompts


def _special_tokens(tokenizer: Path) -> list[str]:
    """The special tokens in a tokenizer's file."""
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    rows = json.loads(file.read_text(encoding="utf-8")).get("added_tokens") or ()
    return [row["content"] for row in rows]
