"""A batch whose stages are slowed tenfold still answers in time, and says what it went without."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.llm.protocol import Completion, FinishReason, Prompt
from models.pace import GivenUp, Pace
from models.prompts import Template
from models.ranking.protocol import Floats
from models.records import Page, Question, Task
from models.systems.db3 import Db3System
from models.systems.protocol import Ledger
from models.systems.rounds import Request, Rounds
from models.web.extractors import Reader
from models.web.html import SelectolaxExtractor
from models.web.page import PageText
from models.web.retriever import Retriever
from tests.models.systems.scripted import ScriptedLLM, ScriptedLLMs
from utils.deadline import Deadline

WEB = (GivenUp.RERANK, GivenUp.DENSE, GivenUp.PAGES)
LLM = (GivenUp.SAMPLES, GivenUp.PASSAGES, GivenUp.ROUND)
DOCS = Path(__file__).parents[2] / "docs" / "submit.md"


@dataclass
class World:
    """A clock that only work moves on, `slow` times as far as it should; each thread's own."""

    slow: float = 1.0
    start: float = 0.0
    spent: dict[int, float] = field(default_factory=dict)

    @property
    def now(self) -> float:
        return self.start + self.spent.get(threading.get_ident(), 0.0)

    def spend(self, seconds: float) -> None:
        self.pass_by(seconds * self.slow)

    def pass_by(self, seconds: float) -> None:
        thread = threading.get_ident()
        self.spent[thread] = self.spent.get(thread, 0.0) + seconds

    def deadline(self, seconds: float) -> Deadline:
        """A deadline so many seconds from when all threads are done."""
        self.start += max(self.spent.values(), default=0.0)
        self.spent.clear()
        return Deadline(self.start + seconds, lambda: self.now)

    @property
    def end(self) -> float:
        """When the last thread was done."""
        return self.start + max(self.spent.values(), default=0.0)


@dataclass
class SlowEmbedder:
    world: World

    def embed(self, texts: Sequence[str]) -> Floats:
        self.world.spend(0.002 * len(texts))
        return np.ones((len(texts), 2), dtype=np.float32)

    def embed_query(self, query: str) -> Floats:
        return np.ones(2, dtype=np.float32)


@dataclass
class SlowReranker:
    world: World

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        self.world.spend(0.03 * len(texts))
        return np.zeros(len(texts), dtype=np.float32)


class SlowReader(Reader):
    def __init__(self, world: World) -> None:
        super().__init__([SelectolaxExtractor()])
        self._world = world

    def read(self, page: Page, counts: Counter[str]) -> PageText:
        self._world.spend(0.002)
        return super().read(page, counts)


def slow_retriever(world: World) -> Retriever:
    return Retriever(
        reader=SlowReader(world), embedder=SlowEmbedder(world), reranker=SlowReranker(world)
    )


@dataclass
class SlowLLM(ScriptedLLM):
    """Stops at the deadline, as the engines do."""

    world: World = field(default_factory=World)

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        self.rounds.append((self.subtask, list(prompts)))
        made: list[Completion] = []
        for prompt in prompts:
            cost = 0.004 * prompt.max_tokens * prompt.n * self.world.slow
            late = cost > deadline.remaining()
            self.world.pass_by(min(cost, deadline.remaining()))
            said = str(self.reply(prompt))
            made.append(
                Completion("", FinishReason.DEADLINE, 0)
                if late
                else Completion(said, FinishReason.STOP, 1)
            )
        return made


def slow_llms(world: World, **replies: str) -> ScriptedLLMs:
    llms = ScriptedLLMs({name: (lambda prompt, said=said: said) for name, said in replies.items()})
    llms._scripted = {
        name: SlowLLM(name, reply, llms.rounds, world=world) for name, reply in llms.replies.items()
    }
    return llms


def question(pages: int = 5) -> Question:
    body = "".join(f"<p>The lighthouse number {n} is {n} m tall. {'It rains. ' * 60}</p>"
                   for n in range(4))  # fmt: skip
    found = tuple(
        Page(f"p{i}", "", f"lighthouse {i}", f"<title>p{i}</title>{body}<p>{i}</p>")
        for i in range(pages)
    )
    return Question("q", "how tall is the lighthouse?", None, Task.KG_WEB, found)


def test_a_mean_leans_to_the_newest_and_nothing_is_known_at_first() -> None:
    pace = Pace()
    assert pace.expected("x", 5) == 0
    pace.done("x", 0, 3)
    assert pace.expected("x", 5) == 0
    pace.done("x", 2, 2)
    assert pace.expected("x", 5) == pytest.approx(6)  # a fifth more than measured
    pace.done("x", 1, 3)
    assert pace.expected("x", 5) == pytest.approx(12)


