"""Removes passwords and keys from texts that are shown, logged or written."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

_SHORTEST = 6  # characters of a value that is hidden wherever it occurs
_NAME = r"(?:key|token|secret|password|authorization|auth|credentials?|signature|sig)\b"
_PATTERNS = (
    (re.compile(r"//(?:[^\s/@:]*:\S*|[^\s/]*)@"), "//…@"),  # the login in a URL
    (re.compile(r"[^\s/@'\"]+:[^\s/@]*@"), "…@"),  # the login in a URL without its scheme
    (re.compile(rf"(?i)([?&][\w-]*{_NAME}=)[^&#\s]*"), r"\1…"),
    (re.compile(r"(?i)\b(bearer\s+|basic\s+(?=\S*[\d=]))[\w.~+/=-]+"), r"\1…"),
)
_SCHEME = re.compile(r"(?i)\A(?:bearer|basic|token)\s+")  # in the value of a header
_ARGUMENT = re.compile(  # `--set=NAME=VALUE` or `NAME=VALUE`
    rf"(?is)\A((?:--\w+=)?[\w.\"'-]*(?:{_NAME}|extra_headers\b|extra_body\b)[\w.\"'-]*\s*=).*"
)


def without_secrets(text: str, known: Iterable[str | None] = ()) -> str:
    """`text` without secrets, each replaced by "…".

    Secrets are the values in `known`, passwords in URLs, values of key-like parameters, and bearer
    tokens.
    """
    for value in known:
        secret = secret_of(value or "")
        if secret:
            text = text.replace(secret, "…")
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def secret_of(value: str) -> str:
    """What a key, or the value of a header such as "Bearer KEY", has to hide; empty if it is so
    short that it may be any word."""
    secret = _SCHEME.sub("", value.strip())
    return secret if len(secret) >= _SHORTEST else ""


def is_secret(name: str) -> bool:
    """Whether a header or parameter of that name has a secret."""
    return bool(re.search(rf"(?i){_NAME}|cookie", name))


def secrets_in_url(url: str) -> Iterator[str]:
    """The password of a URL, also as it is before escaping, and the values of its key-like
    parameters; a text that is no URL has none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    if parts.password:
        yield from {parts.password, unquote(parts.password)}
    for name, value in parse_qsl(parts.query):
        if is_secret(name):
            yield value


def secrets_in_fields(fields: Mapping[str, Any]) -> Iterator[str]:
    """The texts in headers, or in the fields of a request, whose names are those of secrets."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from secrets_in_fields(value)
        elif isinstance(value, str) and is_secret(name):
            yield value


def argument_shown(argument: str) -> str:
    """An argument of a command line without secrets, also in a setting: `llm_api_key=…`."""
    return without_secrets(_ARGUMENT.sub(r"\1…", argument))
