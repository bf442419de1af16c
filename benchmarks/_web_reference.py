"""The web path of db3's paper out of the obvious library parts, to measure ours against.

BeautifulSoup with `html.parser`, CharacterTextSplitter (parents 2000/400, children 200/50),
ParentDocumentRetriever over an in-memory vector store, pages cut at 12,000 tokens, every child
embedded in fp32 in batches of 32 (db3, sections 2.2 and 3.1).
"""

import time
from collections.abc import Sequence
from typing import Any

from models.ranking.optional import need
from models.records import Page

PAGE_TOKENS = 12_000
PARENT, CHILD = (2000, 400), (200, 50)
RECALL_K = 50
BATCH = 32
PAGES_BY_SNIPPET = 5


class Reference:
    """The reference retriever; its contexts are texts, best first."""

    def __init__(self, model: str) -> None:
        torch = need("torch", "torch")
        library = need("sentence_transformers", "sentence-transformers")
        self._model = library.SentenceTransformer(
            model, device="cpu", model_kwargs={"dtype": torch.float32}
        )
        self._soup = need("bs4", "beautifulsoup4").BeautifulSoup
        self._splitters = need("langchain_text_splitters", "langchain-text-splitters")
        self._retrievers = need("langchain_classic.retrievers", "langchain-classic")
        self._storage = need("langchain_core.stores", "langchain-core")
        self._vectors = need("langchain_core.vectorstores", "langchain-core")
        self._documents = need("langchain_core.documents", "langchain-core")
        self.seconds: dict[str, float] = {}
        self.embedded = 0

    def read(self, pages: Sequence[Page]) -> list[str]:
        """The text of each page, cut at 12,000 tokens."""
        start = time.perf_counter()
        texts = [self._soup(page.html, "html.parser").get_text() for page in pages if page.html]
        self.seconds["extract"] = time.perf_counter() - start
        start = time.perf_counter()
        out = [self._cut(text) for text in texts]
        self.seconds["cut"] = time.perf_counter() - start
        return out

    def _cut(self, text: str) -> str:
        said = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        offsets = said["offset_mapping"]
        return text[: offsets[PAGE_TOKENS][0]] if len(offsets) > PAGE_TOKENS else text

    def choose(self, query: str, pages: Sequence[Page]) -> list[Page]:
        """The five pages whose snippets are nearest to the query (db3, section 3.1)."""
        start = time.perf_counter()
        pages = [page for page in pages if page.html]
        rows = self.embed_documents([f"{page.name}\n{page.snippet}" for page in pages])
        asked = self.embed_query(query)
        near = [sum(a * b for a, b in zip(row, asked, strict=True)) for row in rows]
        order = sorted(range(len(pages)), key=lambda i: -near[i])[:PAGES_BY_SNIPPET]
        self.seconds["prefilter"] = time.perf_counter() - start
        return [pages[i] for i in order]

    def rank(self, query: str, texts: Sequence[str], separator: str = "\n") -> list[str]:
        """The parents of the 50 nearest children, best first, cut at `separator` only."""
        self.embedded = 0
        self.seconds["embed"] = 0.0
        start = time.perf_counter()
        retriever = self._retrievers.ParentDocumentRetriever(
            vectorstore=self._vectors.InMemoryVectorStore(self),
            docstore=self._storage.InMemoryStore(),
            child_splitter=self._splitter(separator, *CHILD),
            parent_splitter=self._splitter(separator, *PARENT),
            search_kwargs={"k": RECALL_K},
        )
        documents = [self._documents.Document(page_content=text) for text in texts if text.strip()]
        if documents:
            retriever.add_documents(documents)
        found = [document.page_content for document in retriever.invoke(query)]
        spent = time.perf_counter() - start
        self.seconds["chunk and search"] = spent - self.seconds["embed"]
        return found

    def _splitter(self, separator: str, size: int, overlap: int) -> Any:
        return self._splitters.CharacterTextSplitter(
            separator=separator, chunk_size=size, chunk_overlap=overlap
        )

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """As langchain's embeddings have it."""
        start = time.perf_counter()
        rows = self._model.encode(
            texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        self.embedded += len(texts)
        self.seconds["embed"] = self.seconds.get("embed", 0.0) + time.perf_counter() - start
        out: list[list[float]] = rows.tolist()
        return out

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]
