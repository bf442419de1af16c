"""Each system over its paper's web path: which pages are read, and how they are cut."""

import re
from typing import Any

import pytest

from models.batch import read_query_time
from models.records import Page, Question, Task
from models.runtime.ledger import Ledger
from models.systems.bumblebee7.system import Bumblebee7System
from models.systems.db3 import Db3System
from models.systems.dragonrangers.system import DragonrangersOptions, DragonrangersSystem
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from tests.models.systems.scripted import ScriptedLLMs, paths, sure
from utils.deadline import Deadline

SOON = Deadline(100.0, lambda: 0.0)
ASKED = "how tall is the lighthouse of Port Amble?"
NAMED = (3, 5, 8, 9, 11)  # the pages whose names or snippets are about what is asked


def retriever(preset: str, **fields: Any) -> Retriever:
    """The path of a paper, with words in place of its models."""
    words = {"embedder": None, "reranker": "lexical", "lexical_weight": 1.0}
    return make_retriever(web_settings({"preset": preset, **words, **fields}))


def pages(*, title: bool, body: str = "Port Amble lighthouse, page {n}.") -> tuple[Page, ...]:
    """Twelve pages that say the same; five bear it in their titles, or in their snippets."""
    made = []
    for n in range(12):
        about = "The lighthouse of Port Amble" if n in NAMED else "Something else"
        name, snippet = (about, "") if title else ("A page", about)
        html = f"<title>{name}</title><h1>Lights</h1><p>{body.format(n=n)}</p>"
        made.append(Page(name, f"https://{n}.example", snippet, html))
    return tuple(made)


def ask(system: Any, read: tuple[Page, ...]) -> None:
    asked_at = read_query_time("03/10/2024, 23:19:21 PT")
    system.answer([Question("q", ASKED, asked_at, Task.END_TO_END, read)], SOON, Ledger(1))


def pages_in(prompt: str) -> set[int]:
    return {int(number) for number in re.findall(r"page (\d+)\.", prompt)}


def test_db3_reads_the_five_pages_with_the_best_snippets() -> None:
    llms = ScriptedLLMs({"answer_web": lambda prompt: "41 m"})
    ask(Db3System(llms, None, retriever("db3")), pages(title=False))
    assert pages_in(llms.asked("answer_web")[0]) == set(NAMED)


def bumblebee7(web: Retriever) -> tuple[ScriptedLLMs, Bumblebee7System]:
    llms = ScriptedLLMs(
        {
            "rewrite_query": lambda prompt: ASKED,
            "extract_premise": lambda prompt: "none",
            "think": lambda prompt: "Thoughts: tall\nAnswer: 41 m [1].",
            "answer": lambda prompt: "41 m",
        }
    )
    return llms, Bumblebee7System(llms, web)


def test_bumblebee7_reads_the_five_pages_with_the_best_titles() -> None:
    llms, system = bumblebee7(retriever("bumblebee7"))
    ask(system, pages(title=True))
    assert pages_in(llms.asked("think")[0]) == set(NAMED)


def test_bumblebee7_cuts_sections_into_chunks_of_700_tokens_that_overlap_by_20() -> None:
    body = " ".join(f"Amble{number}" for number in range(1000))
    llms, system = bumblebee7(retriever("bumblebee7"))
    ask(system, pages(title=True, body=body)[3:4])
    text = llms.asked("think")[0]
    chunks = [
        set(re.findall(r"Amble(\d+)", chunk)) for chunk in re.split(r"^\[\d+\]", text, flags=re.M)
    ][1:]
    assert all(len(chunk) <= 350 for chunk in chunks)  # a word and its number are two tokens
    assert sum(map(len, chunks)) > len(set.union(*chunks)) == 1000
    assert "\n# Lights\n\nAmble0 Amble1 " in text


def test_bumblebee7_has_no_reference_of_a_heading_alone() -> None:
    html = "<h2>Related lighthouses</h2><h1>Lighthouse</h1><p>It is 41 m tall.</p>"
    llms, system = bumblebee7(retriever("bumblebee7"))
    ask(system, (Page("T", "", "", html),))
    (text,) = llms.asked("think")
    assert "[1] T\n# Lighthouse\n\nIt is 41 m tall." in text and "Related" not in text


@pytest.mark.parametrize("length", [700, 4000])
def test_dragonrangers_reads_the_best_four_of_512_tokens_each(length: int) -> None:
    body = " ".join(f"lighthouse {number}" for number in range(length // 2))
    llms = ScriptedLLMs(
        {
            "answer_alone": paths("one", "two", "three"),
            "answer_web": sure("41 m", 0.9),
        }
    )
    web = retriever("dragonrangers")
    options = DragonrangersOptions(context_tokens=100_000)
    system = DragonrangersSystem(llms, web, options=options)
    ask(system, pages(title=True, body=body)[3:4])
    (prompt,) = llms.asked("answer_web")
    read = re.findall(r"lighthouse (\d+)", prompt)
    if length == 700:  # all of it, once, though neighbours overlap by 32
        assert len(set(read)) == 350 == len(read)
    else:
        assert 4 * 64 < len(read) <= 4 * 256  # a word and a number are two tokens or more
