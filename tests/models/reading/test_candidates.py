"""Candidate answers from the spans of all windows, over an encoder that a test scripts."""

from collections.abc import Sequence

import numpy as np

from models.ranking.pair_tokens import TokenPair
from models.ranking.span_encoder import SpanLogits
from models.reading.candidates import MOST_CHARS, CandidateValue, candidates
from models.records import Passage
from models.web.page import PageText
from tests.models.kg.cases import SOON
from utils.deadline import Deadline


class ScriptedEncoder:
    """Holds the words of `answers` for answers, the first ones surest."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers
        self.read_chars = 0

    def read(
        self, question: str, texts: Sequence[str], deadline: Deadline
    ) -> list[SpanLogits | None]:
        self.read_chars += sum(map(len, texts))
        return [self._logits(text) for text in texts]

    def _logits(self, text: str) -> SpanLogits:
        offsets: list[tuple[int, int]] = []
        for word in text.split():
            start = text.index(word, offsets[-1][1] if offsets else 0)
            offsets.append((start, start + len(word)))
        begins = np.full(len(offsets), -9.0, dtype=np.float32)
        ends = begins.copy()
        for rank, answer in enumerate(self.answers):
            at = text.find(answer)
            for number, (start, end) in enumerate(offsets):
                if at >= 0 and start == at:
                    begins[number] = 4.0 - rank / 4
                if at >= 0 and end >= at + len(answer) > start:
                    ends[number] = 4.0 - rank / 4
        pair = TokenPair((0,) * len(offsets), (1,) * len(offsets), 0, tuple(offsets))
        return SpanLogits(pair, begins, ends, nothing=2.0)


def found(question: str, encoder: ScriptedEncoder, *texts: str) -> list[CandidateValue]:
    passages = [Passage(text, page, 0, len(text)) for page, text in enumerate(texts)]
    pages = {page: PageText(f"Page {page}", text) for page, text in enumerate(texts)}
    return candidates(question, passages, pages, encoder, SOON)  # type: ignore[arg-type]


SHOW = "It was Ann Other who hosted it with Bo Third for years."


def test_several_spans_are_one_answer_where_several_are_asked_for() -> None:
    encoder = ScriptedEncoder("Ann Other", "Bo Third")
    answers = [each.answer for each in found("who were the hosts of the show?", encoder, SHOW)]
    assert "Ann Other, Bo Third" in answers
    answers = [each.answer for each in found("who was the host of the show?", encoder, SHOW)]
    assert "Ann Other" in answers
    assert "Ann Other, Bo Third" not in answers


def test_spans_of_one_wording_are_one_candidate() -> None:
    encoder = ScriptedEncoder("Ann Other")
    once, twice = (
        next(
            each for each in found("who hosted the show?", encoder, *texts)
            if each.answer == "Ann Other"
        )
        for texts in ((SHOW,), (SHOW, "Its host was Ann Other of the north."))
    )  # fmt: skip
    assert twice.features["pages"] > once.features["pages"]
    assert twice.features["agree"] > once.features["agree"]


def test_another_answer_that_is_as_likely_disputes_one() -> None:
    encoder = ScriptedEncoder("Ann Other", "Bo Third")
    best, *_ = found("who hosted the show?", encoder, SHOW)
    assert best.features["disputed"] == 1.0
    best, *_ = found("who hosted the show?", ScriptedEncoder("Ann Other"), SHOW)
    assert best.features["disputed"] == 0.0


def test_what_is_read_of_many_passages_is_bounded() -> None:
    encoder = ScriptedEncoder("Ann Other")
    texts = [f"{SHOW} " + "and so on " * 60] * 40
    assert found("who hosted the show?", encoder, *texts)
    assert encoder.read_chars <= MOST_CHARS + len(texts[0]) + 20
    assert not found("who hosted the show?", encoder)
