"""The web path of db3's paper, built from libraries: the reference of benchmarks/web_path.py.

BeautifulSoup with `html.parser`, CharacterTextSplitter (parents 2000/400, children 200/50),
ParentDocumentRetriever over an in-memory vector store, pages cut at 12,000 tokens, every child
embedded in fp32 in batches of 32 (db3, sections 2.2 and 3.1).
"""

import time
from collections.abc import Sequence

from bs4 import BeautifulSoup

from benchmarks._web_data import Asked, joined
from models.records import Page, Task
from utils.packages import package

PAGE_TOKENS = 12_000
PARENT, CHILD = (2000, 400), (200, 50)
RECALL_K = 50
BATCH = 32
PAGES_BY_SNIPPET = 5


class Reference:
    """The reference retriever, with the seconds of each stage and the number of children embedded
    for the last question."""

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

    def contexts(self, asked: Asked, separator: str) -> list[str]:
        """The texts to answer from, best first; all text is cut at `separator` only."""
        self.seconds = {}
        query, pages = asked.question.text, asked.question.pages
        if asked.texts:
            texts = [joined([one]) for one in asked.texts]
        elif asked.question.task is Task.END_TO_END:
            texts = self._read(self._nearest(query, pages))
        else:
            texts = self._read(pages)
        return self._parents(query, texts, separator)

    def _nearest(self, query: str, pages: Sequence[Page]) -> list[Page]:
        """The five pages whose snippets are nearest to the query (db3, section 3.1)."""
        start = time.perf_counter()
        pages = [page for page in pages if page.html]
        rows = self.embed_documents([f"{page.name}\n{page.snippet}" for page in pages])
        asked = self.embed_query(query)
        near = [sum(a * b for a, b in zip(row, asked, strict=True)) for row in rows]
        order = sorted(range(len(pages)), key=lambda i: -near[i])[:PAGES_BY_SNIPPET]
        self.seconds["prefilter"] = time.perf_counter() - start
        return [pages[i] for i in order]

    def _read(self, pages: Sequence[Page]) -> list[str]:
        """The text of each page, cut at 12,000 tokens."""
        start = time.perf_counter()
        texts = [BeautifulSoup(page.html, "html.parser").get_text() for page in pages if page.html]
        extracted = time.perf_counter()
        cut = [self._cut(text) for text in texts]
        self.seconds |= {"extract": extracted - start, "cut": time.perf_counter() - extracted}
        return cut

    def _cut(self, text: str) -> str:
        said = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        offsets = said["offset_mapping"]
        return text[: offsets[PAGE_TOKENS][0]] if len(offsets) > PAGE_TOKENS else text

    def _parents(self, query: str, texts: Sequence[str], separator: str) -> list[str]:
        """The parents of the 50 nearest children."""
        self.embedded = 0
        self.seconds["embed"] = 0.0
        start = time.perf_counter()
        child, parent = (
            self._splitters.CharacterTextSplitter(
                separator=separator, chunk_size=size, chunk_overlap=overlap
            )
            for size, overlap in (CHILD, PARENT)
        )
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
        found = [document.page_content for document in retriever.invoke(query)]
        spent = time.perf_counter() - start
        self.seconds["chunk and search"] = spent - self.seconds["embed"]
        return found

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
