"""How servers differ: the fields of a request, constraints, and the wording of refusals.

No server says what it knows. Fields are learned from refusals. A server that does not know a
constraint's field ignores it, so a probe is sent once for each kind of constraint, which no answer
satisfies by chance; the first encoding whose answer satisfies it is used from then on.
"""

import json
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from models.llm.constraints import choices
from models.llm.errors import ContextTooLong
from models.llm.protocol import Constraint, ConstraintKind

_log = logging.getLogger(__name__)

Encoding = Callable[[Constraint], Mapping[str, Any]]  # the fields that carry a constraint

# Fields that a request can do without.
_OPTIONAL = ("stream_options", "logprobs", "seed", "temperature", "stop", "n")
_REFUSED = re.compile(
    r"unsupported|unknown|unrecogni[sz]ed|unexpected|extra|not (?:supported|allowed|permitted)"
    r"|does not support|only the default",
    re.I,
)
MAX_LESSONS = len(_OPTIONAL) + 1


class Fields:
    """The fields of requests as one server takes them."""

    def __init__(self) -> None:
        self._names: dict[str, str | None] = {}  # None: it is not sent

    def __contains__(self, name: str) -> bool:
        """Whether the server takes a field, as far as is known."""
        return self._names.get(name, name) is not None

    def apply(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A request as the server takes it."""
        named = {self._names.get(name, name): value for name, value in body.items()}
        return {name: value for name, value in named.items() if name is not None}

    def learn(self, refusal: str, body: Mapping[str, Any]) -> bool:
        """Whether the refusal of `body` says how it must be written."""
        if not _REFUSED.search(refusal):
            return False
        if "max_completion_tokens" in refusal and "max_tokens" in body:
            self._names["max_tokens"] = "max_completion_tokens"
            return True
        for name in _OPTIONAL:
            word = rf"\b{name}\b" if len(name) > 1 else rf"['\"`]{name}['\"`]"
            if name in body and re.search(word, refusal):
                _log.warning("the server takes no %s: %.200s", name, refusal)
                self._names[name] = None
                return True
        return False


def _vllm(constraint: Constraint) -> Mapping[str, Any]:
    """vLLM from 0.12 on."""
    value: Any = constraint.text
    if constraint.kind is ConstraintKind.CHOICE:
        value = choices(constraint)
    elif constraint.kind is ConstraintKind.JSON:
        value = json.loads(constraint.text)
    return {"structured_outputs": {constraint.kind.value: value}}


def _response_format(constraint: Constraint) -> Mapping[str, Any]:
    """JSON on hosted APIs, vLLM, llama.cpp and Ollama."""
    schema = {"name": "answer", "strict": True, "schema": json.loads(constraint.text)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _gbnf_choice(constraint: Constraint) -> Mapping[str, Any]:
    """llama.cpp."""
    words = " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices(constraint))
    return {"grammar": f"root ::= {words}"}


def _llguidance(constraint: Constraint) -> Mapping[str, Any]:
    """llama.cpp built with llguidance, which reads Lark's notation."""
    text = constraint.text
    if constraint.kind is ConstraintKind.REGEX:
        escaped = text.replace("/", r"\/")
        text = f"start: /{escaped}/"
    return {"grammar": "%llguidance {}\n" + text}


ENCODINGS: Mapping[ConstraintKind, tuple[Encoding, ...]] = {
    ConstraintKind.CHOICE: (_vllm, _gbnf_choice),
    ConstraintKind.REGEX: (_vllm, _llguidance),
    ConstraintKind.GRAMMAR: (_vllm, _llguidance),
    ConstraintKind.JSON: (_response_format, _vllm),
}
_PROBE_SCHEMA = {
    "type": "object",
    "properties": {"zq7": {"enum": ["violet", "amber"]}},
    "required": ["zq7"],
    "additionalProperties": False,
}
PROBES: Mapping[ConstraintKind, Constraint] = {
    kind: Constraint(kind, text)
    for kind, text in {
        ConstraintKind.CHOICE: "zq7 violet\nzq7 amber",
        ConstraintKind.REGEX: "zq7 [a-c]{4}",
        ConstraintKind.GRAMMAR: 'start: "zq7 " ("x" | "y") "!"',
        ConstraintKind.JSON: json.dumps(_PROBE_SCHEMA),
    }.items()
}
PROBE_TOKENS = 48

# How servers state the length of their model's context when a prompt is too long.
_CONTEXT = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"n_ctx\W{1,4}(\d[\d,]*)",
        r"(\d[\d,]*)(?: tokens?)? (?:maximum )?context (?:length|size|window)",
        r"(?:context|model|sequence)[ _](?:length|size|window)\D{0,40}?(\d[\d,]*)",
        r"must be <= (\d[\d,]*)",
    )
)
_NUMBER = re.compile(r"\d[\d,]{0,9}")
_MIN_CONTEXT = 256  # a smaller number is something else


def context_error(refusal: str) -> ContextTooLong | None:
    """The error with the numbers of a refusal that states the context's length; else None."""
    found = (pattern.search(refusal) for pattern in _CONTEXT)
    context = next((_int(match[1]) for match in found if match), 0)
    if context < _MIN_CONTEXT:
        return None
    # The largest number is what was asked for: servers word it differently.
    asked = max(map(_int, _NUMBER.findall(refusal)), default=context)
    return ContextTooLong(max(1, asked - context), context)


def _int(text: str) -> int:
    return int(text.replace(",", ""))
