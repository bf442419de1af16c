"""How servers differ: the fields of a request, constraints, and the wording of refusals.

No server states what it supports. Unsupported fields are learned from refusals. A server that does
not know the field of a constraint ignores it. So for each kind of constraint a probe is sent once,
whose constraint no answer satisfies by chance; the first encoding whose answer satisfies it is used
from then on.
"""

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from models.llm.constraints import choices
from models.llm.errors import ContextTooLong
from models.llm.protocol import Constraint, ConstraintKind

_log = logging.getLogger(__name__)

Encoding = Callable[[Constraint], Mapping[str, Any]]  # the fields that carry a constraint

# A request is sent again without one of these fields that the server refuses.
_OPTIONAL = ("stream_options", "logprobs", "seed", "temperature", "stop", "n", "stream")
_START = re.compile(r"^[?!]?start\b", re.M)  # the first rule of a Lark grammar
_REFUSED = re.compile(
    r"unsupported|unknown|unrecogni[sz]ed|unexpected|extra|invalid"
    r"|not (?:supported|allowed|permitted)|does not support|doesn't support"
    r"|supports? (?:at most|only|up to)|only (?:the default|supports)"
    r"|must (?:be|not)|has to be|disallowed|not implemented|not enabled|incompatible|cannot be"
    r"|should be|at most|only \w+\s?=\s?1 |only one|can only be"
    r"|only allowed when",
    re.I,
)
# What a chat template says that knows no system messages, or wants the roles to alternate.
_ROLES_REFUSED = re.compile(
    r"system (?:role|message|prompt)s?\b.{0,40}\b(?:not|unsupported|unknown|invalid|only)\b"
    r"|(?:not support|unsupported|unknown|invalid|unexpected)\b.{0,40}\b(?:system|role)\b"
    r"|['\"`]system['\"`] is not (?:supported|one of|allowed)|input should be 'user' or 'assistant'"
    r"|(?:developer|system) instructions? (?:is|are) not|alternate between user and"
    r"|roles? must alternate|alternate user/assistant|(?:first|initial) message .{0,30}user"
    r"|only user\W.{0,40}roles|jinja2?\W*(?:exception|error|template)|role must be (?:in|one of)"
    r"|role ['\"`]?system['\"`]? is not|valid role\b|expected (?:last )?role|but got system",
    re.I,
)
MAX_LESSONS = len(_OPTIONAL) + 1


