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
# The lengths to which values are cut, in characters; the first with which all traces fit.
CUTS = (20_000, 14_000, 10_000, 7_000, 5_000, 3_500, 2_500, 1_500, 700, 0)

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
    cut, chunks = _fitting_chunks(traces)
    blocks = {"questions": _packed(questions)}
    for number, chunk in enumerate(chunks):
        blocks[f"traces-{number}"] = chunk
    script = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page_data = {**data, "title": title, "chunk": CHUNK, "cut": cut}
    template = Template((FOLDER / "page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=html.escape(title),
        policy=policy,
        script=script,
        style=style,
        data=json_block(page_data),
        blocks="\n".join(
            f'<script type="application/gzip" id="packed-{name}">{block}</script>'
            for name, block in blocks.items()
        ),
    )
    write_text(path, text)
    return path


def _fitting_chunks(traces: Sequence[Sequence[Trace]]) -> tuple[int, list[str]]:
    """The longest cut with which all traces fit, and the packed chunks."""
    for cut in CUTS:
        chunks = _packed_chunks(traces, cut)
        if sum(map(len, chunks)) <= MOST_BYTES:
            break
    return cut, chunks


def _packed_chunks(traces: Sequence[Sequence[Trace]], cut: int) -> list[str]:
    """The traces with values of at most `cut` characters, packed; incomplete if they do not fit.

    With the smallest cut, they are complete whatever their size.
    """
    chunks: list[str] = []
    size = 0
    for start in range(0, len(traces), CHUNK):
        questions = traces[start : start + CHUNK]
        chunk = _packed([[_shortened(trace, cut) for trace in runs] for runs in questions])
        chunks.append(chunk)
        size += len(chunk)
        if size > MOST_BYTES and cut != CUTS[-1]:
            break
    return chunks


def _shortened(trace: Trace, cut: int) -> list[dict[str, Any]]:
    """The steps of a trace as JSON objects, with values of at most `cut` characters."""
    steps = []
    for step in trace:
        record = asdict(step)
        record["output"] = _shortened_text(step.output, cut)
        record["inputs"] = {
            name: _shortened_text(value, cut) for name, value in step.inputs.items()
        }
        steps.append(record)
    return steps


def _shortened_text(text: str, cut: int) -> str:
    if len(text) <= cut:
        return text
    return f"{text[:cut]} … ({len(text):,} characters)"


def _packed(value: Any) -> str:
    """The value as JSON, compressed, as text."""
    return base64.b64encode(gzip.compress(_json(value).encode(), 6, mtime=0)).decode()


def json_block(value: Any) -> str:
    """The value as JSON for a script element: no text in it ends the element."""
    return _json(value).replace("<", "\\u003c")


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _hash(text: str) -> str:
    """The hash of a script or style as a Content-Security-Policy names it."""
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"
