"""What a model should answer, and when it should not (db3, section 2.4, steps 1 to 3.2.2)."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from rich.table import Table

from evaluation.dataset import Example
from evaluation.judge.llm import parse
from evaluation.judge.protocol import Verdict
from evaluation.judge.settle import is_invalid
from evaluation.run_folder import write_text
from models.llm.cache import Calls
from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.protocol import Constraint, ConstraintKind
from models.records import IDK, INVALID, Task
from models.runtime.batch import Batch
from models.runtime.ledger import Ledger
from models.runtime.request import Request
from models.runtime.rounds import Rounds, written_prompt
from models.settings import Settings
from models.systems.db3 import Db3System, reading_request
from models.systems.db3 import build as build_db3
from models.systems.web_passages import web_passages
from training.engines import SECONDS, remembering
from training.prompts import prompt
from training.records import Sample, question_of, turns_of, write_rows
from utils.deadline import Deadline

CHECK_ANSWER = "check_answer"  # subtasks, for the settings
CHECK_CONTEXT = "check_context"
_YES_OR_NO = re.compile(r"\W*(yes|no)\b(?! idea)", re.I)


class Branch(StrEnum):
    """The step that gave the label, or the reason why there is none; the `note` of a sample."""

    INVALID = "1 invalid question"
    RIGHT = "3.1 answered rightly"
    NOT_THERE = "3.2.1 the context does not contain it"
    THERE = "3.2.2 the context contains it"
    NO_CONTEXT = "no context"  # the system would not ask a model
    NO_GOLD = "no gold answer"
    UNREAD = "the model's or the judge's reply cannot be read"


# What is learnt in each branch; None: the gold.
LABELS = {Branch.INVALID: INVALID, Branch.RIGHT: None, Branch.NOT_THERE: IDK, Branch.THERE: None}
Branches = dict[int, Branch | None]  # by the question's index; None: further steps decide


def label_batch(system: Db3System, examples: Sequence[Example]) -> list[Sample]:
    """A label per subtask and question, those of `answer_web` first.

    `system`, whose prompt is `basic`, finds contexts in pages and, with a client, in the KG.
    """
    options = system.options
    task = Task.WEB if system.client is None else Task.KG_WEB
    questions = [question_of(example, task) for example in examples]
    deadline = Deadline.after(SECONDS)
    ledger = Ledger(len(questions))
    batch = Batch(questions, Rounds(system.llms), deadline, ledger)
    labeller = _BatchLabeller(examples, batch)
    web = web_passages(system.retriever, questions, deadline, ledger)
    domains = system.route(batch, deadline)
    facts = system.find_public_data(batch, domains, deadline)
    web_requests = {}
    for index, passages in enumerate(web):
        texts = [*facts.get(index, ()), *passages.texts]
        web_requests[index] = reading_request(
            "answer_web", questions[index], index, texts, options, passages.written
        )
    labels = labeller.labels("answer_web", web_requests)
    if system.client is not None:
        programs = system.write_queries(batch, domains, deadline)
        kg_requests = {}
        for index, sentences in system.ask_kg(batch, programs, deadline).items():
            if sentences:  # the system asks for no answer where the KG says nothing
                kg_requests[index] = reading_request(
                    "answer_kg", questions[index], index, sentences, options
                )
        labels += labeller.labels("answer_kg", kg_requests)
    return labels


@dataclass
class _BatchLabeller:
    """The steps that label one batch; questions are given by their index in it."""

    examples: Sequence[Example]
    batch: Batch

    def labels(self, subtask: str, requests: Mapping[int, Request]) -> list[Sample]:
        """A sample a question; `requests` has those that have a context."""
        branches: Branches = {}
        for index, example in enumerate(self.examples):
            branches[index] = _branch_without_model(example, has_context=index in requests)
        branches |= self.check_answers(_undecided(requests, branches))
        branches |= self.check_contexts(_undecided(requests, branches))
        return [
            self._sample(index, branch or Branch.UNREAD, subtask, requests)
            for index, branch in branches.items()
        ]

    def _sample(
        self, index: int, branch: Branch, subtask: str, requests: Mapping[int, Request]
    ) -> Sample:
        example = self.examples[index]
        sample = Sample(
            id=example.id,
            turns=(),
            answer="",
            note=str(branch),
            question=example.query,
            golds=example.golds,
            subtask=subtask,
        )
        if branch not in LABELS:
            return sample
        llm, adapter = self.batch.rounds.llms.of(subtask)
        asked_prompt, _ = written_prompt(requests[index], llm, adapter)
        label = LABELS[branch] or example.golds[0]
        return replace(sample, turns=turns_of(asked_prompt.messages), answer=label)

    def check_answers(self, requests: Sequence[Request]) -> Branches:
        """Step 2, p_check_gt: whether each answer is right; None where it is wrong."""
        branches: Branches = {request.index: Branch.UNREAD for request in requests}
        checks = []
        for request, answer in self.batch.ask(requests, self.batch.deadline):
            if answer.finished:
                values = self._gold_values(request)
                values["prediction"] = " ".join(answer.text.split())
                template = prompt("check_answer")
                check = Request(request.index, CHECK_ANSWER, template, values, max_tokens=32)
                checks.append(check)
        for check, reply in self.batch.ask(checks, self.batch.deadline):
            verdict = parse(reply.text) if reply.finished else None
            if verdict is Verdict.CORRECT:
                branches[check.index] = Branch.RIGHT  # 3.1
            elif verdict is not None:
                branches[check.index] = None
        return branches

    def check_contexts(self, requests: Sequence[Request]) -> Branches:
        """Step 3.2, p_context: whether the context that the model saw contains the gold answer.

        A judge that was shown only a part of it is believed only if it found the answer.
        """
        branches: Branches = {}
        checks = []
        for request in requests:
            places = self._shown_passages(request)
            branches[request.index] = Branch.UNREAD if places else Branch.NOT_THERE
            if places:
                passages = [request.passages[place] for place in places]
                checks.append(self._context_check(request, passages))
        for check, reply in self.batch.ask(checks, self.batch.deadline):
            word = _YES_OR_NO.match(reply.text) if reply.finished else None
            if word is None:
                continue
            if word[1].lower() == "yes":
                branches[check.index] = Branch.THERE
            elif len(self._shown_passages(check)) == len(check.passages):
                branches[check.index] = Branch.NOT_THERE
        return branches

    def _context_check(self, request: Request, passages: Sequence[str]) -> Request:
        return Request(
            request.index,
            CHECK_CONTEXT,
            prompt("check_context"),
            self._gold_values(request),
            passages=passages,
            max_tokens=4,
            constraint=Constraint(ConstraintKind.CHOICE, "yes\nno"),
        )

    def _shown_passages(self, request: Request) -> tuple[int, ...]:
        """Which of its passages stood in the prompt of a request."""
        return self.batch.rounds.shown.get((request.index, request.subtask), ())

    def _gold_values(self, request: Request) -> dict[str, str]:
        """The question and its gold answers, as values of a prompt."""
        example = self.examples[request.index]
        golds = json.dumps(list(example.golds), ensure_ascii=False)
        return {"question": example.query, "golds": golds}


def _undecided(requests: Mapping[int, Request], branches: Branches) -> list[Request]:
    return [requests[index] for index, branch in branches.items() if branch is None]


def _branch_without_model(example: Example, has_context: bool) -> Branch | None:
    """The branch, if it is known before any model is asked."""
    if not example.golds:
        return Branch.NO_GOLD
    if not has_context:
        return Branch.NO_CONTEXT
    return Branch.INVALID if any(map(is_invalid, example.golds)) else None  # 1


def write_out(labels: Sequence[Sample], out: Path) -> dict[str, Counter[str]]:
    """Write the samples of each subtask, and return counts by branch, also as `counts.json`."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for label in labels:
        counts[label.subtask][label.note] += 1
    for subtask in counts:
        samples = [label for label in labels if label.subtask == subtask and label.turns]
        write_rows(out / f"{subtask}.jsonl", samples)
    write_text(out / "counts.json", json.dumps(counts, sort_keys=True) + "\n")
    return counts


def make_labeller(calls: Calls, settings: Settings) -> Callable[[list[Example]], list[Sample]]:
    """A function that labels a batch, with the engines of `settings`."""
    basic = replace(settings, options={**settings.options, "prompt": "basic"})
    return partial(label_batch, build_db3(basic, remembering(settings, calls)))


def with_judge(settings: Settings, judge: str | None) -> Settings:
    """`settings` in which the engine `judge`, if given, checks answers and contexts."""
    if judge is None:
        return settings
    checks = {name: SubtaskSettings("judge") for name in (CHECK_ANSWER, CHECK_CONTEXT)}
    return replace(
        settings,
        llms={**settings.llms, "judge": LLMSettings(judge)},
        subtasks={**settings.subtasks, **checks},
    )


def branch_table(counts: Mapping[str, Counter[str]]) -> Table:
    """Counts by branch, a column for each subtask."""
    table = Table("branch", *counts)
    branches: set[str] = set()
    for counts_of_subtask in counts.values():
        branches.update(counts_of_subtask)
    for branch in sorted(branches):
        cells = [str(by_branch[branch]) for by_branch in counts.values()]
        table.add_row(branch, *cells)
    return table
