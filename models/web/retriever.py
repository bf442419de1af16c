"""From a question's pages to the passages that most likely hold its answer."""

from collections.abc import Sequence
from dataclasses import replace

from models.ranking.protocol import Reranker
from models.records import Passage, Question
from models.web.chunking import split
from models.web.html import PageText, extract
from models.web.prefilter import prefilter
from utils.deadline import Deadline

PASSAGES_KEPT = 20


def retrieve(
    question: Question, ranker: Reranker, deadline: Deadline, keep: int = PASSAGES_KEPT
) -> tuple[dict[int, PageText], list[Passage]]:
    """The texts of the pages that were read, and the best passages of them, best first.

    A page's title counts as part of each of its passages when they are scored. At the deadline,
    what was read by then is what there is.
    """
    texts: dict[int, PageText] = {}
    for index in prefilter(question, ranker):
        if deadline.expired:
            break
        texts[index] = extract(question.pages[index])
    passages = _unique([part for index, page in texts.items() for part in split(page.text, index)])
    signed = [f"{texts[passage.page].title}\n{passage.text}" for passage in passages]
    scores = ranker.score(question.text, signed)
    scored = [replace(p, score=float(s)) for p, s in zip(passages, scores, strict=True)]
    scored.sort(key=lambda passage: -passage.score)
    return texts, scored[:keep]


def _unique(passages: Sequence[Passage]) -> list[Passage]:
    return list({passage.text: passage for passage in reversed(passages)}.values())[::-1]
