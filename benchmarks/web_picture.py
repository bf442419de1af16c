"""Draws how one question's pages become passages: docs/web.svg.

    python -m benchmarks.web_picture [--question TEXT] [--out FILE] [--json FILE]

The question is one of example_data/, and the path the default one without an embedding model.
"""

import argparse
import html
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from evaluation.dataset import read_examples, to_batch
from models.batch import read_batch
from models.records import Question, Task
from models.web.factory import make_retriever
from models.web.retrieved import Retrieved
from models.web.settings import preset
from utils.deadline import Deadline

QUESTION = "how tall is the eiffel tower in metres?"
WIDTH, ROW, SHOWN = 1100, 46, 5
COLUMNS = (10, 310, 560, 770)


def find(text: str) -> Question:
    """The example question of that text. Raises SystemExit where there is none."""
    for example in read_examples(ROOT / "example_data" / "questions.jsonl"):
        for question in read_batch(to_batch([example]), lambda pages: Task.WEB):
            if isinstance(question, Question) and question.text == text:
                return question
    raise SystemExit(f"no example question {text!r}")


def draw(question: Question, found: Retrieved) -> str:
    """An SVG: pages, what each gave, and the passages that came out, best first."""
    pages = sorted(found.texts)
    kept = found.passages[:SHOWN]
    height = 110 + ROW * max(len(pages), len(kept) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        _text(COLUMNS[0], 24, question.text, 'font-size="16" font-weight="bold"'),
    ]
    for x, label in zip(COLUMNS, ("pages", "text", "passages", "the best"), strict=True):
        parts.append(_text(x, 58, label, 'font-weight="bold"'))
    place = {page: 84 + ROW * row for row, page in enumerate(pages)}
    for page, y in place.items():
        text = found.texts[page]
        size = f"{len(question.pages[page].html):,} characters of HTML"
        parts += [
            _text(COLUMNS[0], y, _short(text.title, 44)),
            _text(COLUMNS[0], y + 15, size, GREY),
        ]
        tables = f", {len(text.tables)} tables" if text.tables else ""
        parts.append(_text(COLUMNS[1], y, f"{len(text.text):,} characters{tables}"))
        count = sum(passage.page == page for passage in found.passages)
        parts.append(_text(COLUMNS[2], y, f"{count} found"))
    for row, passage in enumerate(kept):
        y = 84 + ROW * row
        parts.append(
            f'<line x1="{COLUMNS[2] + 70}" y1="{place[passage.page] - 4}" x2="{COLUMNS[3] - 8}"'
            f' y2="{y - 4}" stroke="#7a9cc6"/>'
        )
        parts.append(_text(COLUMNS[3], y, f"{row + 1}. {_short(passage.text, 48)}"))
        parts.append(_text(COLUMNS[3], y + 15, f"score {passage.score:.1f}", GREY))
    counts = found.counts
    said = (
        f"{len(question.pages)} pages, {counts['pages']} read; {counts['chunks']} passages,"
        f" {counts['children']} children; {len(found.passages)} passages kept"
    )
    parts.append(_text(COLUMNS[0], height - 12, said, GREY))
    return "\n".join([*parts, "</svg>", ""])


GREY = 'fill="#777"'


def _text(x: int, y: int, text: str, style: str = "") -> str:
    return f'<text x="{x}" y="{y}" {style}>{html.escape(text)}</text>'


def _short(text: str, size: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= size else text[: size - 1].rstrip() + "\u2026"


def main() -> None:
    parser = argparse.ArgumentParser(description="A picture of one question's path.")
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "web.svg")
    parser.add_argument("--json", type=Path, help="write what is drawn here too")
    args = parser.parse_args()
    question = find(args.question)
    found = make_retriever(preset("default")).retrieve(question, Deadline.after(60))
    args.out.write_text(draw(question, found), encoding="utf-8")
    if args.json:
        facts: dict[str, Any] = {"counts": found.counts, "best": found.passages[0].text}
        args.json.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
