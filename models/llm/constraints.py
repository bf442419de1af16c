"""A constraint as llguidance reads it, and whether a text keeps to one."""

import json
from functools import lru_cache
from typing import Any

from models.llm.errors import ConstraintUnsupported
from models.llm.packages import package
from models.llm.protocol import Constraint, ConstraintKind

_END = 256  # the token after the 256 bytes


def choices(constraint: Constraint) -> list[str]:
    """The lines of a choice that may be written. Raises ConstraintUnsupported: there are none."""
    lines = [line for line in constraint.text.splitlines() if line]
    if not lines:
        raise ConstraintUnsupported(f"{constraint.kind}: there is nothing to choose from")
    return lines


@lru_cache(maxsize=64)
def guidance_grammar(constraint: Constraint, *, spaces: bool = False) -> str:
    """The constraint as a grammar of llguidance.

    `spaces`: whether JSON may have whitespace between its parts; a model is not let write it, for
    one that is unsure writes nothing else.

    Raises:
        ConstraintUnsupported: it is not of its kind, or uses what llguidance has not.
        MissingPackageError: llguidance is not installed.
    """
    llguidance = package("llguidance")
    try:
        grammar: str = _grammar(llguidance, constraint, spaces)
    except ValueError as error:
        raise ConstraintUnsupported(f"{constraint.kind}: {error}") from error
    wrong = llguidance.LLMatcher.validate_grammar(grammar)
    if wrong and not wrong.startswith("WARNING"):
        raise ConstraintUnsupported(f"{constraint.kind}: {wrong}")
    return grammar


def _grammar(llguidance: Any, constraint: Constraint, spaces: bool) -> Any:
    text = constraint.text
    match constraint.kind:
        case ConstraintKind.CHOICE:
            return llguidance.grammar_from("choice", json.dumps(choices(constraint)))
        case ConstraintKind.REGEX:
            return llguidance.grammar_from("regex", text)
        case ConstraintKind.GRAMMAR:
            return llguidance.grammar_from("lark", text)
        case ConstraintKind.JSON:
            return llguidance.LLMatcher.grammar_from_json_schema(
                text, defaults={"whitespace_flexible": spaces}
            )


def check(constraint: Constraint) -> None:
    """Raise ConstraintUnsupported where no engine could read `constraint`. Choices need no package
    for it, the other kinds llguidance."""
    if constraint.kind is ConstraintKind.CHOICE:
        choices(constraint)
    else:
        guidance_grammar(constraint)


def accepts(constraint: Constraint, text: str) -> bool:
    """Whether `text`, as a whole, keeps to `constraint`.

    Raises:
        ConstraintUnsupported: the constraint cannot be read.
        MissingPackageError: llguidance, which reads all but choices, is not installed.
    """
    if constraint.kind is ConstraintKind.CHOICE:
        return text in choices(constraint)
    if constraint.kind is ConstraintKind.JSON:
        text = text.strip()
    matcher = package("llguidance").LLMatcher(_bytes(), guidance_grammar(constraint, spaces=True))
    ids = list(text.encode("utf-8", errors="replace"))
    return bool(matcher.try_consume_tokens(ids) == len(ids) and matcher.is_accepting())


class _Bytes:
    """A tokenizer whose tokens are single bytes: what a text is must not hang on a model's."""

    eos_token_id = _END
    bos_token_id = None
    tokens = [bytes([byte]) for byte in range(256)] + [b"<end>"]
    special_token_ids = [_END]

    def __call__(self, text: bytes) -> list[int]:
        return list(text)


@lru_cache(maxsize=1)
def _bytes() -> Any:
    llguidance = package("llguidance")
    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Bytes()))
