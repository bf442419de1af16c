"""dragonrangers' ThreeStepQA: own knowledge, external sources, choice; each with a threshold.

Park, Seok, Lee, Yun, Lee: "KDD Cup Meta CRAG 2024 Technical Report: Three-step Question-Answering
Framework" (2024); sections, algorithms and equations are of that paper.
"""

import re
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import NonNegativeInt, PositiveInt

from models.llm.confidence import sequence_confidence, vote_key
from models.llm.errors import LLMError
from models.llm.llms import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind, FinishReason
from models.prompts import load_prompt
from models.records import Answer, Source
from models.runtime.batch import Batch
from models.runtime.case import Case
from models.runtime.request import Reply, Request
from models.runtime.rounds import Rounds
from models.runtime.trace import Step
from models.settings import Settings
from models.subtasks.answers import answer_of
from models.subtasks.kg_text import baseline
from models.subtasks.kg_text.make_kg_text import KgSource, make_kg_text
from models.subtasks.kg_text.protocol import KgText, kg_pieces
from models.subtasks.web_passages import WebCase, read_pages
from models.systems.dragonrangers.paths import PATH_TOKENS, Reasoning, read_path, vote
from models.systems.dragonrangers.thresholds import Thresholds, read_thresholds
from models.systems.protocol import SystemSpec
from models.web.make_retriever import make_retriever
from models.web.retriever import Retriever
from models.web.settings import Chunking, Extraction, WebSettings, web_settings
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.typed import Chance, read_record

OWN_SUBTASKS = ("answer_alone", "answer_kg", "answer_web", "choose")
SUBTASKS = (*OWN_SUBTASKS, baseline.SUBTASK)
_NOT_KNOWN = "I don't know"  # as a choice
_LETTERS = "ABC"  # of the choices
_LETTER = re.compile(r"\W*([A-Z])\b")
_TEMPERATURE = 0.7  # of the sampled paths
_SEED = 0  # any one, so that a run can be repeated
# Of the time left when a step begins.
_ALONE_SHARE = 0.4  # for step 1
_SOURCE_SHARE = 0.4  # for retrieval in step 2
_READING_SHARE = 0.7  # for reading in step 2; the rest is for step 3
# The web path (section 3.2).
WEB = WebSettings(
    both_sides=False,
    extractors=(Extraction.BEAUTIFULSOUP, Extraction.SELECTOLAX),
    tables=False,
    chunking=Chunking.TOKENS,
    parent_size=512,
    parent_overlap=32,
    reranker="cross:cross-encoder/ms-marco-MiniLM-L-6-v2",
    recall_k=10_000,
    rerank_k=4,
)


@dataclass(frozen=True, slots=True)
class DragonrangersOptions:
    """dragonrangers' options.

    Attributes:
        samples: M, the reasoning paths of step 1 (three in figure 2); a single path is greedy.
        t_p, t_e, t_f: the thresholds of the three steps, without a calibration file.
        calibration: the file of `crag training calibrate` with thresholds to use instead.
        kg: the KG source: baseline (as in the paper), parser or none.
        prefer_known: a source that does not know never overrides one that does. The paper takes the
            one with the higher confidence (equation 6), with tuned thresholds; without them, a
            confident "I don't know" would only lose answers.
        context_tokens: maximum tokens of the passages in a prompt.
    """

    samples: PositiveInt = 3
    t_p: Chance = Thresholds().parametric
    t_e: Chance = Thresholds().external
    t_f: Chance = Thresholds().final
    calibration: str = ""
    kg: KgSource = "baseline"
    prefer_known: bool = True
    context_tokens: NonNegativeInt = 4000


def build(settings: Settings, llms: LLMs | None = None) -> "DragonrangersSystem":
    """dragonrangers with the engines, adapters, web path, KG and thresholds of `settings`."""
    web = web_settings(settings.web)
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


