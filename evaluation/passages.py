"""Questions with passages that are ranked already: a JSON line each, as the reader takes them.

A row has `interaction_id`, `query`, `answer`, `alt_ans` and `passages`: objects whose `text` is a
page's title, a line with a colon, and the passage.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from models.ranking.protocol import Reranker
from models.records import Passage
from models.web.page import PageText

_WRAPPED = re.compile(r"\n(?!\s*[*#\n|])")
_MARKS = re.compile(r"[*_\\]+|^#+ ", re.M)


def titled_passages(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The (title, text) of a row's passages, in their order; the title is "" where it has none."""
    titled = []
    for passage in row["passages"]:
        title, colon, body = passage["text"].partition("\n:\n")
        if not colon:
            title = ""
            body = passage["text"]
        titled.append((title, _without_markdown(body)))
    return titled


def ranked(
    query: str, titled: Sequence[tuple[str, str]], ranker: Reranker
) -> tuple[list[Passage], dict[int, PageText]]:
    """The passages, best first by `ranker`, and their pages by index: a page is a title."""
    scores = ranker.score(query, [f"{title}\n{text}" for title, text in titled])
    page_indexes: dict[str, int] = {}
    for title, _ in titled:
        page_indexes.setdefault(title, len(page_indexes))
    passages = [
        Passage(text, page_indexes[title], 0, len(text), float(score))
        for (title, text), score in zip(titled, scores, strict=True)
    ]
    passages.sort(key=lambda passage: -passage.score)
    pages = {index: PageText(title, "") for title, index in page_indexes.items()}
    return passages, pages


def _without_markdown(text: str) -> str:
    """A passage without the Markdown marks and the line breaks that html2text added."""
    return _MARKS.sub("", _WRAPPED.sub(" ", text)).strip()
