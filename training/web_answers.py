"""Samples for reading answers from web passages, labelled by what the passages hold.

The questions come with CRAG's pages or with passages, as for `training.reader`. Whether passages
contain an answer is decided by its words (`evaluation.gold_in_text`). Where these cannot tell, as
with the answer "yes", a question gets no label from any passages.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.gold_in_text import has_gold
from evaluation.judge.settle import is_invalid, is_missing
from models.prompts import load_prompt
from models.records import IDK, INVALID, Passage
from models.runtime.request import PASSAGES
from models.web.context import with_title
from training.contexts import Context
from training.reading.questions import QuestionToRead
from training.records import Sample, turns_of
from utils.text import content_words, stem

SUBTASK = "answer_web"
PROMPT = "db3/answer_web_short"
_CHARS_PER_TOKEN = 4  # of English, about
_NAMESAKE_SHARE = 0.5  # of the questions are also asked with another one's passages
_EMPTY_SHARE = 0.25  # and with none


@dataclass
class WebAnswers:
    """Makes the samples of questions with passages.

    Attributes:
        context_tokens: of the passages in a prompt, about.
    """

    questions: Sequence[QuestionToRead]
    context_tokens: int = 300
    seed: int = 0

    def samples(self) -> Iterator[Sample]:
        """The samples of all questions that have a gold answer, in their order."""
        rng = random.Random(self.seed)
        for question in self.questions:
            if not question.golds or any(map(is_missing, question.golds)):
                continue
            yield from self._of_own_passages(question)
            text = self._of_similar_question(question)
            if text and rng.random() < _NAMESAKE_SHARE:
                yield _sample(question, text, IDK, Context.NAMESAKE)
            if rng.random() < _EMPTY_SHARE:
                yield _sample(question, "", IDK, Context.EMPTY)

    def _of_own_passages(self, question: QuestionToRead) -> Iterator[Sample]:
        """The samples of a question with the passages of its own pages."""
        text = self._written(question, question.passages)
        if any(map(is_invalid, question.golds)):
            if text:
                yield _sample(question, text, INVALID, Context.CONTRADICTS)
            return
        with_answer: list[Passage] = []
        without: list[Passage] = []
        for passage in question.passages:
            holds_answer = _holds_answer(question, with_title(passage, question.pages))
            (with_answer if holds_answer else without).append(passage)
        if with_answer and not _holds_answer(question, text):
            text = self._written(question, [with_answer[0], *without])
        if _holds_answer(question, text):
            yield _sample(question, text, question.golds[0], Context.CONTAINS)
        text = self._written(question, without)
        if text and _holds_answer(question, text) is False:
            yield _sample(question, text, IDK, Context.LACKS)

    def _of_similar_question(self, question: QuestionToRead) -> str:
        """The passages of the question that shares the most, and the rarest, words with this one,
        and whose passages lack the answer; empty: there is none."""
        stems = _stems(question)

        def likeness(other: QuestionToRead) -> float:
            return sum(self._rarity[word] for word in stems & _stems(other))

        for other in sorted(self.questions, key=likeness, reverse=True):
            if other.query == question.query:
                continue
            text = self._written(other, other.passages)
            if text and _holds_answer(question, text) is False:
                return text
        return ""

    @cached_property
    def _rarity(self) -> dict[str, float]:
        """The inverse document frequency of each word of the questions."""
        counts: Counter[str] = Counter()
        for question in self.questions:
            counts.update(_stems(question))
        return {word: math.log(len(self.questions) / count) for word, count in counts.items()}

    def _written(self, source: QuestionToRead, passages: Iterable[Passage]) -> str:
        """The first passages that fit a prompt, each below its page's title."""
        room = self.context_tokens * _CHARS_PER_TOKEN
        texts: list[str] = []
        for passage in passages:
            text = with_title(passage, source.pages).strip()
            room -= len(text)
            if room < 0:
                break
            texts.append(text)
        return "\n\n".join(texts)


def _sample(question: QuestionToRead, text: str, answer: str, context: Context) -> Sample:
    messages = load_prompt(PROMPT).render({"question": question.query, PASSAGES: text})
    return Sample(
        id=f"{question.id} {context.name.lower()}",
        turns=turns_of(messages),
        answer=answer,
        note=str(context),
        question=question.query,
        golds=(answer,) if answer == IDK else question.golds,
        subtask=SUBTASK,
    )


def _holds_answer(question: QuestionToRead, text: str) -> bool | None:
    """Whether a text holds the answer; None: its words cannot tell."""
    return has_gold(text, question.query, question.golds)


def _stems(question: QuestionToRead) -> set[str]:
    return set(map(stem, content_words(question.query)))
