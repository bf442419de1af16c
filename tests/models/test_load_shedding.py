"""A batch whose stages are slowed tenfold still answers in time, and says what it went without."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.llm.protocol import LLM, Completion, FinishReason, Prompt
from models.load_shedding import GivenUp, Pace
from models.prompts import Template
from models.ranking.protocol import Floats
from models.ranking.rerankers import PairReranker
from models.records import Page, Question, Task
from models.runtime.ledger import Ledger, QuestionOutcome
from models.runtime.rounds import Request, Rounds
from models.settings import Settings
from models.systems.db3 import Db3System
from models.user_model import UserModel
from models.web.candidates import RankedPages, snippet
from models.web.chunking import Chunk, SentenceChunker
from models.web.extractors import Reader
from models.web.html import SelectolaxExtractor
from models.web.page import PageText
from models.web.page_reader import InProcess
from models.web.retriever import Retriever
from models.web.scoring import Scorer
from tests.models.systems.scripted import ScriptedLLM, ScriptedLLMs
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError

WEB = (GivenUp.RERANK, GivenUp.DENSE, GivenUp.PAGES)
LLM_ROUND = (GivenUp.SAMPLES, GivenUp.PASSAGES, GivenUp.ROUND)
DOCS = Path(__file__).parents[2] / "docs" / "submit.md"
PROGRAM = 'get_movie_person_crew("the glass harbour", None, eq(job, "Director"))["name"]'


@dataclass(frozen=True)
class Costs:
    """Seconds that each stage takes by nature: a snippet, page, child or passage, a token that is
    written or read, and a call to the KG."""

    snippet: float = 0.02
    page: float = 0.2
    cut: float = 0.05
    embed: float = 0.02
    rerank: float = 0.05
    write: float = 0.005
    read: float = 0.0005
    kg: float = 0.2


class World:
    """A clock that only work moves on, `slow` times as far as it should.

    Each thread of the system has its own time and takes on that of another when it waits for it;
    every other thread waits for all of them.
    """

    def __init__(self, costs: Costs = Costs()) -> None:
        self.costs = costs
        self.slow = 1.0
        self._times: dict[threading.Thread, float] = {}
        self._system, self._began = threading.current_thread(), 0.0

    def __call__(self) -> float:
        me = threading.current_thread()
        latest = max([*self._times.copy().values(), 0.0])
        if me.name == "system" and me is not self._system:
            self._system, self._began = me, latest
            self._times[me] = latest
        if me.name.startswith("web"):
            return self._times.setdefault(me, self._began)
        if me.name.startswith("kg"):  # the system waits for all of them
            return self._times.setdefault(me, self._times[self._system])
        return self._times[me] if me.name == "system" else latest

    def spend(self, seconds: float) -> None:
        self.pass_by(seconds * self.slow)

    def pass_by(self, seconds: float) -> None:
        now = self()
        self._times[threading.current_thread()] = now + seconds

    def wait_for(self, prefix: str) -> None:
        """Take on the time of the threads whose names begin so."""
        others = [t for thread, t in self._times.copy().items() if thread.name.startswith(prefix)]
        self._times[threading.current_thread()] = max([self(), *others])

    def deadline(self, seconds: float) -> Deadline:
        return Deadline(self() + seconds, self)


@dataclass
class SlowEmbedder:
    world: World

    def embed(self, texts: Sequence[str]) -> Floats:
        self.world.spend(self.world.costs.embed * len(texts))
        return np.ones((len(texts), 2), dtype=np.float32)

    def embed_query(self, query: str) -> Floats:
        return np.ones(2, dtype=np.float32)


def slow_reranker(world: World, cost: float) -> PairReranker:
    def score(pairs: list[tuple[str, str]]) -> Floats:
        world.spend(cost * len(pairs))
        return np.zeros(len(pairs), dtype=np.float32)

    return PairReranker(score, 4)


class SlowReader(Reader):
    def __init__(self, world: World) -> None:
        super().__init__([SelectolaxExtractor()])
        self._world = world

    def read(self, page: Page, counts: Counter[str]) -> PageText:
        self._world.spend(self._world.costs.page)
        return super().read(page, counts)


@dataclass(frozen=True)
class SlowChunker(SentenceChunker):
    world: World = field(default_factory=World)

    def chunk(self, page: PageText, index: int) -> list[Chunk]:
        self.world.spend(self.world.costs.cut)
        return super().chunk(page, index)


def slow_retriever(world: World) -> Retriever:
    return Retriever(
        pages=InProcess(SlowReader(world), SlowChunker(world=world)),
        prefilter=RankedPages(slow_reranker(world, world.costs.snippet), 5, snippet),
        scorer=Scorer(SlowEmbedder(world), slow_reranker(world, world.costs.rerank)),
    )


@dataclass
class SlowLLM(ScriptedLLM):
    """Serves one prompt after the other, and stops at the deadline, as the engines do."""

    world: World = field(default_factory=World)

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        self.rounds.append((self.subtask, list(prompts)))
        costs = self.world.costs
        made: list[Completion] = []
        for prompt in prompts:
            written, read = prompt.max_tokens * prompt.n, self.count_prompt(prompt)
            cost = (costs.write * written + costs.read * read) * self.world.slow
            late = cost > deadline.remaining()
            self.world.pass_by(min(cost, deadline.remaining()))
            said = Completion(str(self.reply(prompt)), FinishReason.STOP, 1)
            made.append(Completion("", FinishReason.DEADLINE, 0) if late else said)
        return made


class SlowLLMs(ScriptedLLMs):
    """Asked for an engine, a system has waited for what stands in the prompts."""

    def __init__(self, world: World, **said: str) -> None:
        super().__init__({name: (lambda prompt, text=text: text) for name, text in said.items()})
        self._world = world
        self._scripted = {
            name: SlowLLM(name, reply, self.rounds, world=world)
            for name, reply in self.replies.items()
        }

    def of(self, subtask: str) -> tuple[LLM, str | None]:
        for prefix in ("kg", "web") if subtask == "answer_web" else ("kg",):
            self._world.wait_for(prefix)
        return super().of(subtask)


@dataclass
class SlowClient:
    inner: Any
    world: World

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        self.world.pass_by(min(self.world.costs.kg * self.world.slow, deadline.remaining()))
        found: list[Any | ApiError] = self.inner.call_many(calls, deadline=deadline)
        return found


def pages(number: int, count: int = 10) -> list[Page]:
    """Pages that no other question has."""
    rain = "It rains. " * 20
    body = "".join(f"<p>Lighthouse {n} of {number} is {n} m tall. {rain}</p>" for n in range(8))
    return [
        Page(f"p{i}", "", f"lighthouse {i}", f"<title>p{i}</title>{body}<p>{number} {i}</p>")
        for i in range(count)
    ]


def question(number: int = 0) -> Question:
    asked = f"how tall is the lighthouse number {number}?"
    return Question("q", asked, None, Task.KG_WEB, tuple(pages(number)))


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
    pace.skipped("x", 0.5)
    assert pace.expected("x", 1) == pytest.approx(30 / 51 * 1.2)
    pace.skipped("y", 0.5)
    assert pace.expected("y", 1) == 0


def test_what_was_cut_off_counts_only_where_it_shows_a_slower_pace() -> None:
    pace = Pace()
    pace.done("x", 1, 1)
    pace.done("x", 1, 0.1, cut_off=True)
    assert pace.expected("x", 1) == pytest.approx(1.2)
    pace.done("x", 1, 4, cut_off=True)
    assert pace.expected("x", 1) == pytest.approx(4.8)


def test_the_web_path_gives_up_in_its_order() -> None:
    world = World()
    retriever = slow_retriever(world)
    assert retriever.retrieve(question(), world.deadline(30)).given_up == []  # and learns its pace
    before: set[GivenUp] = set()
    for number, seconds in enumerate((2.6, 1.7, 1.0, 0.1), 1):
        found = retriever.retrieve(question(number), world.deadline(seconds))
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
    world = World(Costs(write=0.004, read=0))
    llms = SlowLLMs(world, a="fine")
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


@dataclass
class Watched:
    """A system whose ledgers can be looked into afterwards."""

    system: Db3System
    ledgers: list[Ledger] = field(default_factory=list)

    def answer(self, questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        self.ledgers.append(answers)
        self.system.answer(questions, deadline, answers)

    @property
    def outcomes(self) -> list[QuestionOutcome]:
        return self.ledgers[-1].close()


@pytest.mark.parametrize(
    "costs",
    [
        Costs(),
        Costs(page=0.8, cut=0.2),
        Costs(embed=0.15),
        Costs(snippet=0.3, rerank=0.3),
        Costs(write=0.02, read=0.001),
    ],
    ids=["even", "pages", "embedder", "reranker", "llm"],
)
def test_sixteen_questions_answer_in_time_with_every_stage_slowed_tenfold(
    client: Any, costs: Costs
) -> None:
    world = World(costs)
    llms = SlowLLMs(
        world, route="movie", write_query=PROGRAM, answer_kg="i don't know", answer_web="41 m"
    )
    system = Watched(Db3System(llms, SlowClient(client, world), slow_retriever(world)))
    settings = Settings(task=Task.KG_WEB)
    model = UserModel(settings, system=system, clock=world)

    def batch(first: int) -> list[str]:
        numbers = range(first, first + 16)
        start = world()
        said = model.batch_generate_answer(
            {
                "query": [question(number).text for number in numbers],
                "search_results": [[as_given(page) for page in pages(n)] for n in numbers],
            }
        )
        assert world() - start <= settings.seconds_per_question * 16, "in time"
        assert len(said) == 16 and len(system.ledgers) == 1 + first // 16, "and at once"
        return said

    assert batch(0) == ["41 m"] * 16 and not model.given_up
    world.slow = 10.0
    batch(16)  # this one finds out, the next one knows
    said = batch(32)
    assert model.given_up
    for text, outcome in zip(said, system.outcomes, strict=True):
        gone = set(outcome.given_up)
        on_the_web = gone & set(WEB)
        assert outcome.final and on_the_web == set(WEB[: len(on_the_web)])
        assert text == "41 m" or {GivenUp.PASSAGES, GivenUp.ROUND} <= gone
    assert said.count("41 m") >= (4 if costs.write > Costs.write else 12)


def as_given(page: Page) -> dict[str, str]:
    return {"page_name": page.name, "page_url": page.url, "page_snippet": page.snippet,
            "page_result": page.html}  # fmt: skip


def test_the_docs_state_the_order() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for order in (WEB, LLM_ROUND):
        assert " → ".join(f"`{what}`" for what in order) in text
