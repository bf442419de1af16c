"""dragonrangers' ThreeStepQA: own knowledge, external sources, choice; each with a threshold.

Park, Seok, Lee, Yun, Lee: "KDD Cup Meta CRAG 2024 Technical Report: Three-step Question-Answering
Framework" (2024); sections, algorithms and equations are of that paper.
"""

import re
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from models.llm.confidence import sequence_confidence, vote_key
from models.llm.errors import LLMError
from models.llm.factory import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind, FinishReason
from models.prompts import load_prompt
from models.records import Answer, Question, Source
from models.runtime.batch import Batch
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds
from models.runtime.trace import Step
from models.settings import Settings
from models.subtasks.answers import answer_of
from models.subtasks.kg_text import baseline
from models.subtasks.kg_text.factory import KgSource, make_kg_text
from models.subtasks.kg_text.protocol import KgText, pieces
from models.systems.dragonrangers.paths import read_path, vote
from models.systems.dragonrangers.thresholds import Thresholds, read_thresholds
from models.systems.web_passages import WebPassages, web_passages
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.typed import Chance, Share, read_record

OWN_SUBTASKS = ("answer_alone", "answer_kg", "answer_web", "choose")
SUBTASKS = (*OWN_SUBTASKS, baseline.SUBTASK)
_NOT_KNOWN = "I don't know"  # as a choice
_READING_SHARE = 0.7  # of the time left after retrieval; the rest is for step 3


@dataclass(frozen=True, slots=True)
class DragonrangersOptions:
    """dragonrangers' options.

    Attributes:
        samples: M, the reasoning paths of step 1 (three in figure 2).
        temperature, seed: of the sampling.
        t_p, t_e, t_f: the thresholds of the three steps, without a calibration file.
        calibration: the file of `python -m training calibrate` with thresholds to use instead.
        kg: the KG source: baseline (as in the paper), parser or none.
        prefer_known: a source that does not know never overrides one that does. The paper takes the
            one with the higher confidence (equation 6), with tuned thresholds; without them, a
            confident "I don't know" would only lose answers.
        path_tokens: maximum tokens of a reasoning path.
        context_tokens: maximum tokens of the passages in a prompt.
        alone_share, source_share: of the time left, for step 1, and for retrieval in step 2.
    """

    samples: PositiveInt = 3
    temperature: NonNegativeFloat = 0.7
    seed: int = 0
    t_p: Chance = Thresholds().parametric
    t_e: Chance = Thresholds().external
    t_f: Chance = Thresholds().final
    calibration: str = ""
    kg: KgSource = "baseline"
    prefer_known: bool = True
    path_tokens: PositiveInt = 200
    context_tokens: NonNegativeInt = 4000
    alone_share: Share = 0.4
    source_share: Share = 0.4


def build(settings: Settings) -> "DragonrangersSystem":
    """dragonrangers with the engines, adapters, web path, KG and thresholds of `settings`."""
    web = web_settings(settings.web, "dragonrangers")
    options = read_record(DragonrangersOptions, settings.options, "options")
    llms = LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key)
    thresholds = _thresholds(settings, options)
    llms.load(OWN_SUBTASKS)
    return DragonrangersSystem(
        llms=llms,
        retriever=make_retriever(web),
        kg=make_kg_text(options.kg, settings, llms),
        thresholds=thresholds,
        options=options,
    )


