"""From files of questions to the reader that the project ships: encoder, calibration, card.

1. The encoder is tuned on the questions whose pages are not held out, each with its own window and
   near ones, and on invented lookups in tables.
2. It reads further near windows of the same questions. The span that it likes best in a window
   without the answer is its worst mistake: these windows, and the passages that were retrieved for
   questions of CRAG, teach it to abstain. This step is made three times: once for each half of
   CRAG's questions without it, and once with both; the last one ships.
3. Ranker and confidence are fitted on questions that their encoder has not seen: those of held-out
   pages, and each half of CRAG's questions with the encoder that was made without it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.judge.protocol import Item
from evaluation.judge.rules import RulesJudge
from evaluation.run_folder import write_json, write_text
from models.ranking.span_encoder import ENCODER, SpanEncoder
from models.reading.candidates import candidates
from models.reading.spans import FoundSpan, spans_in
from models.reading.windows import Window, windows_of
from models.records import Passage
from models.subtasks.answer_web import WEIGHTS
from models.web.page import PageText
from training.fitting.folds import FOLDS, Fold
from training.fitting.threshold import Bound, best_threshold
from training.reading.examples import (
    ReadingExample,
    invented_lookups,
    of_pages,
    of_retrieved,
    of_texts,
    spans_of,
)
from training.reading.export import export
from training.reading.questions import (
    AnsweredText,
    QuestionToRead,
    alone,
    near_texts,
    read_questions,
    read_texts,
)
from training.reading.tune import ReaderRecipe, tune_reader
from training.records import JsonRow, read_rows
from training.weak_supervision import (
    BestAnswer,
    RankedQuestion,
    answer_group,
    cross_validate,
    figures,
    figures_table,
    fit,
    write_weights,
)
from utils.deadline import Deadline
from utils.errors import InputError
from utils.model_files import sha256

CARD = "card.json"
_MADE_OF = "made_of.json"
_RETRIEVED = "retrieved"  # the group of the questions with passages
_ALONE = "one text"  # the group of the questions with their own text alone
_WHAT = "ranker and confidence of models/reading (crag training reader)"
_SECONDS = 600.0  # for the passages of a question: no result may depend on speed
_MINED_TEXTS = 8  # near texts in which a mistake is looked for
_HALVES = 2  # of CRAG's questions
_ROWS_AGAIN = 3  # every third row of a table is learnt again
_TABLE_WEIGHT = 2.0  # of a question about tables: there are few
_REPEATS = 3  # of a retrieved passage that has the answer: there are few


@dataclass(frozen=True, slots=True)
class ReaderFiles:
    """What the reader is made of.

    Attributes:
        texts: files of texts (training/reading/questions.py), any of whose answers is right.
        lists: the same, whose answers are parts of one.
        pages: files of CRAG's rows with a `gold_page`.
        retrieved: files of CRAG's rows with passages.
    """

    texts: tuple[Path, ...]
    lists: tuple[Path, ...]
    pages: tuple[Path, ...]
    retrieved: tuple[Path, ...]

    @property
    def all(self) -> tuple[Path, ...]:
        """All files."""
        return (*self.texts, *self.lists, *self.pages, *self.retrieved)


@dataclass(frozen=True)
class ReaderJob:
    """How and where the reader is made.

    Attributes:
        base: a folder of the encoder that is tuned, in transformers' format.
        runs: a folder for what is made on the way; an interrupted job goes on from there.
        encoder: the folder of the encoder that ships.
        weights: the file of its ranker and confidence, with the card.
        fold: of the pages, that is held out.
        most_wrong: the share of wrong answers that the threshold may let through in each file.
        most_wrong_retrieved: the same of passages that were retrieved, as in the contest.
    """

    files: ReaderFiles
    base: Path
    runs: Path
    encoder: Path = ENCODER
    weights: Path = WEIGHTS
    fold: Fold = field(default_factory=lambda: Fold(0, FOLDS))
    first: ReaderRecipe = field(default_factory=ReaderRecipe)
    second: ReaderRecipe = field(
        default_factory=lambda: ReaderRecipe(learning_rate=4e-5, epochs=1.0, saves=2)
    )
    most_wrong: float = 0.055
    most_wrong_retrieved: float = 0.03
    say: Callable[[str], None] = print

    def make(self) -> Table:
        """Make the reader; the figures of the calibration.

        Raises:
            InputError: `runs` has what was made of other files or by other recipes.
        """
        self._check_runs()
        known_texts = [row for row in self._texts() if not self.fold.holds(row.page)]
        examples = self._kept("examples.jsonl", lambda: self._first_examples(known_texts))
        tuned = self._tuned("first", examples, self.base, self.first)
        encoder = self._exported(tuned, examples)
        mined = self._kept("mined.jsonl", lambda: _mistakes(known_texts, encoder))
        tables = [example for example in examples if example.is_row][::_ROWS_AGAIN]
        retrieved = list(chain.from_iterable(map(read_questions, self.files.retrieved)))
        halves = [Fold(number, _HALVES) for number in range(_HALVES)]
        questions: list[RankedQuestion] = []
        for half in halves:
            others = [question for question in retrieved if not half.holds(question.source)]
            name = f"without half {half.number}"
            with_others = [*mined, *tables, *_repeated(of_retrieved(others))]
            part_encoder = self._exported(
                self._tuned(name, with_others, tuned, self.second), examples
            )
            questions += [
                ranked_question(question, part_encoder, _RETRIEVED)
                for question in retrieved
                if half.holds(question.source)
            ]
        with_all = [*mined, *tables, *_repeated(of_retrieved(retrieved))]
        final = self._tuned("final", with_all, tuned, self.second)
        export(final, self.encoder, _texts_of(examples))
        questions += self._held_out(SpanEncoder(self.encoder))
        return self._calibrate(questions)

    def _texts(self) -> Iterator[AnsweredText]:
        for file in self.files.texts:
            yield from read_texts(file)
        for file in self.files.lists:
            yield from read_texts(file, parts=True)

    @property
    def _made_of(self) -> dict[str, Any]:
        """What decides the encoders, as a card says it."""
        return {
            "base_sha256": sha256(self.base / "model.safetensors"),
            "data": {file.name: sha256(file) for file in self.files.all},
            "first": asdict(self.first),
            "held_out": str(self.fold),
            "second": asdict(self.second),
        }

    def _check_runs(self) -> None:
        file = self.runs / _MADE_OF
        if not file.is_file():
            self.runs.mkdir(parents=True, exist_ok=True)
            write_json(file, self._made_of)
        elif json.loads(file.read_text(encoding="utf-8")) != self._made_of:
            raise InputError(
                f"{self.runs} was made of other files, or with another base, fold or number of "
                "epochs: give another --runs"
            )

    def _first_examples(self, texts: Sequence[AnsweredText]) -> Iterator[ReadingExample]:
        """What the encoder is tuned on first."""
        yield from of_texts(texts)
        for file in self.files.pages:
            questions = read_questions(file, gold_only=True)
            yield from of_pages(each for each in questions if not self.fold.holds(each.source))
            yield from invented_lookups(file, lambda page: not self.fold.holds(page))

    def _kept(
        self, name: str, make: Callable[[], Iterable[ReadingExample]]
    ) -> list[ReadingExample]:
        """Examples, written to a file of `runs` when they are first made."""
        file = self.runs / name
        if not file.is_file():
            self.say(f"{name}: …")
            rows = [json.dumps(asdict(example)) for example in make()]
            write_text(file, "\n".join(rows) + "\n")
        return [ReadingExample.of(row) for row in read_rows(file, JsonRow)]

    def _tuned(
        self, name: str, examples: Sequence[ReadingExample], base: Path, recipe: ReaderRecipe
    ) -> Path:
        """The folder of an encoder, which is tuned unless that was done before."""
        out = self.runs / name.replace(" ", "-")
        if not (out / CARD).is_file():
            self.say(f"{name}: {len(examples)} examples")
            tune_reader(examples, base, out, recipe)
            write_json(out / CARD, {"examples": len(examples), **asdict(recipe)})
        return out

    def _exported(self, tuned: Path, examples: Sequence[ReadingExample]) -> SpanEncoder:
        folder = tuned / "encoder"
        if not folder.is_dir():
            unfinished = tuned / "unfinished"
            export(tuned, unfinished, _texts_of(examples))
            unfinished.rename(folder)
        return SpanEncoder(folder)

    def _held_out(self, encoder: SpanEncoder) -> Iterator[RankedQuestion]:
        """The questions about held-out pages."""
        for file in (*self.files.texts, *self.files.lists, *self.files.pages):
            is_list = file in self.files.lists
            weight = _TABLE_WEIGHT if file in self.files.pages else 1.0
            for question in read_questions(file, gold_only=True, parts=is_list):
                if self.fold.holds(question.source):
                    yield ranked_question(question, encoder, file.stem, weight)
        for row in self._texts():
            if self.fold.holds(row.page):
                yield ranked_question(alone(row), encoder, _ALONE)

    def _calibrate(self, questions: Sequence[RankedQuestion]) -> Table:
        """Fit ranker and confidence, and choose the threshold; the figures by file."""
        outcomes = cross_validate(questions)
        groups: dict[str, list[BestAnswer]] = {}
        for outcome in outcomes:
            groups.setdefault(outcome.question.domain, []).append(outcome)
        most_wrong = {_RETRIEVED: self.most_wrong_retrieved}
        lists = [file.stem for file in self.files.lists]  # half an answer counts as wrong there
        bounds = [
            Bound(answer_group(group), most_wrong.get(name, self.most_wrong))
            for name, group in groups.items()
            if name not in lists
        ]
        threshold = best_threshold([answer_group(outcomes)], bounds)
        facts = {
            **self._made_of,
            "most_wrong": self.most_wrong,
            "most_wrong_retrieved": self.most_wrong_retrieved,
            "cross_validation": {
                name: {
                    "questions": len(group),
                    **{key: round(value, 4) for key, value in figures(group, threshold).items()},
                }
                for name, group in groups.items()
            },
        }
        write_weights(self.weights, fit(questions, threshold), _WHAT, facts)
        return figures_table(outcomes, threshold)


def ranked_question(
    question: QuestionToRead, encoder: SpanEncoder, group: str, weight: float = 1.0
) -> RankedQuestion:
    """A question's candidate answers, each with the judge's verdict."""
    found = candidates(
        question.query, question.passages, question.pages, encoder, Deadline.after(_SECONDS)
    )
    items = [
        Item(question.id, question.query, question.golds, candidate.answer) for candidate in found
    ]
    return RankedQuestion(
        id=question.id,
        cluster=question.source,
        domain=group,
        answerable=True,
        candidates=tuple((candidate.answer, candidate.features) for candidate in found),
        verdicts=tuple(judgement.verdict for judgement in RulesJudge().judge(items)),
        weight=weight,
    )


def _mistakes(texts: Sequence[AnsweredText], encoder: SpanEncoder) -> Iterator[ReadingExample]:
    """Each question with its own text, and with that near one in which the encoder finds the
    likeliest answer: it has none."""
    distinct = list({row.text: row for row in texts}.values())
    for row in texts:
        near = list(near_texts(row, distinct, _MINED_TEXTS))
        pages = {i: PageText(each.title, "") for i, each in enumerate([row, *near])}
        passages = [Passage(each.text, i, 0, 0) for i, each in enumerate([row, *near])]
        (own, *others), _ = windows_of(passages, pages)
        spans = spans_of(row.answers, own)
        if spans:
            yield ReadingExample(row.id, row.question, own.text, spans)
        worst = _worst(row.question, others, encoder)
        if worst is not None:
            yield ReadingExample(row.id, row.question, worst.text, ())


def _worst(question: str, windows: Sequence[Window], encoder: SpanEncoder) -> Window | None:
    """The window with the likeliest span."""
    readings = encoder.read(question, [each.text for each in windows], Deadline.after(_SECONDS))
    likeliest: list[FoundSpan] = []
    for window, logits in zip(windows, readings, strict=True):
        if logits is not None:
            likeliest += spans_in(window, logits, most=1)
    if not likeliest:
        return None
    return max(likeliest, key=lambda span: span.margin).window


def _repeated(examples: Iterable[ReadingExample]) -> Iterator[ReadingExample]:
    """The examples, those with an answer several times."""
    for example in examples:
        yield from [example] * (_REPEATS if example.spans else 1)


def _texts_of(examples: Iterable[ReadingExample]) -> Iterator[str]:
    for example in examples:
        yield example.question
        yield example.text