def test_a_small_measurement_weighs_little_and_what_was_left_out_is_trusted_less() -> None:
    pace = Pace()
    pace.done("x", 100, 100)
    pace.done("x", 1, 10)
    assert pace.expected("x", 1) == pytest.approx(60 / 51 * 1.2)
    pace.skipped("x")
    assert pace.expected("x", 1) == pytest.approx(30 / 51 * 1.2)
    pace.skipped("y")
    assert pace.expected("y", 1) == 0


def test_what_was_cut_off_counts_only_where_it_shows_a_slower_pace() -> None:
    pace = Pace()
    pace.done("x", 1, 1)
    pace.done("x", 1, 0.1, cut_off=True)
    assert pace.expected("x", 1) == pytest.approx(1.2)
    pace.done("x", 1, 4, cut_off=True)
    assert pace.expected("x", 1) == pytest.approx(4.5 / 1.5 * 1.2)


def test_the_web_path_gives_up_in_its_order() -> None:
    world = World()
    retriever = slow_retriever(world)
    assert retriever.retrieve(question(), world.deadline(5)).given_up == []  # and learns its pace
    before: set[GivenUp] = set()
    for seconds in (2.0, 0.2, 0.05, 0.005):
        found = retriever.retrieve(question(), world.deadline(seconds))
        now = set(found.given_up)
        assert before <= now and now == set(WEB[: len(now)]), (seconds, found.given_up)
        assert found.passages, "something was read all the same"
        before = now
    assert before == set(WEB)


def ask(world: World, llms: ScriptedLLMs, seconds: float) -> tuple[list[Completion], list[Any]]:
    template = Template("t", (("user", "{passages}\n{question}"),))
    requests = [
        Request(i, "a", template, {"question": "q"}, passages=["word " * 400] * 9, budget=4000, n=3,
                max_tokens=100, temperature=1.0)
        for i in range(4)
    ]  # fmt: skip
    ledger = Ledger(4)
    said = Rounds(llms).ask(requests, world.deadline(seconds), ledger)
    return said, [set(outcome.given_up) for outcome in ledger.close()]


def test_a_round_gives_up_samples_then_passages_then_questions() -> None:
    world = World()
    llms = slow_llms(world, a="fine")
    said, given_up = ask(world, llms, 100.0)
    assert given_up == [set()] * 4 and all(c.text == "fine" for c in said)
    _, given_up = ask(world, llms, 3.9)
    assert given_up == [{GivenUp.SAMPLES}] * 4
    assert all(prompt.n == 1 for prompt in llms.rounds[-1][1])
    said, given_up = ask(world, llms, 2.3)
    assert given_up == [{GivenUp.SAMPLES, GivenUp.PASSAGES}] * 4
    said, given_up = ask(world, llms, 1.0)
    assert said[0].text == "fine" and GivenUp.ROUND in given_up[-1]
    assert said[-1].finish_reason is FinishReason.DEADLINE
    assert [GivenUp.ROUND in each for each in given_up] == sorted(
        GivenUp.ROUND in each for each in given_up
    ), "the last ones go first"


def test_sixteen_questions_answer_in_time_with_every_stage_slowed_tenfold(client: Any) -> None:
    world = World()
    llms = slow_llms(
        world, route="movie", write_query="None", answer_kg="i don't know", answer_web="41 m"
    )
    system = Db3System(llms, client, slow_retriever(world))
    asked = [question() for _ in range(16)]

    def batch() -> tuple[float, list[Any]]:
        ledger, deadline = Ledger(16), world.deadline(40)
        system.answer(asked, deadline, ledger)
        return deadline.at - world.end, ledger.close()

    spare, outcomes = batch()
    assert spare > 0 and not any(outcome.given_up for outcome in outcomes)
    assert all(outcome.answer.text == "41 m" for outcome in outcomes)
    world.slow = 10.0
    for _ in range(2):  # the first one finds out, the second one knows
        spare, outcomes = batch()
        assert spare > -1.5, "one prompt may be under way at the deadline"
        assert all(outcome.final for outcome in outcomes)
    given_up = Counter(what for outcome in outcomes for what in outcome.given_up)
    assert given_up[GivenUp.RERANK] and (given_up[GivenUp.PASSAGES] or given_up[GivenUp.ROUND])
    answered = sum(outcome.answer.known for outcome in outcomes)
    assert answered, "the time there was is used"


def test_the_docs_state_the_order() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for order in (WEB, LLM):
        assert " → ".join(f"`{what}`" for what in order) in text
