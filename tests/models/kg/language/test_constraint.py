"""The grammar that constrains a model compiles, and takes what the printer prints."""

import json
from pathlib import Path

import pytest

from models.kg.language.grammar import Bounds, constraint_text

llguidance = pytest.importorskip("llguidance", reason="the constraint's engine is not installed")

CASES = Path(__file__).parent / "cases"
END = 256


class Bytes:
    """A tokenizer whose tokens are single bytes."""

    eos_token_id = END
    bos_token_id = None
    tokens = [bytes([byte]) for byte in range(256)] + [b"<end>"]
    special_token_ids = [END]

    def __call__(self, text: bytes) -> list[int]:
        return list(text)


@pytest.fixture(scope="module")
def tokenizer() -> "llguidance.LLTokenizer":
    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(Bytes()))


def accepts(tokenizer: "llguidance.LLTokenizer", grammar: str, text: str) -> bool:
    matcher = llguidance.LLMatcher(tokenizer, llguidance.grammar_from("lark", grammar))
    assert not matcher.is_error(), matcher.get_error()
    tokens = list(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


def printed() -> list[str]:
    return [
        json.loads(line)["printed"]
        for name in ("programs", "repairs")
        for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def test_llguidance_compiles_it() -> None:
    grammar = llguidance.grammar_from("lark", constraint_text())
    is_error, messages = llguidance.LLMatcher.validate_grammar_with_warnings(grammar)
    assert not is_error
    assert not messages


@pytest.mark.parametrize("text", dict.fromkeys(printed()))
def test_what_is_printed_may_be_written(tokenizer: "llguidance.LLTokenizer", text: str) -> None:
    assert accepts(tokenizer, constraint_text(), text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
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
    ],
)
def test_nothing_else_may_be_written(tokenizer: "llguidance.LLTokenizer", text: str) -> None:
    assert not accepts(tokenizer, constraint_text(), text)


def test_statements_and_nesting_are_bounded(tokenizer: "llguidance.LLTokenizer") -> None:
    grammar = constraint_text(bounds=Bounds(statements=2, depth=2))
    assert accepts(tokenizer, grammar, "; ".join(["None"] * 2))
    assert not accepts(tokenizer, grammar, "; ".join(["None"] * 3))
    assert accepts(tokenizer, grammar, 'get_movie(get_movie("a")["title"])')
    assert not accepts(tokenizer, grammar, 'get_movie(get_movie(get_movie("a")))')
