"""From pages to passages: the right ones first, each once, within the time."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from models.load_shedding import GivenUp
from models.ranking.protocol import NEVER, Floats
from models.ranking.rerankers import PairReranker
from models.records import Page, Question, Task
from models.web.chunking import Chunk
from models.web.extractors import HtmlReader
from models.web.html import SelectolaxExtractor
from models.web.page import Extractor, PageText
from models.web.page_reader import InProcess
from models.web.retriever import Retriever
from models.web.scoring import Scorer
from models.web.selection import PageSelector, snippet
from models.web.settings import WebSettings
from tests.models.systems.clocks import Clock
from tests.models.web.counting_embedder import CountingEmbedder
from utils.deadline import Deadline

SOON = Deadline(10.0, lambda: 0.0)
NO_CUT = WebSettings(lexical_cut=0)


def page(name: str, body: str, snippet: str = "") -> Page:
    return Page(name, f"https://example.org/{name}", snippet, f"<title>{name}</title>{body}")


def question(text: str, *pages: Page) -> Question:
    return Question("q", text, None, Task.END_TO_END, pages)


def harbour(lines: int) -> str:
    return "".join(f"<p>Line {i} of fish, boats and the harbour of old.</p>" for i in range(lines))


MANY = question("fish boats harbour", *(page(f"P{i}", harbour(3 + i)) for i in range(5)))


def test_duplicate_pages_are_read_once_and_pages_without_html_never() -> None:
    twin = page("Northport", "<p>The lighthouse is 41 metres high.</p>")
    empty = Page("Lighthouse", "", "lighthouse", "")
    result = Retriever().retrieve(question("lighthouse", empty, twin, twin), SOON)
    assert list(result.texts) == [1]
    assert [passage.page for passage in result.passages] == [1]


def test_pages_whose_snippets_are_not_scored_in_time_keep_the_order_of_bm25() -> None:
    clock = Clock()
    ranker = PairReranker(lambda pairs: clock.after(1.0, [1.0, 2.0]), 2, rounds_of=1)
    snippets = ("fish", "lighthouse", "rain", "northport lighthouse", "boats", "northport")
    pages = [page(f"P{i}", f"<p>{i}</p>", text) for i, text in enumerate(snippets)]
    retriever = Retriever(prefilter=PageSelector(ranker, 4, snippet))
    result = retriever.retrieve(question("northport lighthouse", *pages), Deadline(6.0, clock))
    assert clock() == 1.0, "a second batch would not fit into a quarter of the time"
    order = list(result.texts)
    assert order[0] in (1, 5)
    assert order[1] == 3, "the second of a batch is better"
    assert set(order[:3]) == {1, 3, 5}
    assert result.given_up == [GivenUp.RERANK]


def test_few_children_are_embedded_and_lead_to_their_passage() -> None:
    answer = "The lighthouse of Northport is 41 metres high."
    body = harbour(200) + f"<p>{answer}</p>" + harbour(50)
    query = question("how high is the northport lighthouse?", page("A", body))
    embedder = CountingEmbedder()
    result = Retriever(scorer=Scorer(embedder)).retrieve(query, SOON)
    assert result.counts["embedded"] == 16
    assert len(embedder.embedded) == 17  # and the query
    best = result.passages[0].text
    assert answer in best
    assert answer != best
    assert set(result.seconds) == {"prefilter", "read", "lexical", "embed"}
    result = Retriever(scorer=Scorer(embedder, settings=NO_CUT)).retrieve(query, SOON)
    assert result.counts["embedded"] == result.counts["children"]
    assert result.counts["embedded"] > 50


class TwoOnly:
    """A reranker that has time for two texts."""

    def score(self, query: str, texts: Sequence[str], deadline: Deadline = NEVER) -> Floats:
        scores = np.arange(len(texts), dtype=np.float32)
        scores[2:] = np.nan
        return scores


def test_passages_that_are_not_reranked_in_time_keep_their_order() -> None:
    by_bm25 = Retriever().retrieve(MANY, SOON).passages
    result = Retriever(scorer=Scorer(reranker=TwoOnly())).retrieve(MANY, SOON)
    texts = [passage.text for passage in by_bm25]
    order = [texts.index(passage.text) for passage in result.passages]
    assert order == [1, 0, *range(2, len(by_bm25))]
    assert result.counts["reranked"] == 2
    assert result.given_up == [GivenUp.RERANK]
    scores = [passage.score for passage in result.passages]
    assert scores == sorted(scores, reverse=True)


def test_as_many_children_are_embedded_as_there_is_time_for() -> None:
    clock = Clock()
    retriever = Retriever(scorer=Scorer(CountingEmbedder(clock, 0.1), TwoOnly(), NO_CUT))
    query = question("fish of the harbour", page("A", harbour(160)))
    result = retriever.retrieve(query, Deadline(4.0, clock))
    assert result.counts["embedded"] == 32
    assert clock() <= 4.1
    assert result.given_up == [GivenUp.DENSE, GivenUp.RERANK]
    assert len(result.passages) > 1, "children that were not embedded come after the others"


@pytest.mark.parametrize(
    ("seconds", "pages_read", "given_up"),
    [
        (3.0, [0, 1, 2], [GivenUp.PAGES, GivenUp.DENSE, GivenUp.RERANK]),
        (0.0, [], [GivenUp.PAGES]),
    ],
)
def test_pages_that_are_not_read_in_time_are_given_up(
    seconds: float, pages_read: list[int], given_up: list[GivenUp]
) -> None:
    clock = Clock()

    class SlowReader(HtmlReader):
        def read(self, page: Page, counts: Counter[str]) -> PageText:
            return clock.after(1.0, super().read(page, counts))

    reader = InProcess(SlowReader([SelectolaxExtractor()]))
    retriever = Retriever(reader, scorer=Scorer(CountingEmbedder(), TwoOnly()))
    result = retriever.retrieve(MANY, Deadline(seconds, clock))
    assert list(result.texts) == pages_read
    assert bool(result.passages) == bool(pages_read)
    assert result.given_up == given_up


class Fake:
    """An extractor whose text is `text`; it fails if that is None."""

    def __init__(self, text: str | None, *, main_text_only: bool = False) -> None:
        self.name = f"{text}"
        self.main_text_only = main_text_only
        self._text = text

    def extract(self, page: Page) -> PageText:
        if self._text is None:
            raise RecursionError("too deep for me")
        return PageText("title", self._text)


@pytest.mark.parametrize(
    ("extractors", "text", "counts"),
    [
        ([Fake(None), Fake("", main_text_only=True), Fake("x")], "x", ["broke:None", "empty:"]),
        ([Fake(None)], "", ["broke:None"]),
        ([Fake(""), Fake("x")], "", ["empty:"]),  # it reads all text, and there is none
    ],
)
def test_extractors_fall_back(extractors: list[Extractor], text: str, counts: list[str]) -> None:
    counter: Counter[str] = Counter()
    assert HtmlReader(extractors).read(page("A", "x"), counter).text == text
    assert counter == Counter(counts)


@pytest.mark.parametrize(
    ("error", "count", "texts"),
    [
        (ValueError, "broke:chunker", ["It is 41 m high."]),
        (MemoryError, "broke:memory limit", []),
    ],
)
def test_a_broken_chunker_falls_back_or_skips_the_page(
    error: type[Exception], count: str, texts: list[str]
) -> None:
    class BrokenChunker:
        def chunk(self, page: PageText, index: int) -> list[Chunk]:
            raise error

    query = question("how high?", page("A", "<p>It is 41 m high."))
    reader = InProcess(chunker=BrokenChunker())  # type: ignore[arg-type]
    result = Retriever(reader).retrieve(query, NEVER)
    assert [passage.text for passage in result.passages] == texts
    assert result.counts[count] == 1
