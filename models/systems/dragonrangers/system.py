"""dragonrangers' ThreeStepQA: own knowledge, external sources, choice; each with a threshold.

Park, Seok, Lee, Yun, Lee: "KDD Cup Meta CRAG 2024 Technical Report: Three-step Question-Answering
Framework" (2024); sections, algorithms and equations are of that paper.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from models.llm.confidence import sequence_confidence, vote_key
from models.llm.errors import LLMError
from models.llm.factory import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind, FinishReason
from models.prompts import load_prompt
from models.records import Answer, Question, Source
from models.runtime.batch import Batch
from models.runtime.ledger import Ledger
from models.runtime.request import Request
from models.runtime.rounds import Rounds
from models.runtime.trace import Step
from models.settings import Settings
from models.subtasks.answers import answer_of
from models.subtasks.kg_text import baseline
from models.subtasks.kg_text.factory import KgSource, make_kg_text
from models.subtasks.kg_text.protocol import KgText, kg_pieces
from models.systems.dragonrangers.paths import Reasoning, read_path, vote
from models.systems.dragonrangers.thresholds import Thresholds, read_thresholds
from models.systems.web_passages import WebPassages, web_passages
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.typed import Chance, TimeShare, read_record

OWN_SUBTASKS = ("answer_alone", "answer_kg", "answer_web", "choose")
SUBTASKS = (*OWN_SUBTASKS, baseline.SUBTASK)
_NOT_KNOWN = "I don't know"  # as a choice
_LETTERS = "ABC"  # of the choices
_LETTER = re.compile(r"\W*([A-Z])\b")
_READING_SHARE = 0.7  # of the time left after retrieval; the rest is for step 3


@dataclass(frozen=True, slots=True)
class DragonrangersOptions:
    """dragonrangers' options.

    Attributes:
        samples: M, the reasoning paths of step 1 (three in figure 2).
        temperature, seed: of the sampling; a single path is greedy.
        t_p, t_e, t_f: the thresholds of the three steps, without a calibration file.
        calibration: the file of `crag training calibrate` with thresholds to use instead.
        kg: the KG source: baseline (as in the paper), parser or none.
        prefer_known: a source that does not know never overrides one that does. The paper takes the
            one with the higher confidence (equation 6), with tuned thresholds; without them, a
            confident "I don't know" would only lose answers.
        path_tokens: maximum tokens of a reasoning path.
        context_tokens: maximum tokens of the passages in a prompt.
        alone_share, source_share: of the time left, for step 1, and for retrieval in step 2.
    """

    samples: PositiveInt = 3
    temperature: PositiveFloat = 0.7
    seed: int = 0
    t_p: Chance = Thresholds().parametric
    t_e: Chance = Thresholds().external
    t_f: Chance = Thresholds().final
    calibration: str = ""
    kg: KgSource = "baseline"
    prefer_known: bool = True
    path_tokens: PositiveInt = 200
    context_tokens: NonNegativeInt = 4000
    alone_share: TimeShare = 0.4
    source_share: TimeShare = 0.4


def build(settings: Settings, llms: LLMs | None = None) -> "DragonrangersSystem":
    """dragonrangers with the engines, adapters, web path, KG and thresholds of `settings`."""
    web = web_settings(settings.web, "dragonrangers")
    options = read_record(DragonrangersOptions, settings.options, "options")
    llms = llms or LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key)
    thresholds = _choose_thresholds(settings, options)
    llms.load(OWN_SUBTASKS)
    return DragonrangersSystem(
        llms=llms,
        retriever=make_retriever(web),
        kg=make_kg_text(options.kg, settings, llms),
        thresholds=thresholds,
        options=options,
    )


def _choose_thresholds(settings: Settings, options: DragonrangersOptions) -> Thresholds:
    """The thresholds of the calibration file or of the options.

    A confidence model in the settings replaces T_F, unless the settings have T_F, too.

    Raises:
        SettingsError: both are in the settings, or the file cannot be read.
    """
    explicit = sorted({"t_p", "t_e", "t_f"} & settings.options.keys())
    if options.calibration:
        if explicit:
            raise SettingsError(f"options: give calibration or {', '.join(explicit)}, not both")
        return read_thresholds(Path(options.calibration))
    final = options.t_f
    if settings.confidence and "t_f" not in explicit:
        final = 0.0
    return Thresholds(options.t_p, options.t_e, final)


@dataclass(frozen=True, slots=True)
class CandidateAnswer:
    """An answer, its confidence, and the passages that it was made from (S_Q)."""

    answer: Answer
    confidence: float
    passages: tuple[str, ...] = ()


@dataclass
class DragonrangersBatch(Batch):
    """State of one batch; each step fills a field, by question index.

    Attributes:
        parametric: A_P and C_P, where there is an answer.
        sources: the text of each external source, KG before web.
        pages: the web's result, which formats it for a prompt.
        external: A_E, C_E and S_Q, where there is a source.
    """

    parametric: dict[int, CandidateAnswer] = field(default_factory=dict)
    sources: dict[int, dict[Source, tuple[str, ...]]] = field(default_factory=dict)
    pages: Sequence[WebPassages] = ()
    external: dict[int, CandidateAnswer] = field(default_factory=dict)

    def settle_if_sure(
        self, index: int, stage: str, candidate: CandidateAnswer, threshold: float
    ) -> bool:
        """Note a step's answer, and record it as final if its confidence exceeds the threshold;
        whether it does."""
        inputs = {
            "confidence": f"{candidate.confidence:.6f}",
            "threshold": f"{threshold:g}",
            "source": candidate.answer.source,
        }
        confidence = {stage: candidate.confidence}
        self.ledger.note_step(
            index, Step(stage, inputs, candidate.answer.text, confidence=confidence)
        )
        sure = candidate.confidence > threshold
        if sure:
            self.settle(index, candidate.answer)
        return sure

    def choices(self, index: int) -> dict[str, Answer]:
        """The answers to choose from by letter, "I don't know" last; equal ones appear once."""
        answers: dict[Hashable, Answer] = {}
        for candidate in (self.parametric.get(index), self.external.get(index)):
            if candidate is not None and candidate.answer.known:
                answers.setdefault(vote_key(candidate.answer.text), candidate.answer)
        return dict(zip(_LETTERS, [*answers.values(), Answer()], strict=False))


@dataclass
class DragonrangersSystem:
    """Answers a batch in at most three rounds, plus the KG baseline's one: paths, sources, choice.

    `kg` None: no KG, for any task.
    """

    llms: LLMs
    retriever: Retriever
    kg: KgText | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)
    options: DragonrangersOptions = field(default_factory=DragonrangersOptions)

    def answer(self, questions: Sequence[Question], deadline: Deadline, ledger: Ledger) -> None:
        """Algorithm 1. A question settled in one step is skipped by the later ones."""
        batch = DragonrangersBatch(questions, Rounds(self.llms), deadline, ledger)
        self.answer_alone(batch, batch.share(self.options.alone_share))
        self.ask_sources(batch, batch.share(self.options.source_share))
        self.answer_from_sources(batch, batch.share(_READING_SHARE))
        self.select_final_answer(batch)

    def answer_alone(self, batch: DragonrangersBatch, deadline: Deadline) -> None:
        """Step 1: M sampled paths of two rationales; C_P against T_P (section 3.1).

        A path of another form does not count in M: section 4.4 has it "excluded from evaluation". A
        path that was cut off, or not sampled for lack of time, counts.
        """
        template = load_prompt("dragonrangers/answer_alone")
        requests = [
            Request(
                i,
                "answer_alone",
                template,
                question.values,
                max_tokens=self.options.path_tokens,
                n=self.options.samples,
                temperature=self.options.temperature if self.options.samples > 1 else 0.0,
                seed=self.options.seed,
            )
            for i, question in enumerate(batch.questions)
        ]
        for request, completion in batch.ask(requests, deadline):
            alone = self._vote_of(completion)
            sure = batch.settle_if_sure(
                request.index, "parametric", alone, self.thresholds.parametric
            )
            if alone.answer.known and not sure:
                batch.parametric[request.index] = alone

    def _vote_of(self, completion: Completion) -> CandidateAnswer:
        """A_P and C_P of the sampled paths."""
        whole = [s for s in completion.samples if s.finish_reason is FinishReason.STOP]
        paths: list[Reasoning | None] = []
        for sample in whole:
            path = read_path(sample.text)
            if path is not None:
                paths.append(path)
        missing = self.options.samples - len(whole)  # cut off, or not sampled
        answer, confidence = vote(paths + [None] * missing)
        return CandidateAnswer(answer, confidence)

    def ask_sources(self, batch: DragonrangersBatch, deadline: Deadline) -> None:
        """Step 2, S_Q: MockAPI of the KG and Retriever of the pages (equation 3), in parallel."""
        if not batch.open:
            return
        unsettled = list(batch.open)
        kg_texts: dict[int, str] = {}
        with ThreadPoolExecutor(1, thread_name_prefix="web") as pool:
            web = pool.submit(
                web_passages, self.retriever, batch.questions, deadline, batch.ledger, unsettled
            )
            if self.kg is not None:
                with_kg = [i for i in unsettled if batch.questions[i].task.has_kg]
                kg_texts = self.kg.gather(batch.questions, with_kg, deadline, batch.ledger)
            batch.pages = web.result()
        for i in unsettled:
            texts = {
                Source.KG: tuple(kg_pieces(kg_texts.get(i, ""), batch.questions[i].plain)),
                Source.WEB: batch.pages[i].texts,
            }
            batch.sources[i] = {source: passages for source, passages in texts.items() if passages}

    def answer_from_sources(self, batch: DragonrangersBatch, deadline: Deadline) -> None:
        """Step 2: an answer from each source; the most confident one against T_E (Algorithm 2)."""
        requests = []
        for i in batch.open:
            for source, texts in batch.sources[i].items():
                requests.append(self._source_request(batch, i, source, texts))
        candidates: dict[int, list[CandidateAnswer]] = {}
        for request, completion in batch.ask(requests, deadline):
            if completion.finished and completion.text.strip():
                answer = answer_of(completion, Source(request.subtask.removeprefix("answer_")))
                confidence = self._confidence(completion, batch, request.index)
                candidate = CandidateAnswer(answer, confidence, tuple(request.passages))
                candidates.setdefault(request.index, []).append(candidate)
        for i, of_question in candidates.items():
            best = max(of_question, key=self._rank)  # equation 6
            if not batch.settle_if_sure(i, "external", best, self.thresholds.external):
                batch.external[i] = best

    def _source_request(
        self, batch: DragonrangersBatch, index: int, source: Source, texts: Sequence[str]
    ) -> Request:
        return Request(
            index,
            f"answer_{source}",
            load_prompt(f"dragonrangers/answer_{source}"),
            batch.questions[index].values,
            texts,
            budget=self.options.context_tokens,
            write=batch.pages[index].written,
            logprobs=True,
        )

    def select_final_answer(self, batch: DragonrangersBatch) -> None:
        """Step 3: A_P, A_E and "I don't know" as a multiple choice; C_F against T_F (section 3.3).

        Skipped if neither step has an answer.
        """
        choices = {i: batch.choices(i) for i in batch.open}
        requests = [
            self._choice_request(batch, i, answers)
            for i, answers in choices.items()
            if len(answers) > 1
        ]
        for request, completion in batch.ask(requests, batch.deadline):
            i = request.index
            if completion.finished:
                letter = _LETTER.match(completion.text)
                answer = choices[i].get(letter[1], Answer()) if letter else Answer()
                confidence = self._confidence(completion, batch, i)
                chosen = CandidateAnswer(answer, confidence)
                batch.settle_if_sure(i, "final", chosen, self.thresholds.final)
        for i in list(batch.open):
            batch.settle(i, Answer())

    def _choice_request(
        self, batch: DragonrangersBatch, index: int, answers: Mapping[str, Answer]
    ) -> Request:
        """The multiple choice between `answers`, below the passages of A_E."""
        lines = [
            f"{letter}. {answer.text if answer.known else _NOT_KNOWN}"
            for letter, answer in answers.items()
        ]
        external = batch.external.get(index)
        return Request(
            index,
            "choose",
            load_prompt("dragonrangers/choose"),
            {**batch.questions[index].values, "options": "\n".join(lines)},
            external.passages if external else (),
            budget=self.options.context_tokens,
            write=batch.pages[index].written,
            max_tokens=1,
            logprobs=True,
            constraint=Constraint(ConstraintKind.CHOICE, "\n".join(answers)),
        )

    def _rank(self, candidate: CandidateAnswer) -> tuple[bool, float]:
        """By whether the answer is known, if `prefer_known`; then by confidence."""
        preferred = self.options.prefer_known and candidate.answer.known
        return preferred, candidate.confidence

    def _confidence(self, completion: Completion, batch: DragonrangersBatch, index: int) -> float:
        """C of a completion; 0, noted as a failure, if there are no log-probabilities."""
        confidence = sequence_confidence(completion)
        if confidence is None:
            error = LLMError("the engine gives no log-probabilities")
            batch.ledger.note_failure(index, error, "choose")
            return 0.0
        return confidence
