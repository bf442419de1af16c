"""bumblebee7's TCAF: a chain of agents with one task each, on references that they must cite.

Zhao, Liu: "TCAF: a Multi-Agent Approach of Thought Chain for Retrieval Augmented Generation"
(2024); sections and Algorithm 1 are of that paper.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from pydantic import NonNegativeInt, PositiveInt

from models.llm.factory import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind, FinishReason
from models.prompts import load_prompt
from models.records import IDK, INVALID, Answer, Question, Source
from models.runtime.batch import Batch
from models.runtime.ledger import Ledger
from models.runtime.request import Request
from models.runtime.rounds import Rounds
from models.runtime.trace import Step
from models.settings import Settings
from models.subtasks.answers import read_answer
from models.subtasks.kg_text import baseline
from models.subtasks.kg_text.factory import KgSource, make_kg_text
from models.subtasks.kg_text.protocol import KgText, kg_pieces
from models.systems.bumblebee7.references import Cited, read_references
from models.systems.bumblebee7.thoughts import is_false, read_premise, read_rewritten, read_thoughts
from models.systems.web_passages import WebPassages, web_passages
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from utils.deadline import Deadline
from utils.typed import TimeShare, read_record

OWN_SUBTASKS = ("rewrite_query", "extract_premise", "judge_premise", "think", "answer")
SUBTASKS = (*OWN_SUBTASKS, baseline.SUBTASK)
_VERDICTS = Constraint(ConstraintKind.CHOICE, "true\nfalse\nunknown")
_THINK_SHARE = 0.75  # of the time left; the rest is for the answer agent


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
        thought_tokens: maximum tokens of thoughts and their answer.
        context_tokens: of the references in a prompt.
        first_share: of the time, for the steps before the thought agent, including the pages.
    """

    rewrite: bool = True
    detect: bool = True
    check_references: bool = True
    kg: KgSource = "none"
    thought_tokens: PositiveInt = 400
    context_tokens: NonNegativeInt = 4000
    first_share: TimeShare = 0.5


def build(settings: Settings, llms: LLMs | None = None) -> "Bumblebee7System":
    """bumblebee7 with the engines, adapters, web path and KG of `settings`."""
    web = web_settings(settings.web, "bumblebee7")
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


