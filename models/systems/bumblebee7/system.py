"""bumblebee7's TCAF: a chain of agents with one task each, on references that they must cite.

Zhao, Liu: "TCAF: a Multi-Agent Approach of Thought Chain for Retrieval Augmented Generation"
(2024); sections and Algorithm 1 are of that paper.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from pydantic import NonNegativeInt

from models.llm.llms import LLMs
from models.llm.protocol import Constraint, ConstraintKind, FinishReason
from models.prompts import load_prompt
from models.records import IDK, INVALID, Answer, Question, Source
from models.runtime.batch import Batch
from models.runtime.case import Case
from models.runtime.request import Reply, Request
from models.runtime.rounds import Rounds
from models.runtime.trace import Step
from models.settings import Settings
from models.subtasks.answers import read_answer
from models.subtasks.kg_text import baseline
from models.subtasks.kg_text.make_kg_text import KgSource, make_kg_text
from models.subtasks.kg_text.protocol import KgText, kg_pieces
from models.subtasks.web_passages import WebCase, read_pages
from models.systems.bumblebee7.references import Cited, read_references
from models.systems.bumblebee7.thoughts import is_false, read_premise, read_rewritten, read_thoughts
from models.systems.protocol import SystemSpec
from models.web.make_retriever import make_retriever
from models.web.retriever import Retriever
from models.web.settings import Chunking, Extraction, Prefilter, WebSettings, web_settings
from utils.deadline import Deadline
from utils.typed import read_record

OWN_SUBTASKS = ("rewrite_query", "extract_premise", "judge_premise", "think", "answer")
SUBTASKS = (*OWN_SUBTASKS, baseline.SUBTASK)
_VERDICTS = Constraint(ConstraintKind.CHOICE, "true\nfalse\nunknown")
_THOUGHT_TOKENS = 400  # of thoughts and their answer
# Of the time left when a step begins.
_FIRST_SHARE = 0.5  # for the steps before the thought agent, including the pages
_THINK_SHARE = 0.75  # for the thought agent; the rest is for the answer agent
# The web path (sections 3 and 5.2).
WEB = WebSettings(
    both_sides=False,
    extractors=(Extraction.HTML2TEXT, Extraction.SELECTOLAX),
    tables=False,
    chunking=Chunking.HEADERS,
    parent_overlap=20,
    prefilter=Prefilter.TITLES,
    pages_kept=5,
    embedder="sentence-transformers/msmarco-MiniLM-L-12-v3",
    lexical_cut=0,
    lexical_weight=0.0,
)


@dataclass(frozen=True, slots=True)
class Bumblebee7Options:
    """bumblebee7's options.

    Attributes:
        rewrite: insert the intended dates into the question (section 5.1).
        detect: detect false premises (section 4.1).
        check_references: replace a thought agent's answer that cites nothing, or a reference that
            was not shown, by "i don't know"; the paper requires references but does not check them.
        kg: KG text as references before the passages: none, parser or baseline. The paper mentions
            no use of the KG.
        context_tokens: of the references in a prompt.
    """

    rewrite: bool = True
    detect: bool = True
    check_references: bool = True
    kg: KgSource = "none"
    context_tokens: NonNegativeInt = 4000


def build(settings: Settings, llms: LLMs | None = None) -> "Bumblebee7System":
    """bumblebee7 with the engines, adapters, web path and KG of `settings`."""
    web = web_settings(settings.web)
    options = read_record(Bumblebee7Options, settings.options, "options")
    llms = llms or LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key)
    llms.load(OWN_SUBTASKS)
    return Bumblebee7System(
        llms=llms,
        retriever=make_retriever(web),
        kg=make_kg_text(options.kg, settings, llms),
        options=options,
    )


@dataclass(frozen=True, slots=True)
class Thought:
    """The thought agent's output: its reasoning, and its answer without references."""

    thoughts: str
    answer: str
    source: Source


@dataclass(eq=False)
class Bumblebee7Case(WebCase):
    """A question, and what each step has found for it.

    Attributes:
        rewritten: q', the question with its time; None: not rewritten.
        premise: its assumption, if it has one.
        kg_references: what the thought agent may cite first, of the KG.
        thought: of the thought agent, if its references are valid.
    """

    rewritten: Question | None = None
    premise: str | None = None
    kg_references: Sequence[str] = ()
    thought: Thought | None = None

    @property
    def values(self) -> dict[str, str]:
        """The question as the last two agents read it: q', and its time."""
        return (self.rewritten or self.question).values

    def source(self, cited: Cited) -> Source:
        """The KG, if one of its references is cited; else the web."""
        if any(number <= len(self.kg_references) for number in cited.known):
            return Source.KG
        return Source.WEB


