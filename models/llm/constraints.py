"""Constraints as grammars of llguidance, and whether a text satisfies a constraint."""

import json
from collections.abc import Collection, Sequence
from functools import lru_cache
from os.path import commonprefix
from typing import Any

from models.llm.errors import AdapterUnknown, ConstraintUnsupported
from models.llm.protocol import Constraint, ConstraintKind, Prompt
from utils.packages import package


def choices(constraint: Constraint) -> list[str]:
    """The lines of a choice.

    Raises:
        ConstraintUnsupported: there are none.
    """
    lines = [line for line in constraint.text.splitlines() if line]
    if not lines:
        raise ConstraintUnsupported(f"{constraint.kind}: there is nothing to choose from")
    return lines


@lru_cache(maxsize=64)
def guidance_grammar(constraint: Constraint, *, spaces: bool = False) -> str:
    """The constraint as a grammar of llguidance.

    Args:
        constraint: the texts that are allowed.
        spaces: whether JSON may have whitespace between its parts. A model must not write it: one
            that is unsure would write nothing else.

    Raises:
        ConstraintUnsupported: the constraint cannot be parsed, or llguidance does not support it.
        MissingPackageError: llguidance is not installed.
    """
    llguidance = package("llguidance")
    text = constraint.text
    grammar: str
    try:
        match constraint.kind:
            case ConstraintKind.CHOICE:
                grammar = llguidance.grammar_from("choice", json.dumps(choices(constraint)))
            case ConstraintKind.REGEX:
                grammar = llguidance.grammar_from("regex", text)
            case ConstraintKind.GRAMMAR:
                grammar = llguidance.grammar_from("lark", text)
            case ConstraintKind.JSON:
                defaults = {"whitespace_flexible": spaces}
                grammar = llguidance.LLMatcher.grammar_from_json_schema(text, defaults=defaults)
    except ValueError as error:
        raise ConstraintUnsupported(f"{constraint.kind}: {error}") from error
    problem = llguidance.LLMatcher.validate_grammar(grammar)
    if problem and not problem.startswith("WARNING"):
        raise ConstraintUnsupported(f"{constraint.kind}: {problem}")
    return grammar


def check_prompts(prompts: Sequence[Prompt], adapters: Collection[str | None]) -> None:
    """Check prompts before anything is generated.

    Raises:
        AdapterUnknown: a prompt names an adapter that is not among `adapters`.
        ConstraintUnsupported: no engine could read a constraint.
        MissingPackageError: llguidance, which reads all but choices, is not installed.
    """
    for prompt in prompts:
        if prompt.adapter is not None and prompt.adapter not in adapters:
            known = ", ".join(sorted(name for name in adapters if name)) or "none"
            raise AdapterUnknown(f"no adapter is called {prompt.adapter!r}; there are: {known}")
        constraint = prompt.constraint
        if constraint is None:
            continue
        if constraint.kind is ConstraintKind.CHOICE:
            choices(constraint)
        else:
            guidance_grammar(constraint)


def accepts(constraint: Constraint, text: str) -> bool:
    """Whether `text` as a whole satisfies `constraint`.

    Raises:
        ConstraintUnsupported: the constraint cannot be read.
        MissingPackageError: llguidance, which reads all but choices, is not installed.
    """
    return first_fault(constraint, text) is None


def first_fault(constraint: Constraint, text: str) -> int | None:
    """The number of characters of `text` before the first that `constraint` forbids: all of them if
    the text ends too early. None if the text as a whole satisfies it.

    >>> choice = Constraint(ConstraintKind.CHOICE, "movie\\nmusic")
    >>> [first_fault(choice, text) for text in ("movie", "mozart", "mus")]
    [None, 2, 3]

    Raises:
        ConstraintUnsupported: the constraint cannot be read.
        MissingPackageError: llguidance, which reads all but choices, is not installed.
    """
    if constraint.kind is ConstraintKind.CHOICE:
        lines = choices(constraint)
        return None if text in lines else max(len(commonprefix([text, line])) for line in lines)
    whole = text
    if constraint.kind is ConstraintKind.JSON:
        text = text.strip()
    llguidance = package("llguidance")
    matcher = llguidance.LLMatcher(_byte_tokenizer(), guidance_grammar(constraint, spaces=True))
    encoded = text.encode("utf-8", errors="replace")
    accepted = matcher.try_consume_tokens(list(encoded))
    if accepted == len(encoded) and matcher.is_accepting():
        return None
    before = len(whole) - len(whole.lstrip()) if text != whole else 0
    return before + len(encoded[:accepted].decode("utf-8", errors="ignore"))


@lru_cache(maxsize=1)
def _byte_tokenizer() -> Any:
    """A tokenizer of single bytes: the check must not depend on a model's tokenizer."""
    return package("llguidance").LLTokenizer("byte")
