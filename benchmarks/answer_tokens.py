"""How close the estimate of an answer's tokens is to real tokenizers, on gold answers.

The folder of the data has questions_validation.jsonl, questions_more.jsonl and, for `--write`, kg/.
`--tokenizer` is a tokenizer.json of Llama 2 or 3; of several, the largest number of an answer
counts.

`--write` measures the table of the estimate, `utils/token_counts.toml`, on the names of the KG and
on the project's own texts, not on gold answers.
"""

import bz2
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import fmean, pvariance
from textwrap import fill
from typing import Annotated

import typer

from benchmarks._command import ROOT, Data, command, rows_of, show
from utils.tokens import (
    TABLE,
    SplitCounts,
    TokenCounter,
    TokenTable,
    estimate_tokens,
    load_counter,
    text_pieces,
    token_table,
)

WORDS = 6000  # of the table at most, the most frequent ones that are one token
_LONGEST = 12  # letters with a mean of their own
_FEWEST = 20  # words for a mean
_WORD = re.compile(r"[A-Za-z]{2,}")
_CHARACTERS = [*range(0xA1, 0x250), *range(0x2010, 0x2045), 0x20AC, 0x2122]
_NAME_KEYS = ("title", "name", "song", "artist", "team", "opponent")
_OWN_TEXTS = ("docs/*.md", "models/kg/lexicon/*.toml", "training/queries/*.toml")
_OWN_QUESTIONS = ROOT / "training" / "data" / "kg_questions.jsonl.bz2"
_EXAMPLES = ROOT / "example_data" / "questions.jsonl"
_LONG = 50  # tokens of an answer that may be near the limit


@command
def main(
    tokenizer: Annotated[list[Path], typer.Option(help="a tokenizer.json; may be repeated")],
    data: Data,
    write: Annotated[bool, typer.Option(help="measure utils/token_counts.toml anew")] = False,
) -> None:
    counters = [load_counter(path) for path in tokenizer]

    def count(text: str) -> int:
        return max(counter(text) for counter in counters)

    if write:
        names = list(_names_of_kg(data / "kg"))
        TABLE.write_text(_table_text(names, count), encoding="utf-8")
        token_table.cache_clear()
    columns = ("answers", "n", "mean", "of all", "worst", "lowest", "below", "over 75", "wrongly")
    rows = []
    for title, texts in (
        ("gold answers (validation)", list(_golds(data / "questions_validation.jsonl"))),
        ("gold answers (further questions)", list(_golds(data / "questions_more.jsonl"))),
        ("gold answers (example data)", list(_golds(_EXAMPLES))),
    ):
        rows.append((title, *_figures(texts, count)))
        long_texts = [text for text in texts if count(text) >= _LONG]
        if long_texts:
            rows.append((f"  of {_LONG} tokens or more", *_figures(long_texts, count)))
    show("estimate / tokens", columns, rows)


def _figures(texts: Sequence[str], count: TokenCounter) -> tuple[object, ...]:
    """Of estimate / tokens: mean, ratio of the sums, worst and lowest; answers below their tokens;
    those over 75 tokens by the tokenizer, and by the estimate alone."""
    tokens = [count(text) for text in texts]
    estimates = [estimate_tokens(text) for text in texts]
    ratios = [many / few for many, few in zip(estimates, tokens, strict=True)]
    over = [number > 75 for number in tokens]
    wrongly = [many > 75 and not really for many, really in zip(estimates, over, strict=True)]
    return (
        len(texts),
        f"{fmean(ratios):.3f}",
        f"{sum(estimates) / sum(tokens):.3f}",
        f"{max(ratios):.2f}",
        f"{min(ratios):.2f}",
        sum(ratio < 1 for ratio in ratios),
        sum(over),
        sum(wrongly),
    )


def _golds(file: Path) -> Iterator[str]:
    """The gold answers of a file, as they stand."""
    for row in rows_of(file):
        others = row.get("alt_ans")
        for answer in [row.get("answer"), *(others if isinstance(others, list) else ())]:
            if isinstance(answer, str) and answer.strip():
                yield answer


# --- the table