def _thresholds(settings: Settings, options: DragonrangersOptions) -> Thresholds:
    if not options.calibration:
        # a confidence model in the settings replaces T_F
        final = 0.0 if settings.confidence and "t_f" not in settings.options else options.t_f
        return Thresholds(options.t_p, options.t_e, final)
    both = sorted({"t_p", "t_e", "t_f"} & settings.options.keys())
    if both:
        raise SettingsError(f"options: give calibration or {', '.join(both)}, not both")
    return read_thresholds(Path(options.calibration))


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer, its confidence, and the source it was made from (S_Q)."""

    answer: Answer
    confidence: float
    found: tuple[str, ...] = ()


@dataclass
class Steps(Batch):
    """State of one batch; each step fills a field, by question index.

    Attributes:
        parametric: A_P and C_P, where there is an answer.
        sources: the text of each external source, KG before web.
        pages: the web's result, which formats it for a prompt.
        external: A_E, C_E and S_Q, where there is a source.
    """

    parametric: dict[int, Candidate] = field(default_factory=dict)
    sources: dict[int, dict[Source, tuple[str, ...]]] = field(default_factory=dict)
    pages: Sequence[WebPassages] = ()
    external: dict[int, Candidate] = field(default_factory=dict)

    def stand(self, index: int, stage: str, candidate: Candidate, threshold: float) -> bool:
        """Note a step's answer, and record it as final if its confidence is high enough."""
        given = {"confidence": f"{candidate.confidence:.6f}", "threshold": f"{threshold:g}",
                 "source": candidate.answer.source}  # fmt: skip
        self.ledger.note(
            index,
            Step(stage, given, candidate.answer.text, confidence={stage: candidate.confidence}),
        )
        sure = candidate.confidence > threshold
        if sure:
            self.settle(index, candidate.answer)
        return sure


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

    def answer(self, questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        """Algorithm 1. A question settled in one step is skipped by the later ones."""
        batch = Steps(questions, Rounds(self.llms), deadline, answers)
        self.answer_alone(batch, batch.share(self.options.alone_share))
        self.ask_sources(batch, batch.share(self.options.source_share))
        self.answer_from_sources(batch, batch.share(_READING_SHARE))
        self.select_final_answer(batch)

    def answer_alone(self, batch: Steps, deadline: Deadline) -> None:
        """Step 1: M sampled paths of two rationales; C_P against T_P (section 3.1).

        A path of another form does not count in M: section 4.4 has it "excluded from evaluation". A
        path that was cut off, or not sampled for lack of time, counts.
        """
        template, options = load_prompt("dragonrangers/answer_alone"), self.options
        requests = [
            Request(
                i, "answer_alone", template, question.values, max_tokens=options.path_tokens,
                n=options.samples, temperature=options.temperature, seed=options.seed,
            )
            for i, question in enumerate(batch.questions)
        ]  # fmt: skip
        for request, completion in batch.ask(requests, deadline):
            ended = [s for s in completion.samples if s.finish_reason is FinishReason.STOP]
            paths = [path for sample in ended if (path := read_path(sample.text))]
            answer, confidence = vote([*paths, *[None] * (options.samples - len(ended))])
            alone = Candidate(answer, confidence)
            sure = batch.stand(request.index, "parametric", alone, self.thresholds.parametric)
            if answer.known and not sure:
                batch.parametric[request.index] = alone

    def ask_sources(self, batch: Steps, deadline: Deadline) -> None:
        """Step 2, S_Q: MockAPI of the KG and Retriever of the pages (equation 3), in parallel."""
        if not batch.open:
            return
        with_kg = [i for i in batch.open if batch.questions[i].task.has_kg]
        with ThreadPoolExecutor(1, thread_name_prefix="web") as beside:
            wanted = (batch.questions, deadline, batch.ledger, list(batch.open))
            web = beside.submit(web_passages, self.retriever, *wanted)
            told: dict[int, str] = {}
            if self.kg is not None:
                told = self.kg.gather(batch.questions, with_kg, deadline, batch.ledger)
            batch.pages = web.result()
        for i in batch.open:
            found = {Source.KG: tuple(pieces(told.get(i, ""))), Source.WEB: batch.pages[i].texts}
            batch.sources[i] = {source: texts for source, texts in found.items() if texts}

    def answer_from_sources(self, batch: Steps, deadline: Deadline) -> None:
        """Step 2: an answer from each source; the most confident one against T_E (Algorithm 2)."""
        requests = [
            Request(
                i, f"answer_{source}", load_prompt(f"dragonrangers/answer_{source}"),
                batch.questions[i].values, texts, budget=self.options.context_tokens,
                write=batch.pages[i].written, logprobs=True,
            )
            for i in batch.open
            for source, texts in batch.sources[i].items()
        ]  # fmt: skip
        candidates: dict[int, list[Candidate]] = {}
        for request, completion in batch.ask(requests, deadline):
            if completion.finished and completion.text.strip():
                source = Source(request.subtask.removeprefix("answer_"))
                answer = answer_of(completion, source)
                sure = self._confidence(completion, batch, request.index)
                candidate = Candidate(answer, sure, tuple(request.passages))
                candidates.setdefault(request.index, []).append(candidate)
        for i, several in candidates.items():
            best = max(several, key=self._rank)  # equation 6
            if not batch.stand(i, "external", best, self.thresholds.external):
                batch.external[i] = best

    def select_final_answer(self, batch: Steps) -> None:
        """Step 3: A_P, A_E and "I don't know" as a multiple choice; C_F against T_F (section 3.3).

        Skipped if neither step has an answer.
        """
        template = load_prompt("dragonrangers/choose")
        offered = {i: self._offered(batch, i) for i in batch.open}
        requests = []
        for i, several in offered.items():
            if len(several) == 1:
                continue
            shown = [answer.text if answer.known else _NOT_KNOWN for answer in several.values()]
            lines = [f"{letter}. {text}" for letter, text in zip(several, shown, strict=True)]
            values = {**batch.questions[i].values, "options": "\n".join(lines)}
            found = batch.external[i].found if i in batch.external else ()
            requests.append(
                Request(
                    i, "choose", template, values, found,
                    budget=self.options.context_tokens, write=batch.pages[i].written,
                    max_tokens=1, logprobs=True,
                    constraint=Constraint(ConstraintKind.CHOICE, "\n".join(several)),
                )
            )  # fmt: skip
        for request, completion in batch.ask(requests, batch.deadline):
            if completion.finished:
                letter = re.match(r"\W*([A-Z])\b", completion.text)
                answer = offered[request.index].get(letter[1] if letter else "", Answer())
                sure = self._confidence(completion, batch, request.index)
                batch.stand(request.index, "final", Candidate(answer, sure), self.thresholds.final)
        for i in list(batch.open):
            batch.settle(i, Answer())

    def _offered(self, batch: Steps, index: int) -> dict[str, Answer]:
        """The answers to choose from by letter, "I don't know" last; equal ones appear once."""
        offered: dict[Hashable, Answer] = {}
        for candidate in (batch.parametric.get(index), batch.external.get(index)):
            if candidate is not None and candidate.answer.known:
                offered.setdefault(vote_key(candidate.answer.text), candidate.answer)
        return dict(zip("ABC", [*offered.values(), Answer()], strict=False))

    def _rank(self, candidate: Candidate) -> tuple[bool, float]:
        return self.options.prefer_known and candidate.answer.known, candidate.confidence

    def _confidence(self, completion: Completion, batch: Steps, index: int) -> float:
        """C of a completion; 0, noted as a failure, if there are no log-probabilities."""
        confidence = sequence_confidence(completion)
        if confidence is None:
            error = LLMError("the engine gives no log-probabilities")
            batch.ledger.failed(index, error, "choose")
            return 0.0
        return confidence
