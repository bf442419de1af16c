"""How far the estimate of utils/tokens.py is from real tokenizers.

It counts questions and answers, and lists of names and of tickers, which split into more tokens
than prose. Without `--tokenizer` it compares with two that come with mistral-common, which vLLM
installs: a 32k SentencePiece like Llama 2's, and Tekken, a 131k BPE like Llama 3's.
"""

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks._command import CRAG_DATA, ROOT, command, rows_of, show
from models.ranking.optional import need
from utils.tokens import estimate_tokens, load_counter

LENGTHS = (0, 20, 50)
Counter = Callable[[str], int]


def default_data() -> list[Path]:
    """The available answers: our own, and CRAG's if they are present."""
    files = [
        ROOT / "example_data" / "questions.jsonl",
        CRAG_DATA / "judged_pairs.jsonl",
        CRAG_DATA / "questions_validation.jsonl",
    ]
    return [file for file in files if file.is_file()]


def listed_names() -> list[str]:
    """Lists as an answer may be: people, and tickers in either case, from the largest KG here."""
    real = CRAG_DATA / "kg"
    folder = real if real.is_dir() else ROOT / "example_data" / "kg"
    people = [row["name"] for row in rows_of(folder / "persons.jsonl")]
    tickers = [row["ticker"] for row in rows_of(folder / "finance_companies.jsonl")]
    rng = random.Random(0)
    lists = []
    for names in (people, tickers, [ticker.lower() for ticker in tickers]):
        for size in range(5, 30):
            lists += [sep.join(rng.sample(names, size)) for sep in (", ", " ")]
    return lists


def read_texts(file: Path) -> Iterator[str]:
    """Questions, answers and predictions of a file of JSON lines."""
    for row in rows_of(file):
        for key in ("query", "answer", "ground_truth", "prediction"):
            if isinstance(row.get(key), str) and row[key].strip():
                yield row[key]


def bundled() -> dict[str, Counter]:
    """The tokenizers that come with mistral-common, by name."""
    data = Path(need("mistral_common", "mistral-common").__file__).parent / "data"
    pieces = need("sentencepiece", "sentencepiece").SentencePieceProcessor
    old = pieces(str(data / "tokenizer.model.v1"))
    tekken = need("mistral_common.tokens.tokenizers.tekken", "mistral-common").Tekkenizer
    new = tekken.from_file(str(data / "tekken_240911.json"))
    return {
        "32k SentencePiece (like Llama 2)": lambda text: len(old.encode(text)),
        "131k BPE (like Llama 3)": lambda text: len(new.encode(text, bos=False, eos=False)),
    }


@command
def main(
    data: Annotated[
        list[Path] | None, typer.Option(help="JSON lines whose texts are counted; may be repeated")
    ] = None,
    tokenizer: Annotated[
        Path | None, typer.Option(help="a tokenizer.json to measure against")
    ] = None,
) -> None:
    texts = sorted({text for file in data or default_data() for text in read_texts(file)})
    if not data:
        texts += listed_names()
    counters = {tokenizer.name: load_counter(tokenizer)} if tokenizer else bundled()
    estimates = np.array([estimate_tokens(text) for text in texts])
    rows = []
    for name, count in counters.items():
        tokens = np.array([count(text) for text in texts])
        for length in LENGTHS:
            chosen = tokens >= max(length, 1)
            if chosen.any():
                made, true = estimates[chosen], tokens[chosen]
                ratio, under = (made / true).mean(), f"{(made < true).mean():.2%}"
                rows.append((name, length, len(true), ratio, under, max(0, (true - made).max())))
    titles = ("tokenizer", "tokens >=", "texts", "mean ratio", "share under", "most under")
    show("estimated / true tokens", titles, rows)


if __name__ == "__main__":
    sys.exit(main())