def _table_text(names: Sequence[str], count: TokenCounter) -> str:
    """The content of `token_counts.toml`."""
    listed = list(islice(_one_token_words([*names, *_own_texts()], count), WORDS))
    words = [word for word in listed if count(word) == 1]
    inner_words = [word for word in listed if count(word) > 1]
    characters = [chr(code) for code in _CHARACTERS if _is_one_token(chr(code), count)]
    sections = []
    for title, counts in _counts_by_kind(names, listed, count).items():
        means, variances = _means(counts)
        sections.append(f"[{title}]\nmean = {means}\nvariance = {variances}\n")
    return "\n".join(
        [
            "# Tokens of Llama 2 and 3, the larger number; written by `python -m"
            " benchmarks.answer_tokens --data DATA --write`.",
            "# What the sections mean: `TokenTable` in utils/tokens.py.",
            _listing("words", words),
            _listing("inner_words", inner_words),
            f"characters = '''\n{''.join(characters)}\n'''\n",
            *sections,
        ]
    )


def _listing(title: str, words: Iterable[str]) -> str:
    return f'{title} = """\n{fill(" ".join(sorted(words)), 118, break_on_hyphens=False)}\n"""\n'


def _one_token_words(texts: Iterable[str], count: TokenCounter) -> Iterator[str]:
    """The words that are one token after a space, the most frequent first."""
    frequencies: Counter[str] = Counter()
    for text in texts:
        for word in _WORD.findall(text):
            frequencies.update({word, word.lower()})
    one = count("a")
    for word, _ in frequencies.most_common():
        if count(f"a {word}") == one + 1:
            yield word


def _is_one_token(character: str, count: TokenCounter) -> bool:
    """Whether a character is one token after a letter and after a space."""
    pairs = (("ab", f"ab{character}"), ("a b", f"a {character}b"))
    return all(count(longer) <= count(text) + 1 for text, longer in pairs)


def _counts_by_kind(
    names: Sequence[str], listed: Sequence[str], count: TokenCounter
) -> dict[str, dict[int, list[int]]]:
    """The tokens of words, by section of the table and length."""
    nothing = SplitCounts((1.0,), (0.0,))
    words = frozenset(listed)
    table = TokenTable(words, frozenset(), frozenset(), nothing, nothing, nothing)
    cached = cache(count)
    start = count("a")
    dot = count(".")
    kinds: dict[str, dict[int, list[int]]] = {}
    for kind in ("split", "capitals", "joined"):
        kinds[kind] = defaultdict(list)
    for name in names:
        for text in (name, name.lower()):
            for piece, before in text_pieces(text):
                if not _WORD.fullmatch(piece):
                    continue
                opens = before in ("", " ")
                tokens = cached(f"a {piece}") - start if opens else cached(f".{piece}") - dot
                if piece in words:
                    if not opens:
                        kinds["joined"][len(piece)].append(tokens)
                elif piece.isupper():
                    kinds["capitals"][len(piece)].append(tokens)
                else:
                    kinds["split"][table.letters_after_beginning(piece)].append(tokens)
    return kinds


def _means(counts: dict[int, list[int]]) -> tuple[list[float], list[float]]:
    """The means and variances by length; a length with too few words has those of the one before,
    or more."""
    means: list[float] = []
    variances: list[float] = []
    mean = 1.0
    variance = 0.0
    for length in range(1, _LONGEST + 1):
        if len(counts[length]) >= _FEWEST:
            mean = max(mean, fmean(counts[length]))
            variance = max(variance, pvariance(counts[length]))
        means.append(round(mean, 2))
        variances.append(round(variance, 2))
    return means, variances


def _names_of_kg(folder: Path) -> Iterator[str]:
    """The names in the files of a KG, each once."""
    names: dict[str, None] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for row in rows_of(file):
            for key in _NAME_KEYS:
                value = row.get(key)
                if isinstance(value, str):
                    names[value] = None
    return iter(names)


def _own_texts() -> Iterator[str]:
    """The project's own English."""
    for pattern in _OWN_TEXTS:
        for file in sorted(ROOT.glob(pattern)):
            yield file.read_text(encoding="utf-8")
    with bz2.open(_OWN_QUESTIONS, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield f"{row['query']} {row['answer']}"


if __name__ == "__main__":
    sys.exit(main())
