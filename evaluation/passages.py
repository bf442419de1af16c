"""Questions with passages already found: a JSON line each, as the reader takes them.

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
    """The (title, text) of a row's passages, in their order; "" where one has no title."""
    found = []
    for passage in row["passages"]:
        title, colon, body = passage["text"].partition("\n:\n")
        found.append((title, _plain(body)) if colon else ("", _plain(passage["text"])))
    return found


def ranked(
    query: str, titled: Sequence[tuple[str, str]], ranker: Reranker
) -> tuple[list[Passage], dict[int, PageText]]:
    """The passages, best first by `ranker`, and their pages by index: a page is a title."""
    scores = ranker.score(query, [f"{title}\n{text}" for title, text in titled])
    pages: dict[str, int] = {}
    for title, _ in titled:
        pages.setdefault(title, len(pages))
    found = [
        Passage(text, pages[title], 0, len(text), float(score))
        for (title, text), score in zip(titled, scores, strict=True)
    ]
    found.sort(key=lambda passage: -passage.score)
    return found, {index: PageText(title, "") for title, index in pages.items()}


def _plain(text: str) -> str:
    """A passage without the Markdown marks and the line breaks that html2text gave it."""
    return _MARKS.sub("", _WRAPPED.sub(" ", text)).strip()
