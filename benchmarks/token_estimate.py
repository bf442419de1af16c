"""How far the estimate of utils/tokens.py is from real tokenizers.

    python -m benchmarks.token_estimate [--data FILE ...] [--tokenizer FILE] [--json FILE]

Counted are questions and answers, and lists of names and of tickers, which split into more tokens
than prose. Without `--tokenizer` it measures against two that come with mistral-common, which vLLM
installs: a 32k SentencePiece of Llama 2's kind, and Tekken, a 131k BPE of Llama 3's kind.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

import numpy as np
from rich.console import Console
from rich.table import Table

from utils.tokens import estimate_tokens, load_counter

LENGTHS = (0, 20, 50)
Counter = Callable[[str], int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, nargs="*", help="JSON lines whose texts are counted")
    parser.add_argument("--tokenizer", type=Path, help="a tokenizer.json to measure against")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args()
    files = args.data or default_data()
    texts = sorted({text for file in files for text in read_texts(file)})
    if not args.data:
        texts += listed_names()
    counters = {args.tokenizer.name: load_counter(args.tokenizer)} if args.tokenizer else bundled()
    estimates = np.array([estimate_tokens(text) for text in texts])
    rows = []
    for name, count in counters.items():
        true = np.array([count(text) for text in texts])
        for length in LENGTHS:
            chosen = true >= max(length, 1)
            if chosen.any():
                rows.append(measure(name, length, estimates[chosen], true[chosen]))
    show(rows)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


def measure(
    name: str, length: int, estimates: "np.ndarray[Any, Any]", true: "np.ndarray[Any, Any]"
) -> dict[str, Any]:
    """One row: how the estimate compares for texts of at least `length` tokens."""
    return {
        "tokenizer": name,
        "tokens_at_least": length,
        "texts": len(true),
        "mean_ratio": float((estimates / true).mean()),
        "share_under": float((estimates < true).mean()),
        "most_under": int(max(0, (true - estimates).max())),
    }


def default_data() -> list[Path]:
    """The answers at hand: our own, and CRAG's where they lie."""
    shared = ROOT.parent / "shared" / "crag"
    files = [
        ROOT / "example_data" / "questions.jsonl",
        shared / "judged_pairs.jsonl",
        shared / "questions_validation.jsonl",
    ]
    return [file for file in files if file.is_file()]


def listed_names() -> list[str]:
    """Lists as an answer may be: people, and tickers in either case, from the largest KG here."""
    shared = ROOT.parent / "shared" / "crag" / "kg"
    folder = shared if shared.is_dir() else ROOT / "example_data" / "kg"
    people = [row["name"] for row in read_rows(folder / "persons.jsonl")]
    tickers = [row["ticker"] for row in read_rows(folder / "finance_companies.jsonl")]
    rng = random.Random(0)
    lists = []
    for names in (people, tickers, [ticker.lower() for ticker in tickers]):
        for size in range(5, 30):
            lists += [sep.join(rng.sample(names, size)) for sep in (", ", " ")]
    return lists


def read_rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def read_texts(file: Path) -> Iterator[str]:
    """Questions, answers and predictions of a file of JSON lines."""
    for row in read_rows(file):
        for key in ("query", "answer", "ground_truth", "prediction"):
            if isinstance(row.get(key), str) and row[key].strip():
                yield row[key]


def bundled() -> dict[str, Counter]:
    """The tokenizers that come with mistral-common, by name."""
    try:
        import mistral_common
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise SystemExit(f"give --tokenizer FILE, or install mistral-common ({error})") from error
    data = Path(mistral_common.__file__).parent / "data"
    sentencepiece = SentencePieceProcessor(str(data / "tokenizer.model.v1"))
    tekken = Tekkenizer.from_file(str(data / "tekken_240911.json"))
    return {
        "32k SentencePiece (like Llama 2)": lambda text: len(sentencepiece.encode(text)),
        "131k BPE (like Llama 3)": lambda text: len(tekken.encode(text, bos=False, eos=False)),
    }


def show(rows: list[dict[str, Any]]) -> None:
    table = Table(title="estimated / true tokens")
    for title in ("tokenizer", "tokens >=", "texts", "mean ratio", "share under", "most under"):
        table.add_column(title, justify="left" if title == "tokenizer" else "right")
    for row in rows:
        table.add_row(
            row["tokenizer"],
            str(row["tokens_at_least"]),
            str(row["texts"]),
            f"{row['mean_ratio']:.2f}",
            f"{row['share_under']:.2%}",
            str(row["most_under"]),
        )
    Console().print(table)


if __name__ == "__main__":
    main()