class Fields:
    """The names under which one server accepts the fields of requests."""

    def __init__(self) -> None:
        self._names: dict[str, str | None] = {}  # None: the field is not sent

    def __contains__(self, name: str) -> bool:
        """Whether the server accepts a field, as far as is known."""
        return self._names.get(name, name) is not None

    def apply(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A request with the fields that the server accepts."""
        accepted = {}
        for name, value in body.items():
            server_name = self._names.get(name, name)
            if server_name is not None:
                accepted[server_name] = value
        return accepted

    def learn(self, refusal: str, body: Mapping[str, Any]) -> bool:
        """Learn from the refusal of `body`; whether the request would now be different."""
        if not _REFUSED.search(refusal):
            return False
        if "max_completion_tokens" in refusal and "max_tokens" in body:
            self._names["max_tokens"] = "max_completion_tokens"
            return True
        for name in _OPTIONAL:
            if name in body and _names_field(refusal, name):
                _log.warning("the server accepts no %s: %.200s", name, refusal)
                self._names[name] = None
                if name == "stream":
                    self._names["stream_options"] = None  # it has no meaning without
                return True
        return False


def _names_field(refusal: str, name: str) -> bool:
    """Whether a refusal is about a field of the request."""
    if name == "stream":
        return re.search(r"\bstream(?:ing)?\b", refusal, re.I) is not None
    if name == "n" and re.search("only one (?:completion|choice|candidate)|n_cmpl", refusal, re.I):
        return True  # n_cmpl: llama.cpp has fewer slots than samples are asked for
    if len(name) > 1:
        return re.search(rf"\b{name}\b", refusal) is not None
    named = rf"['\"`]{name}['\"`]|\b{name}\s?(?:[=>]|must|should|cannot)|parameter:? {name}\b"
    return re.search(named, refusal) is not None


def refuses_roles(refusal: str) -> bool:
    """Whether a server's chat template refuses the order or the kinds of messages.

    >>> refuses_roles("400: System role not supported"), refuses_roles("unknown field: seed")
    (True, False)
    """
    return _ROLES_REFUSED.search(refusal) is not None


def _vllm(constraint: Constraint) -> Mapping[str, Any]:
    """The fields for vLLM from 0.12 on."""
    value: Any = constraint.text
    if constraint.kind is ConstraintKind.CHOICE:
        value = choices(constraint)
    elif constraint.kind is ConstraintKind.JSON:
        value = json.loads(constraint.text)
    return {"structured_outputs": {constraint.kind.value: value}}


def _response_format(constraint: Constraint) -> Mapping[str, Any]:
    """The fields for JSON on hosted APIs, vLLM, llama.cpp and Ollama."""
    schema = {"name": "answer", "strict": True, "schema": json.loads(constraint.text)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _gbnf_choice(constraint: Constraint) -> Mapping[str, Any]:
    """The fields for a choice on llama.cpp."""
    quoted = [json.dumps(choice, ensure_ascii=False) for choice in choices(constraint)]
    return {"grammar": f"root ::= {' | '.join(quoted)}"}


def _llguidance(constraint: Constraint, end_tokens: Sequence[int] = ()) -> Mapping[str, Any]:
    """The fields for llama.cpp built with llguidance, which reads Lark's notation.

    `end_tokens`: those that end a turn. Where a text may go on, llama.cpp lets it end by one token
    only, which may not be the one that the model writes.
    """
    match constraint.kind:
        case ConstraintKind.CHOICE:
            texts = [json.dumps(choice, ensure_ascii=False) for choice in choices(constraint)]
            rules = f"start: {' | '.join(texts)}"
        case ConstraintKind.REGEX:
            escaped = constraint.text.replace("/", r"\/")
            rules = f"start: /{escaped}/"
        case ConstraintKind.JSON:
            # Without whitespace: a model that is unsure would write nothing else.
            options = {"whitespace_flexible": False}
            schema = {"x-guidance": options, **json.loads(constraint.text)}
            rules = f"start: %json {json.dumps(schema)}"
        case ConstraintKind.GRAMMAR:
            rules = constraint.text
    if end_tokens:
        tokens = ",".join(map(str, end_tokens))
        rules = f"{_START.sub('whole_text', rules)}\nstart: whole_text <[{tokens}]>"
    return {"grammar": "%llguidance {}\n" + rules}


Dialect = Mapping[ConstraintKind, tuple[Encoding, ...]]  # the encodings to try, in order
ANY_SERVER: Dialect = {
    ConstraintKind.CHOICE: (_vllm, _gbnf_choice),
    ConstraintKind.REGEX: (_vllm, _llguidance),
    ConstraintKind.GRAMMAR: (_vllm, _llguidance),
    ConstraintKind.JSON: (_response_format, _vllm),
}


def llama_cpp(end_tokens: Sequence[int]) -> Dialect:
    """The encodings for llama.cpp's server, whose model ends a turn by one of `end_tokens`."""
    llguidance = partial(_llguidance, end_tokens=end_tokens)
    return {
        ConstraintKind.CHOICE: (llguidance, _gbnf_choice),
        ConstraintKind.REGEX: (llguidance,),
        ConstraintKind.GRAMMAR: (llguidance,),
        ConstraintKind.JSON: (llguidance, _response_format),
    }


_PROBE_SCHEMA = {
    "type": "object",
    "properties": {"zq7": {"enum": ["violet", "amber"]}},
    "required": ["zq7"],
    "additionalProperties": False,
}
_PROBE_TEXTS = {
    ConstraintKind.CHOICE: "zq7 violet\nzq7 amber",
    ConstraintKind.REGEX: "zq7 [a-c]{4}",
    ConstraintKind.GRAMMAR: 'start: "zq7 " ("x" | "y") "!"',
    ConstraintKind.JSON: json.dumps(_PROBE_SCHEMA),
}
# What no answer satisfies by chance, asked for "hello".
PROBES: Mapping[ConstraintKind, Constraint] = {
    kind: Constraint(kind, text) for kind, text in _PROBE_TEXTS.items()
}
# What any answer satisfies that ends in time. Under them a model ends where it would without them,
# unless the server takes another token for the end.
END_PROBES: Mapping[ConstraintKind, Constraint] = {
    ConstraintKind.REGEX: Constraint(ConstraintKind.REGEX, r"(.|\n){1,2000}"),
    ConstraintKind.GRAMMAR: Constraint(ConstraintKind.GRAMMAR, r"start: /(.|\n){1,2000}/"),
}
PROBE_TOKENS = 64

# How servers state the length of their model's context when a prompt is too long.
_LONGEST_REFUSAL = 4000  # characters that are read
_DIGITS = r"\d[\d,]{0,11}"
_NUMBER = re.compile(_DIGITS)
_MIN_CONTEXT = 256  # a smaller number is not a context's length
_MOST_TIMES = 100  # of the context's length that a request may have
# Numbers that are no lengths: codes, ids and times.
_OTHER_NUMBERS = re.compile(
    r"\"(?:\w*code|status|\w*id|created|timestamp|time)\"\s*:\s*(?:\"[^\"]{0,100}\"|[\d.]{1,20})"
    r"|\b(?:id|code|status|at)\b\W{0,3}\d{1,20}",
    re.I,
)
_LIMITS = (
    re.compile(rf"n_ctx\W{{1,4}}({_DIGITS})", re.I),
    re.compile(rf"\d\s?/\s?({_DIGITS})|\[\d{{1,3}}, ?({_DIGITS})\]"),
    re.compile(rf">\s*({_DIGITS})"),
    re.compile(rf"({_DIGITS}k?)(?:[ -]tokens?)? (?:max(?:imum)?\b|context\b|limit\b)", re.I),
    re.compile(
        r"(?:max(?:imum)?|limit|allowed|exceed(?:s|ed|ing)?|than|below|at most|up to|supports"
        rf"|largest|max_prompt_tokens|<=?)(?![\w-])\D{{0,60}}?({_DIGITS}k?)",
        re.I,
    ),
    re.compile(
        r"(?:context|model|sequence)[ _](?:length|size|window|limit|len)\b\D{0,40}?"
        rf"({_DIGITS}k?)",
        re.I,
    ),
)
_OF_LENGTH = re.compile(
    r"\btokens?\b|context|n_ctx|(?:sequence|input|prompt|current) length|max_model_len|_tokens\b",
    re.I,
)
_TOO_LONG = re.compile(
    r"exceed|too (?:long|large|many|big)|longer|larger|greater|maximum|max_model_len|less than"
    r"|at most|must be|should be|overflow|not fit|only|>|available|n_ctx|limit|largest|\bbut\b",
    re.I,
)
# Limits of other things: rates, keys, pictures, and the length of an answer.
_OTHER_LIMIT = re.compile(
    r"per (?:minute|min|day|hour|second)|\b[TR]P[MD]\b|rate limit|credit|quota|afford|billing"
    r"|expire|(?:api|access|auth\w*) (?:key|token)|image|pixel|characters",
    re.I,
)
_OF_ANSWER = re.compile(r"(?:completion|output|generated|new) tokens|(?:maximum|max) output", re.I)
_LIMIT_OF_ANSWER = re.compile(
    r"(?<!\+ )(?<!\+ `)max_(?:completion_|output_|new_)?tokens\W*"
    r" (?:input )?(?:must|should|is too large|cannot)",
    re.I,
)
_CONTEXT = re.compile("context", re.I)
_STATES_CONTEXT = re.compile(r"context (?:length|size|window|limit)\D{0,30}\d", re.I)


def context_error(refusal: str) -> ContextTooLong | None:
    """The error with the numbers of a refusal; None if it does not state the context's length.

    >>> error = context_error("prompt is too long: 208310 tokens > 200000 maximum")
    >>> error.context, error.over
    (200000, 8310)
    """
    text = _OTHER_NUMBERS.sub("", refusal[:_LONGEST_REFUSAL])
    if not _OF_LENGTH.search(text) or not _TOO_LONG.search(text) or _OTHER_LIMIT.search(text):
        return None
    if not _STATES_CONTEXT.search(text):
        if _LIMIT_OF_ANSWER.search(text) or (_OF_ANSWER.search(text) and not _CONTEXT.search(text)):
            return None
    context = _stated_context(text)
    if context < _MIN_CONTEXT:
        return None
    # The largest number is the requested length: servers word it differently.
    numbers = [_number(number) for number in _NUMBER.findall(text)]
    requested = max(number for number in [*numbers, context] if number <= _MOST_TIMES * context)
    return ContextTooLong(max(1, requested - context), context)


def _stated_context(refusal: str) -> int:
    """The context's length in a refusal, by the first pattern that gives one; 0 if none does."""
    for pattern in _LIMITS:
        for match in pattern.finditer(refusal):
            number = _number(next(filter(None, match.groups())))
            if number >= _MIN_CONTEXT:
                return number
    return 0


def _number(text: str) -> int:
    """The number in a message, such as "8,192" or "128k"."""
    digits = text.replace(",", "").lower()
    return 1000 * int(digits[:-1]) if digits.endswith("k") else int(digits)
