"""From pages to passages: the right ones first, each once, within the time."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from models.load_shedding import GivenUp
from models.ranking.cache import CachingEmbedder
from models.ranking.lexical import LexicalReranker
from models.ranking.protocol import Embedder, Floats
from models.ranking.rerankers import BiEncoderReranker, PairReranker
from models.records import Page, Question, Task
from models.web.candidates import Chosen, RankedPages, snippet
from models.web.chunking import Chunk
from models.web.extractors import Reader
from models.web.html import SelectolaxExtractor
from models.web.page import PageText
from models.web.page_reader import InProcess
from models.web.retriever import Retriever
from models.web.scoring import Scorer, ScoringSettings
from tests.models.systems.clocks import Clock
from tests.models.web.counting_embedder import CountingEmbedder
from utils.deadline import Deadline

SOON = Deadline(10.0, lambda: 0.0)


def page(name: str, body: str, snippet: str = "") -> Page:
    return Page(name, f"https://example.org/{name}", snippet, f"<title>{name}</title>{body}")


def question(text: str, *pages: Page) -> Question:
    return Question("q", text, None, Task.END_TO_END, pages)


def test_the_passage_that_answers_comes_first() -> None:
    asked = question(
        "how high is the northport lighthouse?",
        page("Harbours", "<p>Boats come and go.</p><p>Fish is sold.</p>"),
        page("Northport", "<p>The lighthouse is 41 metres high.</p><p>It rains.</p>"),
    )
    found = Retriever().retrieve(asked, SOON)
    texts, passages = found.texts, found.passages
    assert passages[0].text.startswith("Northport") or "41 metres" in passages[0].text
    assert passages[0].page == 1
    assert texts[1].title == "Northport"
    assert all(texts[p.page].text[p.start : p.end].strip() == p.text for p in passages)


def test_a_page_that_stands_twice_is_read_once() -> None:
    twin = page("Northport", "<p>The lighthouse is 41 metres high.</p>")
    passages = Retriever().retrieve(question("lighthouse", twin, twin), SOON).passages
    assert len(passages) == len({passage.text for passage in passages})
    assert {passage.page for passage in passages} == {0}


def test_of_many_pages_those_with_fitting_snippets_are_read() -> None:
    pages = [page(f"Page {i}", f"<p>{i}</p>", "nothing of note") for i in range(50)]
    pages[37] = page("Page 37", "<p>x</p>", "the lighthouse of northport")
    chosen = RankedPages(LexicalReranker(), 10, snippet).choose(
        question("northport lighthouse", *pages), SOON
    )
    assert chosen.pages[0] == 37
    assert len(chosen.pages) == 10 and not chosen.late


def test_snippets_that_the_ranker_does_not_come_to_keep_the_order_of_bm25() -> None:
    clock = Clock()
    ranker = PairReranker(lambda pairs: clock.after(1.0, [1.0, 2.0]), 2, rounds_of=1)
    signs = ("fish", "lighthouse", "rain", "northport lighthouse", "boats", "northport")
    pages = [page(f"P{i}", f"<p>{i}</p>", sign) for i, sign in enumerate(signs)]
    asked = question("northport lighthouse", *pages)
    chosen = RankedPages(ranker, 4, snippet).choose(asked, Deadline(1.5, clock))
    assert clock() == 1.0, "a second batch would not fit"
    assert chosen.pages[0] in (1, 5) and chosen.pages[1] == 3, "the second of a batch is better"
    assert set(chosen.pages[:3]) == {1, 3, 5} and chosen.late


def test_pages_without_html_are_not_chosen() -> None:
    empty = Page("Lighthouse", "", "lighthouse", "")
    pages = RankedPages(LexicalReranker(), 10, snippet)
    assert pages.choose(question("lighthouse", empty, page("A", "x")), SOON) == ([1], False)


def test_after_the_deadline_nothing_more_is_read() -> None:
    over = Deadline(0.0, lambda: 1.0)
    found = Retriever().retrieve(question("x", page("x", "x")), over)
    assert (found.texts, found.passages) == ({}, [])


def everything(embedder: Embedder) -> Retriever:
    """A retriever that embeds all children."""
    return Retriever(scorer=Scorer(embedder), settings=ScoringSettings(lexical_cut=0))


def harbour(lines: int) -> str:
    return "".join(
        f"<p>Line {i} tells of fish, boats and the harbour of old.</p>" for i in range(lines)
    )


def test_few_children_are_embedded_and_lead_to_their_passage() -> None:
    body = harbour(200) + "<p>The lighthouse of Northport is 41 metres high.</p>" + harbour(50)
    embedder = CountingEmbedder()
    found = Retriever(scorer=Scorer(embedder)).retrieve(
        question("how high is the northport lighthouse?", page("A", body)), SOON
    )
    assert found.counts["embedded"] == 16
    assert len(embedder.embedded) == 17  # and the query
    assert "41 metres" in found.passages[0].text
    assert len(found.passages[0].text) > len("The lighthouse of Northport is 41 metres high.")
    assert set(found.seconds) == {"prefilter", "read", "lexical", "embed"}


def test_without_a_cut_all_children_are_embedded() -> None:
    found = everything(CountingEmbedder()).retrieve(
        question("northport", page("A", harbour(30))), SOON
    )
    assert found.counts["embedded"] == found.counts["children"] > 5


class TwoOnly:
    """A bounded reranker that has time for two texts."""

    def score(self, query: str, texts: list[str]) -> np.ndarray:
        return np.arange(len(texts), dtype=np.float32)

    def score_until(self, query: str, texts: list[str], deadline: Deadline) -> np.ndarray:
        scores = self.score(query, texts)
        scores[2:] = np.nan
        return scores


def test_what_is_not_reranked_in_time_keeps_its_order() -> None:
    asked = question("fish boats harbour", *(page(f"P{i}", harbour(3 + i)) for i in range(5)))
    plain = Retriever().retrieve(asked, SOON).passages
    found = Retriever(scorer=Scorer(reranker=TwoOnly())).retrieve(asked, SOON)
    order = [plain.index(next(p for p in plain if p.text == q.text)) for q in found.passages]
    assert order == [1, 0, *range(2, len(plain))]
    assert found.counts["reranked"] == 2
    scores = [passage.score for passage in found.passages]
    assert scores == sorted(scores, reverse=True)


class Slow(CountingEmbedder):
    """Takes a tenth of a second a text."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def embed(self, texts: Sequence[str]) -> Floats:
        return self._clock.after(0.1 * len(texts), super().embed(texts))