@dataclass
class Bumblebee7System:
    """Answers a batch in at most five rounds: rewrite, premise, its verdict, thoughts, answer.

    `kg` None: no KG, for any task.
    """

    llms: LLMs
    retriever: Retriever
    kg: KgText | None = None
    options: Bumblebee7Options = field(default_factory=Bumblebee7Options)

    def answer(self, cases: Sequence[Case], deadline: Deadline) -> None:
        """Algorithm 1; pages are read in parallel with the steps that do not need them."""
        bumblebee_cases = [Bumblebee7Case(case.question, case.slot) for case in cases]
        batch = Batch(bumblebee_cases, Rounds(self.llms), deadline)
        first = batch.share(_FIRST_SHARE)
        with ThreadPoolExecutor(1, thread_name_prefix="web") as pool:
            reading = pool.submit(read_pages, self.retriever, batch.cases, first)
            if self.options.rewrite:
                self.rewrite_queries(batch, first)
            if self.options.detect:  # the detector agent: section 4.1, stage 1
                self.extract_premises(batch, first)
                self.judge_premises(batch, first)
            self.ask_kg(batch, first)
            reading.result()
        self.think(batch)
        self.conclude(batch)

    def rewrite_queries(self, batch: Batch[Bumblebee7Case], deadline: Deadline) -> None:
        """Rewrites each question with its time: q' (section 5.1)."""
        template = load_prompt("bumblebee7/rewrite_query")
        requests = [
            Request(case, "rewrite_query", template, case.question.values, max_tokens=96)
            for case in batch.cases
            if case.question.asked_at is not None
        ]
        for reply in batch.ask(requests, deadline):
            if reply.completion.finished:
                question = reply.case.question
                text = read_rewritten(reply.completion.text, question.text)
                reply.case.rewritten = replace(question, text=text)

    def extract_premises(self, batch: Batch[Bumblebee7Case], deadline: Deadline) -> None:
        """Extracts the assumption of each question, if it has one (Algorithm 1, line 5)."""
        template = load_prompt("bumblebee7/extract_premise")
        requests = [
            Request(
                case, "extract_premise", template, {"question": case.question.text}, max_tokens=64
            )
            for case in batch.cases
        ]
        for reply in batch.ask(requests, deadline):
            if reply.completion.finished:
                reply.case.premise = read_premise(reply.completion.text)

    def judge_premises(self, batch: Batch[Bumblebee7Case], deadline: Deadline) -> None:
        """Settles a question with a false assumption as invalid (Algorithm 1, lines 6-10)."""
        template = load_prompt("bumblebee7/judge_premise")
        requests = [
            Request(
                case,
                "judge_premise",
                template,
                {**case.question.values, "premise": case.premise},
                max_tokens=8,
                constraint=_VERDICTS,
            )
            for case in batch.cases
            if case.premise is not None
        ]
        for reply in batch.ask(requests, deadline):
            if reply.completion.finished and is_false(reply.completion.text):
                reply.case.settle(Answer(INVALID))

    def ask_kg(self, batch: Batch[Bumblebee7Case], deadline: Deadline) -> None:
        """The KG text of each question, as its first references."""
        if self.kg is None:
            return
        with_kg = [case for case in batch.open if case.question.task.has_kg]
        texts = self.kg.gather(with_kg, deadline)
        for case, text in zip(with_kg, texts, strict=True):
            case.kg_references = kg_pieces(text, case.question.plain)

    def think(self, batch: Batch[Bumblebee7Case]) -> None:
        """The thought agent (section 4.1, stage 2) under the reference constraint (section 4.2).

        It reads R_chunk, the best passages of each question (section 3), below its KG text. An
        answer with invalid references, without references, or no answer at all becomes "i don't
        know"; a valid one is recorded until a better one follows. Thoughts that end in "i don't
        know" continue to the answer agent, which treats that as a hint only.
        """
        template = load_prompt("bumblebee7/think")
        requests = []
        for case in batch.open:
            references = [*case.kg_references, *case.web.texts]
            if not references:
                case.settle(Answer())
                continue
            request = Request(
                case,
                "think",
                template,
                case.values,
                references,
                budget=self.options.context_tokens,
                numbered=True,
                max_tokens=_THOUGHT_TOKENS,
                answers=True,
                logprobs=True,
            )
            requests.append(request)
        for reply in batch.ask(requests, batch.share(_THINK_SHARE)):
            if reply.completion.finished:
                self._check_thought(reply)
            else:
                reply.case.settle(Answer())

    def _check_thought(self, reply: Reply[Bumblebee7Case]) -> None:
        """Keep a thought, or settle its question if it has no answer or one with invalid
        references."""
        case = reply.case
        completion = reply.completion
        whole = completion.finish_reason is FinishReason.STOP
        thoughts, line = read_thoughts(completion.text, whole=whole)
        numbers = [place + 1 for place in reply.shown]
        cited = read_references(line, numbers)
        source = case.source(cited)
        answer = read_answer(cited.answer, source)
        supported = cited.supported or not answer.known or not self.options.check_references
        accepted = bool(line) and supported
        verdict = f"known {list(cited.known)}, unknown {list(cited.unknown)}"
        if not accepted:
            verdict += ": refused"
        inputs = {"answer": line, "shown": ", ".join(map(str, numbers))}
        case.note_step(Step("references", inputs, verdict))
        if not accepted:
            case.settle(Answer())
            return
        case.thought = Thought(thoughts, cited.answer, source)
        case.propose(answer)

    def conclude(self, batch: Batch[Bumblebee7Case]) -> None:
        """The answer agent (section 4.1, stage 3): it reads the thoughts, and no passage.

        If it is cut off, the thought agent's answer is kept.
        """
        template = load_prompt("bumblebee7/answer")
        thoughts = [(case, case.thought) for case in batch.open if case.thought is not None]
        requests = []
        for case, thought in thoughts:
            values = case.values
            values["thoughts"] = thought.thoughts
            values["answer"] = thought.answer or IDK
            requests.append(Request(case, "answer", template, values, answers=True))
        replies = batch.ask(requests, batch.deadline)
        for (case, thought), reply in zip(thoughts, replies, strict=True):
            text = reply.completion.text if reply.completion.finished else thought.answer
            case.settle(read_answer(text, thought.source))


SYSTEM = SystemSpec(build, SUBTASKS, web=WEB, weights=("llama-3-8b-instruct",))
