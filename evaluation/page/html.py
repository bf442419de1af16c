"""A self-contained HTML file: its policy allows its own script and style, and no network."""

import base64
import gzip
import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

from evaluation.run_folder import write_text
from models.runtime.trace import Step

FOLDER = Path(__file__).resolve().parent
SCRIPTS = ("page.js", "charts.js", "overview.js", "questions.js", "main.js")
CHUNK = 25  # questions whose traces are unpacked at once
MOST_BYTES = 10 << 20  # of all packed traces; the values in them are shortened until they fit
CUTS = (20_000, 14_000, 10_000, 7_000, 5_000, 3_500, 2_500, 1_500, 700, 0)  # characters of a value

Trace = Sequence[Step]


def write_page(
    path: Path,
    title: str,
    data: Mapping[str, Any],
    questions: Sequence[Mapping[str, Any]],
    traces: Sequence[Sequence[Trace]],
) -> Path:
    """Write the page and return its path.

    Args:
        data: what the overview shows, JSON values.
        questions: the rows of the table.
        traces: of each question, in the same order: the trace of each run.

    Raises:
        InputError: it cannot be written.
    """
    cut, chunks = _fitting(traces)
    shown = {**data, "title": title, "chunk": CHUNK, "cut": cut}
    packed = {"questions": _packed(questions)}
    packed |= {f"traces-{number}": chunk for number, chunk in enumerate(chunks)}
    script = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    template = Template((FOLDER / "page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=html.escape(title),
        policy=f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        script=script,
        style=style,
        data=_json(shown).replace("<", "\\u003c"),  # so that no text ends the block
        blocks="\n".join(
            f'<script type="application/gzip" id="packed-{name}">{block}</script>'
            for name, block in packed.items()
        ),
    )
    write_text(path, text)
    return path


def _fitting(traces: Sequence[Sequence[Trace]]) -> tuple[int, list[str]]:
    """The longest cut with which all traces fit, and the packed chunks."""
    for cut in CUTS:
        chunks: list[str] = []
        for start in range(0, len(traces), CHUNK):
            rows = traces[start : start + CHUNK]
            chunks.append(_packed([[_shortened(trace, cut) for trace in row] for row in rows]))
            if cut and sum(map(len, chunks)) > MOST_BYTES:
                break
        else:
            break
    return cut, chunks


def _shortened(trace: Trace, cut: int) -> list[dict[str, Any]]:
    def short(text: str) -> str:
        return text if len(text) <= cut else f"{text[:cut]} … ({len(text):,} characters)"

    return [
        {
            **asdict(step),
            "output": short(step.output),
            "inputs": {name: short(value) for name, value in step.inputs.items()},
        }
        for step in trace
    ]


def _packed(value: Any) -> str:
    return base64.b64encode(gzip.compress(_json(value).encode(), 6, mtime=0)).decode()


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"