@dataclass
class Bumblebee7Batch(Batch):
    """State of one batch; each step fills a field, by question index.

    Attributes:
        queries: q', the questions rewritten with their time.
        premises: the assumption of each question that has one.
        references: what the thought agent may cite, best first; KG before web.
        from_kg: how many of them are the KG's.
        thoughts: of the thought agent, where its references are valid.
    """

    queries: dict[int, Question] = field(default_factory=dict)
    premises: dict[int, str] = field(default_factory=dict)
    references: dict[int, list[str]] = field(default_factory=dict)
    from_kg: dict[int, int] = field(default_factory=dict)
    thoughts: dict[int, Thought] = field(default_factory=dict)

    def values(self, index: int) -> dict[str, str]:
        """The question as the last two agents read it: q', and its time."""
        return self.queries.get(index, self.questions[index]).values

    def reference_numbers(self, index: int) -> set[int]:
        """The numbers of the references in the thought agent's prompt."""
        return {place + 1 for place in self.rounds.shown.get((index, "think"), ())}

    def source(self, index: int, cited: Cited) -> Source:
        """The KG, if one of its references is cited; else the web."""
        if any(number <= self.from_kg[index] for number in cited.known):
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

    def answer(self, questions: Sequence[Question], deadline: Deadline, ledger: Ledger) -> None:
        """Algorithm 1; pages are read in parallel with the steps that do not need them."""
        batch = Bumblebee7Batch(questions, Rounds(self.llms), deadline, ledger)
        first = batch.share(self.options.first_share)
        with ThreadPoolExecutor(1, thread_name_prefix="web") as pool:
            web = pool.submit(web_passages, self.retriever, questions, first, ledger)
            if self.options.rewrite:
                self.rewrite_queries(batch, first)
            if self.options.detect:  # the detector agent: section 4.1, stage 1
                self.extract_premises(batch, first)
                self.judge_premises(batch, first)
            self.collect_references(batch, web, first)
        self.think(batch)
        self.conclude(batch)

    def rewrite_queries(self, batch: Bumblebee7Batch, deadline: Deadline) -> None:
        """Rewrites each question with its time: q' (section 5.1)."""
        template = load_prompt("bumblebee7/rewrite_query")
        requests = [
            Request(i, "rewrite_query", template, question.values, max_tokens=96)
            for i, question in enumerate(batch.questions)
            if question.asked_at is not None
        ]
        for request, completion in batch.ask(requests, deadline):
            if completion.finished:
                question = batch.questions[request.index]
                text = read_rewritten(completion.text, question.text)
                batch.queries[request.index] = replace(question, text=text)

    def extract_premises(self, batch: Bumblebee7Batch, deadline: Deadline) -> None:
        """Extracts the assumption of each question, if it has one (Algorithm 1, line 5)."""
        template = load_prompt("bumblebee7/extract_premise")
        requests = [
            Request(i, "extract_premise", template, {"question": question.text}, max_tokens=64)
            for i, question in enumerate(batch.questions)
        ]
        for request, completion in batch.ask(requests, deadline):
            premise = read_premise(completion.text) if completion.finished else None
            if premise is not None:
                batch.premises[request.index] = premise

    def judge_premises(self, batch: Bumblebee7Batch, deadline: Deadline) -> None:
        """Settles a question with a false assumption as invalid (Algorithm 1, lines 6-10)."""
        template = load_prompt("bumblebee7/judge_premise")
        requests = [
            Request(
                i,
                "judge_premise",
                template,
                {**batch.questions[i].values, "premise": premise},
                max_tokens=8,
                constraint=_VERDICTS,
            )
            for i, premise in batch.premises.items()
        ]
        for request, completion in batch.ask(requests, deadline):
            if completion.finished and is_false(completion.text):
                batch.settle(request.index, Answer(INVALID))

    def collect_references(
        self, batch: Bumblebee7Batch, web: "Future[list[WebPassages]]", deadline: Deadline
    ) -> None:
        """Collects R_chunk, the best passages of each question (section 3), below its KG text."""
        kg_texts: dict[int, str] = {}
        if self.kg is not None:
            with_kg = [i for i in batch.open if batch.questions[i].task.has_kg]
            kg_texts = self.kg.gather(batch.questions, with_kg, deadline, batch.ledger)
        passages = web.result()
        for i in batch.open:
            of_kg = kg_pieces(kg_texts.get(i, ""), batch.questions[i].plain)
            batch.from_kg[i] = len(of_kg)
            batch.references[i] = [*of_kg, *passages[i].texts]

    def think(self, batch: Bumblebee7Batch) -> None:
        """The thought agent (section 4.1, stage 2) under the reference constraint (section 4.2).

        An answer with invalid references, without references, or no answer at all becomes "i don't
        know"; a valid one is recorded until a better one follows. Thoughts that end in "i don't
        know" continue to the answer agent, which treats that as a hint only.
        """
        template = load_prompt("bumblebee7/think")
        for i in list(batch.open):
            if not batch.references[i]:
                batch.settle(i, Answer())
        requests = [
            Request(
                i,
                "think",
                template,
                batch.values(i),
                batch.references[i],
                budget=self.options.context_tokens,
                numbered=True,
                max_tokens=self.options.thought_tokens,
                logprobs=True,
            )
            for i in batch.open
        ]
        for request, completion in batch.ask(requests, batch.share(_THINK_SHARE)):
            if completion.finished:
                self._check_thought(batch, request.index, completion)
            else:
                batch.settle(request.index, Answer())

    def _check_thought(self, batch: Bumblebee7Batch, index: int, completion: Completion) -> None:
        """Keep a thought, or settle its question if it has no answer or one with invalid
        references."""
        whole = completion.finish_reason is FinishReason.STOP
        thoughts, line = read_thoughts(completion.text, whole=whole)
        numbers = batch.reference_numbers(index)
        cited = read_references(line, numbers)
        source = batch.source(index, cited)
        answer = read_answer(cited.answer, source)
        supported = cited.supported or not answer.known or not self.options.check_references
        accepted = bool(line) and supported
        verdict = f"known {list(cited.known)}, unknown {list(cited.unknown)}"
        if not accepted:
            verdict += ": refused"
        inputs = {"answer": line, "shown": ", ".join(map(str, sorted(numbers)))}
        batch.ledger.note_step(index, Step("references", inputs, verdict))
        if not accepted:
            batch.settle(index, Answer())
            return
        batch.thoughts[index] = Thought(thoughts, cited.answer, source)
        batch.ledger.record(index, answer, final=False)

    def conclude(self, batch: Bumblebee7Batch) -> None:
        """The answer agent (section 4.1, stage 3): it reads the thoughts, and no passage.

        If it is cut off, the thought agent's answer is kept.
        """
        template = load_prompt("bumblebee7/answer")
        requests = []
        for i, thought in batch.thoughts.items():
            values = batch.values(i)
            values["thoughts"] = thought.thoughts
            values["answer"] = thought.answer or IDK
            requests.append(Request(i, "answer", template, values))
        for request, completion in batch.ask(requests, batch.deadline):
            thought = batch.thoughts[request.index]
            text = completion.text if completion.finished else thought.answer
            batch.settle(request.index, read_answer(text, thought.source))
