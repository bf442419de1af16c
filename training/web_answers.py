"""Samples for reading answers from web passages, labelled by what the passages hold.

The questions come with CRAG's pages or with passages, as for `training.reader`. Whether passages
contain an answer is decided by its words (`evaluation.gold_in_text`). Where these cannot tell, as
with the answer "yes", a question gets no label from its own passages.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from evaluation.gold_in_text import has_gold
from evaluation.judge.settle import is_invalid, is_missing
from models.prompts import load_prompt
from models.records import IDK, INVALID, Passage
from models.runtime.rounds import PASSAGES
from models.systems.web_passages import WebPassages
from models.web.context import with_title
from training.contexts import Context
from training.reader import QuestionToRead
from training.records import Sample, turns_of

SUBTASK = "answer_web"
_CHARS_PER_TOKEN = 4  # of English, about
_NAMESAKE_SHARE = 0.5  # of the questions are also asked with another one's passages
_EMPTY_SHARE = 0.25  # and with none


@dataclass(frozen=True, slots=True)
class WebAnswers:
    """Makes the samples of questions with passages.

    Attributes:
        prompt: the form of the system's prompt.
        context_tokens: of the passages in a prompt, about.
    """

    prompt: Literal["short", "confident"] = "short"
    context_tokens: int = 300
    seed: int = 0

    def samples(self, questions: Sequence[QuestionToRead]) -> Iterator[Sample]:
        """The samples of all questions that have a gold answer, in their order."""
        rng = random.Random(self.seed)
        for question in questions:
            if not question.golds or any(map(is_missing, question.golds)):
                continue
            yield from self._own_passages(question)
            others = _namesake_passages(question, questions)
            if others is not None and rng.random() < _NAMESAKE_SHARE:
                yield self._sample(question, others, others.passages, Context.NAMESAKE)
            if rng.random() < _EMPTY_SHARE:
                yield self._sample(question, question, (), Context.EMPTY)

    def _own_passages(self, question: QuestionToRead) -> Iterator[Sample]:
        """The samples of a question with the passages of its own pages."""
        if any(map(is_invalid, question.golds)):
            if question.passages:
                yield self._sample(question, question, question.passages, Context.CONTRADICTS)
            return
        with_answer = []
        without = []
        for passage in question.passages:
            match _holds_answer(question, question, [passage]):
                case True:
                    with_answer.append(passage)
                case False:
                    without.append(passage)
        shown = self._shown(question.passages)
        if with_answer and not _holds_answer(question, question, shown):
            shown = self._shown([*with_answer[:1], *question.passages])
        if _holds_answer(question, question, shown):
            yield self._sample(question, question, shown, Context.CONTAINS)
        if self._shown(without):
            yield self._sample(question, question, without, Context.LACKS)

    def _shown(self, passages: Iterable[Passage]) -> list[Passage]:
        """The first passages that fit a prompt."""
        room = self.context_tokens * _CHARS_PER_TOKEN
        shown: list[Passage] = []
        for passage in passages:
            room -= len(passage.text)
            if room < 0:
                break
            shown.append(passage)
        return shown

    def _sample(
        self,
        question: QuestionToRead,
        source: QuestionToRead,
        passages: Sequence[Passage],
        context: Context,
    ) -> Sample:
        """A sample of a question with passages of its own pages, or of those of another one."""
        shown = self._shown(passages)
        texts = tuple(with_title(passage, source.pages) for passage in shown)
        text = WebPassages(tuple(shown), texts, source.pages).written(texts)
        template = load_prompt(f"db3/{SUBTASK}_{self.prompt}")
        messages = template.render({"question": question.query, PASSAGES: text})
        match context:
            case Context.CONTAINS:
                answer = question.golds[0]
            case Context.CONTRADICTS:
                answer = INVALID
            case _:
                answer = IDK
        return Sample(
            id=f"{question.id} {context.name.lower()}",
            turns=turns_of(messages),
            answer=answer,
            note=str(context),
            question=question.query,
            golds=(answer,) if answer == IDK else question.golds,
            subtask=SUBTASK,
        )


def _namesake_passages(
    question: QuestionToRead, questions: Sequence[QuestionToRead]
) -> QuestionToRead | None:
    """The question with the most similar wording whose passages lack the answer; None: there is
    none."""
    others = [each for each in questions if each.passages and each.query != question.query]
    others.sort(key=lambda each: -fuzz.token_set_ratio(each.query, question.query))
    return next((each for each in others if not _holds_answer(question, each, each.passages)), None)


def _holds_answer(
    question: QuestionToRead, source: QuestionToRead, passages: Sequence[Passage]
) -> bool | None:
    """Whether passages of `source`, or their titles, hold the answer; None: words cannot tell."""
    texts = [with_title(passage, source.pages) for passage in passages]
    return has_gold("\n".join(texts), question.query, question.golds)
