"""Draws how one question's pages become passages: docs/web.svg.

The question is one of example_data/, and the path the default one without an embedding model.
"""

import html
import sys
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import ROOT, Json, main_of, write
from evaluation.dataset import read_examples, to_batch
from models.batch import read_batch
from models.records import Question, Task
from models.web.factory import make_retriever
from models.web.retrieved import Retrieved
from models.web.settings import preset
from utils.deadline import Deadline
from utils.errors import InputError

QUESTION = "how tall is the eiffel tower in metres?"
WIDTH, ROW, SHOWN = 1100, 46, 5
COLUMNS = (10, 310, 560, 770)


def find(text: str) -> Question:
    """The example question of that text. Raises InputError where there is none."""
    for example in read_examples(ROOT / "example_data" / "questions.jsonl"):
        for question in read_batch(to_batch([example]), lambda pages: Task.WEB):
            if isinstance(question, Question) and question.text == text:
                return question
    raise InputError(f"no example question {text!r}")


def draw(question: Question, found: Retrieved) -> str:
    """An SVG: the pages, the text of each, and the retrieved passages, best first."""
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


def measure(
    question: Annotated[str, typer.Option(help="one of example_data/")] = QUESTION,
    out: Annotated[Path, typer.Option(help="the picture")] = ROOT / "docs" / "web.svg",
    json_file: Json = None,
) -> None:
    asked = find(question)
    found = make_retriever(preset("default")).retrieve(asked, Deadline.after(60))
    out.write_text(draw(asked, found), encoding="utf-8")
    write(json_file, {"counts": found.counts, "best": found.passages[0].text})


main = main_of(measure)

if __name__ == "__main__":
    sys.exit(main())
