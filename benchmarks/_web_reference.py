"""The web path of db3's paper, built from libraries: the reference of benchmarks/web_path.py.

BeautifulSoup with `html.parser`, CharacterTextSplitter (parents 2000/400, children 200/50),
ParentDocumentRetriever over an in-memory vector store, pages cut at 12,000 tokens, every child
embedded in fp32 in batches of 32 (db3, sections 2.2 and 3.1).
"""

import operator
import time
from collections.abc import Sequence

from bs4 import BeautifulSoup

from benchmarks._web_data import WebQuestion, joined
from models.records import Page, Task
from utils.packages import package

PAGE_TOKENS = 12_000
PARENT_SIZE = 2000
PARENT_OVERLAP = 400
CHILD_SIZE = 200
CHILD_OVERLAP = 50
RECALL_K = 50
SEPARATOR = "\n"
BATCH = 32
PAGES_BY_SNIPPET = 5


class Reference:
    """The reference retriever; it is its own embedding model, as langchain's classes want it.

    Attributes:
        seconds: of each stage, for the last question.
        embedded: the number of children embedded for the last question.
    """

    def __init__(self, model: str) -> None:
        torch = package("torch")
        library = package("sentence_transformers")
        self._model = library.SentenceTransformer(
            model, device="cpu", model_kwargs={"dtype": torch.float32}
        )
        self._splitters = package("langchain_text_splitters")
        self._retrievers = package("langchain_classic.retrievers")
        self._storage = package("langchain_core.stores")
        self._vectors = package("langchain_core.vectorstores")
        self._documents = package("langchain_core.documents")
        self.seconds: dict[str, float] = {}
        self.embedded = 0

    def contexts(self, item: WebQuestion) -> list[str]:
        """The texts to answer from, best first."""
        self.seconds = {}
        query = item.question.text
        pages = item.question.pages
        if item.texts:
            texts = [joined([titled_text]) for titled_text in item.texts]
        elif item.question.task is Task.END_TO_END:
            texts = self._page_texts(self._nearest_pages(query, pages))
        else:
            texts = self._page_texts(pages)
        return self._parents(query, texts)

    def _nearest_pages(self, query: str, pages: Sequence[Page]) -> list[Page]:
        """The five pages whose snippets are nearest to the query (db3, section 3.1)."""
        start = time.perf_counter()
        pages = [page for page in pages if page.html]
        rows = self.embed_documents([f"{page.name}\n{page.snippet}" for page in pages])
        query_row = self.embed_query(query)
        cosines = [sum(map(operator.mul, row, query_row)) for row in rows]
        order = sorted(range(len(pages)), key=lambda i: -cosines[i])
        self.seconds["prefilter"] = time.perf_counter() - start
        return [pages[i] for i in order[:PAGES_BY_SNIPPET]]

    def _page_texts(self, pages: Sequence[Page]) -> list[str]:
        """The text of each page, cut at 12,000 tokens."""
        start = time.perf_counter()
        texts = [BeautifulSoup(page.html, "html.parser").get_text() for page in pages if page.html]
        after_extraction = time.perf_counter()
        cut_texts = [self._cut(text) for text in texts]
        self.seconds["extract"] = after_extraction - start
        self.seconds["cut"] = time.perf_counter() - after_extraction
        return cut_texts

    def _cut(self, text: str) -> str:
        """`text` up to 12,000 tokens."""
        encoding = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        offsets = encoding["offset_mapping"]
        if len(offsets) <= PAGE_TOKENS:
            return text
        return text[: offsets[PAGE_TOKENS][0]]

    def _parents(self, query: str, texts: Sequence[str]) -> list[str]:
        """The parents of the 50 nearest children."""
        self.embedded = 0
        self.seconds["embed"] = 0.0
        start = time.perf_counter()
        splitter = self._splitters.CharacterTextSplitter
        child = splitter(SEPARATOR, chunk_size=CHILD_SIZE, chunk_overlap=CHILD_OVERLAP)
        parent = splitter(SEPARATOR, chunk_size=PARENT_SIZE, chunk_overlap=PARENT_OVERLAP)
        retriever = self._retrievers.ParentDocumentRetriever(
            vectorstore=self._vectors.InMemoryVectorStore(self),
            docstore=self._storage.InMemoryStore(),
            child_splitter=child,
            parent_splitter=parent,
            search_kwargs={"k": RECALL_K},
        )
        documents = [self._documents.Document(page_content=text) for text in texts if text.strip()]
        if documents:
            retriever.add_documents(documents)
        parents = [document.page_content for document in retriever.invoke(query)]
        seconds = time.perf_counter() - start
        self.seconds["chunk and search"] = seconds - self.seconds["embed"]
        return parents

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The rows of `texts`; the name is that of langchain's embeddings."""
        start = time.perf_counter()
        rows = self._model.encode(
            texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        self.embedded += len(texts)
        seconds = time.perf_counter() - start
        self.seconds["embed"] = self.seconds.get("embed", 0.0) + seconds
        row_lists: list[list[float]] = rows.tolist()
        return row_lists

    def embed_query(self, text: str) -> list[float]:
        """The row of `text`; the name is that of langchain's embeddings."""
        return self.embed_documents([text])[0]
