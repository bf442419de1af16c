"""A batch whose stages are slowed tenfold is answered in time, and the omitted work is reported."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from models.llm.protocol import Completion, FinishReason, OnEnd, Prompt, ignore_end
from models.load_shedding import GivenUp, Pace
from models.prompts import Template
from models.ranking.protocol import Floats
from models.ranking.rerankers import PairReranker
from models.records import IDK, Page, Question, Task
from models.runtime.case import Case
from models.runtime.request import Request
from models.runtime.rounds import Rounds
from models.settings import Settings
from models.subtasks.web_reader import WebReader
from models.systems.offline import OfflineSystem
from models.user_model import UserModel
from models.web.page_reader import InProcess, PageRead
from models.web.retrieved import Retrieved
from models.web.retriever import Retriever
from models.web.scoring import Scorer
from models.web.selection import PageSelector, snippet
from tests.models.systems.clocks import Clock
from tests.models.systems.papers import ON_KG, PAPERS
from tests.models.systems.scripted import SOON, ScriptedLLM, ScriptedLLMs, saying
from utils.deadline import Deadline

WEB = (GivenUp.RERANK, GivenUp.DENSE, GivenUp.PAGES)


@dataclass
class World(Clock):
    """A clock that only work advances; all work takes `slow` times its usual seconds."""

    snippet: float = 0.02  # seconds of each
    page: float = 0.25
    embed: float = 0.02
    rerank: float = 0.05
    write: float = 0.004  # of each token
    slow: float = 1.0

    def spend(self, seconds: float) -> None:
        self.now += seconds * self.slow

    def deadline(self, seconds: float) -> Deadline:
        return Deadline(self.now + seconds, self)


@dataclass
class SlowLLM(ScriptedLLM):
    """Serves one prompt after the other until the deadline, as the engines do."""

    world: World = field(default_factory=World)

    def generate(
        self, prompts: Sequence[Prompt], *, deadline: Deadline, on_end: OnEnd = ignore_end
    ) -> list[Completion]:
        completions = []
        for prompt in prompts:
            cost = self.world.write * prompt.max_tokens * prompt.n * self.world.slow
            late = cost > deadline.remaining()
            self.world.now += min(cost, deadline.remaining())
            completion = self._completion(prompt)
            if late:
                completion = Completion("", FinishReason.DEADLINE, 0)
            completions.append(completion)
        self.rounds.append((self.subtask, list(prompts)))
        return completions


def slow_llms(world: World, **replies: Any) -> ScriptedLLMs:
    llms = ScriptedLLMs({})
    for name, reply in replies.items():
        llms._scripted[name] = SlowLLM(name, saying(reply), llms.rounds, world=world)
    return llms


def slow_retriever(world: World) -> Retriever:
    class SlowPages(InProcess):
        def read_one(self, page: Page, index: int) -> PageRead:
            world.spend(world.page)
            return super().read_one(page, index)

    class SlowEmbedder:
        def embed(self, texts: Sequence[str]) -> Floats:
            world.spend(world.embed * len(texts))
            return np.ones((len(texts), 2), dtype=np.float32)

        def embed_query(self, query: str) -> Floats:
            return np.ones(2, dtype=np.float32)

    def reranker(cost: float) -> PairReranker:
        def score(pairs: list[tuple[str, str]]) -> Floats:
            world.spend(cost * len(pairs))
            return np.zeros(len(pairs), dtype=np.float32)

        return PairReranker(score, 4)

    return Retriever(
        page_reader=SlowPages(),
        prefilter=PageSelector(reranker(world.snippet), 5, snippet),
        scorer=Scorer(SlowEmbedder(), reranker(world.rerank)),
    )


def question(number: int) -> Question:
    """A question with pages that no other one has."""
    rain = "It rains. " * 20
    body = "".join(f"<p>Lighthouse {n} of {number} is {n} m tall. {rain}</p>" for n in range(8))
    pages = tuple(
        Page("", "", f"lighthouse {i}", f"<title>p{i}</title>{body}<p>{number} {i}</p>")
        for i in range(10)
    )
    text = f"how tall is the lighthouse number {number}?"
    return Question("q", text, None, Task.WEB, pages)


def test_unfinished_work_counts_only_if_it_was_slower_than_expected() -> None:
    for seconds, expected in ((0.1, 1.2), (4.0, 4.8)):
        pace = Pace()
        pace.done("x", 1, 1.0)
        pace.done("x", 1, seconds, cut_off=True)
        assert pace.expected("x", 1) == pytest.approx(expected)
        pace.skipped("x", 0.5)  # an old measurement is trusted less
        assert pace.expected("x", 1) == pytest.approx(expected / 2)


def test_a_round_gives_up_samples_then_passages_then_questions() -> None:
    world = World()
    llms = slow_llms(world, a="fine")
    template = Template("t", (("user", "{passages}\n{question}"),))

    def request() -> Request[Case]:
        return Request(
            Case(question(0)),
            "a",
            template,
            {"question": "q"},
            passages=["word " * 400] * 9,
            budget=4000,
            n=3,
            max_tokens=100,
            temperature=1.0,
        )

    def given_up(seconds: float) -> list[Any]:
        replies = Rounds(llms).ask([request() for _ in range(4)], world.deadline(seconds))
        assert replies[0].completion.text == "fine"
        return [set(reply.case.slot.close().given_up) for reply in replies]

    assert given_up(100.0) == [set()] * 4
    assert given_up(3.9) == [{GivenUp.SAMPLES}] * 4
    assert given_up(2.3) == [{GivenUp.SAMPLES, GivenUp.PASSAGES}] * 4
    left_out = [GivenUp.ROUND in omitted for omitted in given_up(1.0)]
    assert left_out[-1]
    assert left_out == sorted(left_out), "the last questions are left out first"


@pytest.mark.parametrize(
    "costs",
    [{}, {"page": 1.0}, {"embed": 0.15}, {"snippet": 0.3, "rerank": 0.3}],
    ids=["even", "pages", "embedder", "reranker"],
)
def test_sixteen_questions_answer_in_time_with_all_stages_slowed(costs: dict[str, float]) -> None:
    world = World(**costs)
    system = OfflineSystem(None, web_reader=WebReader(slow_retriever(world)))

    def answer(first: int) -> Counter[GivenUp]:
        """What was omitted for sixteen questions."""
        seconds = 16 * 20.0  # a fifth is reserved for work that has begun
        latest = world.now + seconds
        cases = [Case(question(first + number)) for number in range(16)]
        system.answer(cases, world.deadline(0.8 * seconds))
        outcomes = [case.slot.close() for case in cases]
        assert all(outcome.final for outcome in outcomes)
        assert world.now <= latest
        omitted: Counter[GivenUp] = Counter()
        for outcome in outcomes:
            omitted.update(outcome.given_up)
        return omitted

    assert not answer(0)
    world.slow = 10.0
    answer(16)  # this batch measures the pace, the next one uses it
    given_up = answer(32)
    counts = [given_up[what] for what in WEB]
    assert counts[0]
    assert counts == sorted(counts, reverse=True), "the last stages are omitted first"


def test_sixteen_questions_answer_in_time_with_an_llm_slowed_tenfold(client: Any) -> None:
    class Timeless(Retriever):
        """Reads pages in its own thread, regardless of the LLM's clock."""

        def retrieve(self, question: Question, deadline: Deadline) -> Retrieved:
            return super().retrieve(question, SOON)

    world = World(write=0.02)
    llms = slow_llms(world, **PAPERS["db3"].says | {"answer_kg": IDK, "answer_web": "41 m"})
    system = PAPERS["db3"].system(llms, client, Timeless())
    model = UserModel(Settings(task=Task.KG_WEB), system=system, clock=world)
    pages = [{"page_result": page.html} for page in question(0).pages[:2]]

    def answer() -> list[str]:
        latest = world.now + 16 * 30.0
        batch = {"query": [ON_KG] * 16, "search_results": [pages] * 16}
        answers = model.batch_generate_answer(batch)
        assert world.now <= latest
        return answers

    assert answer() == ["41 m"] * 16
    assert not model.given_up
    world.slow = 10.0
    answer()  # this batch measures the pace, the next one uses it
    answers = answer()
    assert answers.count("41 m") >= 4
    assert answers == sorted(answers), "the last questions are left out first"
    assert model.given_up[GivenUp.PASSAGES]
    assert model.given_up[GivenUp.ROUND]