@dataclass(eq=False)
class DragonrangersCase(WebCase):
    """A question, and what each step has found for it.

    Attributes:
        parametric: A_P and C_P, if there is an answer.
        kg_texts: what the KG has about it.
        external: A_E, C_E and S_Q, if there is a source.
    """

    parametric: CandidateAnswer | None = None
    kg_texts: Sequence[str] = ()
    external: CandidateAnswer | None = None

    @property
    def sources(self) -> dict[Source, Sequence[str]]:
        """The text of each external source that has any, KG before web."""
        texts = {Source.KG: self.kg_texts, Source.WEB: self.web.texts}
        return {source: passages for source, passages in texts.items() if passages}

    def settle_if_sure(self, stage: str, candidate: CandidateAnswer, threshold: float) -> bool:
        """Note a step's answer, and record it as final if its confidence exceeds the threshold;
        whether it does."""
        inputs = {
            "confidence": f"{candidate.confidence:.6f}",
            "threshold": f"{threshold:g}",
            "source": candidate.answer.source,
        }
        self.note_step(
            Step(
                stage,
                inputs,
                candidate.answer.text,
                confidence={stage: candidate.confidence},
                answers=True,
            )
        )
        sure = candidate.confidence > threshold
        if sure:
            self.settle(candidate.answer)
        return sure

    @property
    def choices(self) -> dict[str, Answer]:
        """The answers to choose from by letter, "I don't know" last; equal ones appear once."""
        answers: dict[Hashable, Answer] = {}
        for candidate in (self.parametric, self.external):
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

    def answer(self, cases: Sequence[Case], deadline: Deadline) -> None:
        """Algorithm 1. A question settled in one step is skipped by the later ones."""
        ranger_cases = [DragonrangersCase(case.question, case.slot) for case in cases]
        batch = Batch(ranger_cases, Rounds(self.llms), deadline)
        self.answer_alone(batch, batch.share(_ALONE_SHARE))
        self.ask_sources(batch, batch.share(_SOURCE_SHARE))
        self.answer_from_sources(batch, batch.share(_READING_SHARE))
        self.select_final_answer(batch)

    def answer_alone(self, batch: Batch[DragonrangersCase], deadline: Deadline) -> None:
        """Step 1: M sampled paths of two rationales; C_P against T_P (section 3.1).

        A path of another form does not count in M: section 4.4 has it "excluded from evaluation". A
        path that was cut off, or not sampled for lack of time, counts.
        """
        template = load_prompt("dragonrangers/answer_alone")
        requests = [
            Request(
                case,
                "answer_alone",
                template,
                case.question.values,
                max_tokens=PATH_TOKENS,
                n=self.options.samples,
                temperature=_TEMPERATURE if self.options.samples > 1 else 0.0,
                seed=_SEED,
            )
            for case in batch.cases
        ]
        for reply in batch.ask(requests, deadline):
            alone = self._vote_of(reply.completion)
            sure = reply.case.settle_if_sure("parametric", alone, self.thresholds.parametric)
            if alone.answer.known and not sure:
                reply.case.parametric = alone

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

    def ask_sources(self, batch: Batch[DragonrangersCase], deadline: Deadline) -> None:
        """Step 2, S_Q: MockAPI of the KG and Retriever of the pages (equation 3), in parallel."""
        unsettled = batch.open
        if not unsettled:
            return
        with ThreadPoolExecutor(1, thread_name_prefix="web") as pool:
            reading = pool.submit(read_pages, self.retriever, unsettled, deadline)
            if self.kg is not None:
                with_kg = [case for case in unsettled if case.question.task.has_kg]
                texts = self.kg.gather(with_kg, deadline)
                for case, text in zip(with_kg, texts, strict=True):
                    case.kg_texts = kg_pieces(text, case.question.plain)
            reading.result()

    def answer_from_sources(self, batch: Batch[DragonrangersCase], deadline: Deadline) -> None:
        """Step 2: an answer from each source; the most confident one against T_E (Algorithm 2)."""
        requests = []
        for case in batch.open:
            for source, texts in case.sources.items():
                requests.append(self._source_request(case, source, texts))
        candidates: dict[DragonrangersCase, list[CandidateAnswer]] = {}
        for reply in batch.ask(requests, deadline):
            completion = reply.completion
            if completion.finished and completion.text.strip():
                source = Source(reply.request.subtask.removeprefix("answer_"))
                answer = answer_of(completion, source)
                confidence = self._confidence(reply)
                candidate = CandidateAnswer(answer, confidence, tuple(reply.request.passages))
                candidates.setdefault(reply.case, []).append(candidate)
        for case, of_case in candidates.items():
            best = max(of_case, key=self._rank)  # equation 6
            if not case.settle_if_sure("external", best, self.thresholds.external):
                case.external = best

    def _source_request(
        self, case: DragonrangersCase, source: Source, texts: Sequence[str]
    ) -> Request[DragonrangersCase]:
        return Request(
            case,
            f"answer_{source}",
            load_prompt(f"dragonrangers/answer_{source}"),
            case.question.values,
            texts,
            budget=self.options.context_tokens,
            write=case.web.written,
            answers=True,
            logprobs=True,
        )

    def select_final_answer(self, batch: Batch[DragonrangersCase]) -> None:
        """Step 3: A_P, A_E and "I don't know" as a multiple choice; C_F against T_F (section 3.3).

        Skipped if neither step has an answer.
        """
        requests = [self._choice_request(case) for case in batch.open if len(case.choices) > 1]
        for reply in batch.ask(requests, batch.deadline):
            if reply.completion.finished:
                letter = _LETTER.match(reply.completion.text)
                answer = reply.case.choices.get(letter[1], Answer()) if letter else Answer()
                chosen = CandidateAnswer(answer, self._confidence(reply))
                reply.case.settle_if_sure("final", chosen, self.thresholds.final)
        for case in batch.open:
            case.settle(Answer())

    def _choice_request(self, case: DragonrangersCase) -> Request[DragonrangersCase]:
        """The multiple choice between the answers so far, below the passages of A_E."""
        choices = case.choices
        lines = [
            f"{letter}. {answer.text if answer.known else _NOT_KNOWN}"
            for letter, answer in choices.items()
        ]
        return Request(
            case,
            "choose",
            load_prompt("dragonrangers/choose"),
            {**case.question.values, "options": "\n".join(lines)},
            case.external.passages if case.external else (),
            budget=self.options.context_tokens,
            write=case.web.written,
            max_tokens=1,
            logprobs=True,
            constraint=Constraint(ConstraintKind.CHOICE, "\n".join(choices)),
        )

    def _rank(self, candidate: CandidateAnswer) -> tuple[bool, float]:
        """By whether the answer is known, if `prefer_known`; then by confidence."""
        preferred = self.options.prefer_known and candidate.answer.known
        return preferred, candidate.confidence

    def _confidence(self, reply: Reply[DragonrangersCase]) -> float:
        """C of a completion; 0, noted as a failure, if there are no log-probabilities."""
        confidence = sequence_confidence(reply.completion)
        if confidence is None:
            error = LLMError("the engine gives no log-probabilities")
            reply.case.note_failure(error, "choose")
            return 0.0
        return confidence


SYSTEM = SystemSpec(
    build,
    SUBTASKS,
    web=WEB,
    path_options=("calibration",),
    weights=("llama-3-8b-instruct", "llama3-chatqa-1.5-8b"),
)
