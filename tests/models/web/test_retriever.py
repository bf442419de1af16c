"""From pages to passages: the right ones first, each once, within the time."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from models.load_shedding import GivenUp
from models.ranking.protocol import NEVER, Floats
from models.ranking.rerankers import PairReranker
from models.records import Page, Question, Task
from models.web.candidates import RankedPages, snippet
from models.web.chunking import Chunk
from models.web.extractors import HtmlReader
from models.web.html import SelectolaxExtractor
from models.web.page import Extractor, PageText
from models.web.page_reader import InProcess
from models.web.retriever import Retriever
from models.web.scoring import Scorer
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


def test_a_page_that_stands_twice_is_read_once_and_one_without_html_never() -> None:
    twin = page("Northport", "<p>The lighthouse is 41 metres high.</p>")
    empty = Page("Lighthouse", "", "lighthouse", "")
    found = Retriever().retrieve(question("lighthouse", empty, twin, twin), SOON)
    assert list(found.texts) == [1] and [passage.page for passage in found.passages] == [1]


def test_snippets_that_the_ranker_does_not_come_to_keep_the_order_of_bm25() -> None:
    clock = Clock()
    ranker = PairReranker(lambda pairs: clock.after(1.0, [1.0, 2.0]), 2, rounds_of=1)
    signs = ("fish", "lighthouse", "rain", "northport lighthouse", "boats", "northport")
    pages = [page(f"P{i}", f"<p>{i}</p>", sign) for i, sign in enumerate(signs)]
    retriever = Retriever(prefilter=RankedPages(ranker, 4, snippet))
    found = retriever.retrieve(question("northport lighthouse", *pages), Deadline(6.0, clock))
    assert clock() == 1.0, "a second batch would not fit into a quarter of the time"
    read = list(found.texts)
    assert read[0] in (1, 5) and read[1] == 3, "the second of a batch is better"
    assert set(read[:3]) == {1, 3, 5} and found.given_up == [GivenUp.RERANK]


def test_few_children_are_embedded_and_lead_to_their_passage() -> None:
    answer = "The lighthouse of Northport is 41 metres high."
    body = harbour(200) + f"<p>{answer}</p>" + harbour(50)
    asked = question("how high is the northport lighthouse?", page("A", body))
    embedder = CountingEmbedder()
    found = Retriever(scorer=Scorer(embedder)).retrieve(asked, SOON)
    assert found.counts["embedded"] == 16
    assert len(embedder.embedded) == 17  # and the query
    assert answer in found.passages[0].text != answer
    assert set(found.seconds) == {"prefilter", "read", "lexical", "embed"}
    found = Retriever(scorer=Scorer(embedder, settings=NO_CUT)).retrieve(asked, SOON)
    assert found.counts["embedded"] == found.counts["children"] > 50


class TwoOnly:
    """A reranker that has time for two texts."""

    def score(self, query: str, texts: Sequence[str], deadline: Deadline = NEVER) -> Floats:
        scores = np.arange(len(texts), dtype=np.float32)
        scores[2:] = np.nan
        return scores


def test_what_is_not_reranked_in_time_keeps_its_order() -> None:
    plain = Retriever().retrieve(MANY, SOON).passages
    found = Retriever(scorer=Scorer(reranker=TwoOnly())).retrieve(MANY, SOON)
    texts = [passage.text for passage in plain]
    assert [texts.index(q.text) for q in found.passages] == [1, 0, *range(2, len(plain))]
    assert found.counts["reranked"] == 2 and found.given_up == [GivenUp.RERANK]
    scores = [passage.score for passage in found.passages]
    assert scores == sorted(scores, reverse=True)


def test_as_many_children_are_embedded_as_there_is_time_for() -> None:
    clock = Clock()
    retriever = Retriever(scorer=Scorer(CountingEmbedder(clock, 0.1), TwoOnly(), NO_CUT))
    asked = question("fish of the harbour", page("A", harbour(160)))
    found = retriever.retrieve(asked, Deadline(4.0, clock))
    assert found.counts["embedded"] == 32 and clock() <= 4.1
    assert found.given_up == [GivenUp.DENSE, GivenUp.RERANK]
    assert len(found.passages) > 1, "what was not embedded comes after what was"


@pytest.mark.parametrize(
    ("seconds", "read", "given_up"),
    [(3.0, [0, 1, 2], [GivenUp.PAGES, GivenUp.DENSE, GivenUp.RERANK]), (0.0, [], [GivenUp.PAGES])],
)
def test_slow_pages_are_cut_short(seconds: float, read: list[int], given_up: list[GivenUp]) -> None:
    clock = Clock()

    class SlowReader(HtmlReader):
        def read(self, page: Page, counts: Counter[str]) -> PageText:
            return clock.after(1.0, super().read(page, counts))

    reader = InProcess(SlowReader([SelectolaxExtractor()]))
    retriever = Retriever(reader, scorer=Scorer(CountingEmbedder(), TwoOnly()))
    found = retriever.retrieve(MANY, Deadline(seconds, clock))
    assert list(found.texts) == read and bool(found.passages) == bool(read)
    assert found.given_up == given_up


class Fake:
    """An extractor whose text is `text`; it fails if that is None."""

    def __init__(self, text: str | None, *, main_text_only: bool = False) -> None:
        self.name, self.main_text_only = f"{text}", main_text_only
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
    counted: Counter[str] = Counter()
    assert HtmlReader(extractors).read(page("A", "x"), counted).text == text
    assert counted == Counter(counts)


@pytest.mark.parametrize(
    ("error", "count"), [(ValueError, "broke:chunker"), (MemoryError, "broke:memory limit")]
)
def test_a_broken_chunker_falls_back_or_skips_the_page(error: type[Exception], count: str) -> None:
    class BrokenChunker:
        def chunk(self, page: PageText, index: int) -> list[Chunk]:
            raise error

    asked = question("how high?", page("A", "<p>It is 41 m high."))
    found = Retriever(InProcess(chunker=BrokenChunker())).retrieve(asked, NEVER)  # type: ignore[arg-type]
    texts = ["It is 41 m high."] if error is ValueError else []
    assert [passage.text for passage in found.passages] == texts and found.counts[count] == 1