def test_as_many_children_are_embedded_as_there_is_time_for() -> None:
    clock = Clock()
    embedder = CachingEmbedder(Slow(clock), step=4)
    asked = question("fish of the harbour", page("A", harbour(60)))
    found = everything(embedder).retrieve(asked, Deadline(2.0, clock))
    assert 8 <= found.counts["embedded"] <= 20 and clock() <= 2.1
    assert found.given_up == [GivenUp.DENSE]
    assert len(found.passages) > 1, "what was not embedded comes after what was"


def test_a_bi_encoder_scores_as_many_as_there_is_time_for() -> None:
    clock = Clock()
    reranker = BiEncoderReranker(CachingEmbedder(Slow(clock), step=1))
    scores = reranker.score_until("fish", ["fish", "boats", "rain"], Deadline(0.25, clock))
    assert scores[0] > 0.9 and np.isnan(scores[2])


def test_a_slow_first_call_does_not_end_reranking_for_good() -> None:
    clock, took = Clock(), [60.0]

    def score(pairs: list[tuple[str, str]]) -> list[float]:
        return clock.after(took[0], [float(len(text)) for _, text in pairs])

    retriever = Retriever(scorer=Scorer(reranker=PairReranker(score, 8)))
    asked = question("fish boats harbour", *(page(f"P{i}", harbour(3 + i)) for i in range(5)))

    def given_up() -> list[GivenUp]:
        return retriever.retrieve(asked, Deadline(clock() + 2.0, clock)).given_up

    given_up()
    took[0] = 0.1
    assert given_up() == [GivenUp.RERANK]
    assert any(not given_up() for _ in range(100))


def test_of_pages_too_slow_to_read_the_first_ones_are_read() -> None:
    clock = Clock()

    class SlowReader(Reader):
        def read(self, page: Page, counts: Counter[str]) -> PageText:
            return clock.after(1.0, super().read(page, counts))

    class Backwards:
        def choose(self, question: Question, deadline: Deadline) -> Chosen:
            return Chosen([4, 3, 2, 1, 0])

    retriever = Retriever(InProcess(SlowReader([SelectolaxExtractor()])), Backwards())
    asked = question("fish", *(page(f"P{i}", harbour(2)) for i in range(5)))
    found = retriever.retrieve(asked, Deadline(3.0, clock))
    assert list(found.texts) == [4, 3, 2] and found.given_up == [GivenUp.PAGES]


class Broken:
    name, main_text_only = "broken", False

    def extract(self, page: Page) -> PageText:
        raise RecursionError("too deep for me")


class Empty:
    def __init__(self, *, main_text_only: bool) -> None:
        self.name, self.main_text_only = "empty", main_text_only

    def extract(self, page: Page) -> PageText:
        return PageText("", "")


class Plain:
    name, main_text_only = "plain", False

    def extract(self, page: Page) -> PageText:
        return PageText("title", "text")


def test_a_page_that_breaks_one_extractor_falls_to_the_next_and_is_counted() -> None:
    counts: Counter[str] = Counter()
    looked = Empty(main_text_only=True)
    read = Reader([Broken(), looked, Plain()]).read(page("A", "x"), counts)
    assert read.text == "text"
    assert counts == {"broke:broken": 1, "empty:empty": 1}
    assert Reader([Broken()]).read(page("A", "x"), counts).text == ""


def test_a_page_that_breaks_the_chunker_is_cut_the_default_way_and_counted() -> None:
    class BrokenChunker:
        def chunk(self, page: PageText, index: int) -> list[Chunk]:
            raise ValueError("no such page")

    question = Question("q", "how high?", None, Task.WEB, (page("A", "<p>It is 41 m high."),))
    found = Retriever(InProcess(chunker=BrokenChunker())).retrieve(question, Deadline.after(60))
    assert [passage.text for passage in found.passages] == ["It is 41 m high."]
    assert found.counts["broke:chunker"] == 1


def test_a_page_in_which_one_that_reads_all_text_finds_none_has_none() -> None:
    reader = Reader([Empty(main_text_only=False), Plain()])
    assert reader.read(page("A", "x"), Counter()).text == ""
