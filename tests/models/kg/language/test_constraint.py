"""The grammar that constrains a model compiles, and takes what the printer prints."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from models.kg.language.grammar import Bounds, constraint_text
from tests.models.kg.cases import cases

llguidance = pytest.importorskip("llguidance", reason="the constraint's engine is not installed")

CASES = Path(__file__).parent / "cases"


class Bytes:
    """A tokenizer whose tokens are single bytes."""

    eos_token_id, bos_token_id, special_token_ids = 256, None, [256]
    tokens = [bytes([byte]) for byte in range(256)] + [b"<end>"]

    def __call__(self, text: bytes) -> list[int]:
        return list(text)


@pytest.fixture(scope="module")
def tokenizer() -> "llguidance.LLTokenizer":
    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(Bytes()))


def refused(tokenizer: "llguidance.LLTokenizer", grammar: str, texts: Iterable[str]) -> list[str]:
    """Those of `texts` that the grammar does not admit."""
    compiled = llguidance.LLMatcher(tokenizer, llguidance.grammar_from("lark", grammar))
    assert not compiled.is_error(), compiled.get_error()
    found = []
    for text in texts:
        matcher, tokens = compiled.deep_copy(), list(text.encode())
        if matcher.try_consume_tokens(tokens) != len(tokens) or not matcher.is_accepting():
            found.append(text)
    return found


def test_what_is_printed_may_be_written(tokenizer: "llguidance.LLTokenizer") -> None:
    written = [*cases(CASES / "programs.jsonl"), *cases(CASES / "repairs.jsonl")]
    printed = [case.values[0]["printed"] for case in written]
    assert refused(tokenizer, constraint_text(), printed) == []


def test_nothing_else_may_be_written(tokenizer: "llguidance.LLTokenizer") -> None:
    wrong = [
        "",
        "ALL None",
        'get_movi("a")["title"]',
        'get_movie("a")["close"]',
        'get_movie("a", eq(close, 1))["title"]',
        'get_movie("a"',
        "get_movie('a')",
        'get_movie("a", "b")',
        'get_movie("a\n")',
        'get_movie(None)["title"]["len"]["len"]',
        f'get_movie("{"a" * 121}")',
    ]
    assert refused(tokenizer, constraint_text(), wrong) == wrong


def test_statements_and_nesting_are_bounded(tokenizer: "llguidance.LLTokenizer") -> None:
    grammar = constraint_text(bounds=Bounds(statements=2, depth=2))
    right = ["; ".join(["None"] * 2), 'get_movie(get_movie("a")["title"])']
    wrong = ["; ".join(["None"] * 3), 'get_movie(get_movie(get_movie("a")))']
    assert refused(tokenizer, grammar, right + wrong) == wrong
