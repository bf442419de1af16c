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
from evaluation.judge.shortcuts import is_invalid
from evaluation.run_folder import write_text
from models.llm.cache import Calls
from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.protocol import Constraint, ConstraintKind
from models.records import IDK, INVALID, Task
from models.runtime.batch import Batch
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds, written_prompt
from models.settings import Settings
from models.systems.db3 import Db3System, reading_request
from models.systems.db3 import build as build_db3
from models.systems.web_passages import web_passages
from training.engines import SECONDS, remembering
from training.prompts import prompt
from training.records import Sample, Turns, question_of, turns_of, write_rows
from utils.deadline import Deadline

CHECK_ANSWER, CHECK_CONTEXT = "check_answer", "check_context"  # subtasks, for the settings
_WORD = re.compile(r"\W*(yes|no)\b(?! idea)", re.I)


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


def label_batch(system: Db3System, examples: Sequence[Example]) -> list[Sample]:
    """A label per subtask and question, those of `answer_web` first.

    `system`, whose prompt is `basic`, finds contexts in pages and, with a client, in the KG.
    """
    options = system.options
    task = Task.WEB if system.client is None else Task.KG_WEB
    questions = [question_of(example, task) for example in examples]
    deadline, ledger = Deadline.after(SECONDS), Ledger(len(questions))
    batch = Batch(questions, Rounds(system.llms), deadline, ledger)
    web = web_passages(system.retriever, questions, deadline, ledger)
    domains = system.route(batch, deadline)
    facts = system.find_public_data(batch, domains, deadline)
    steps = _Steps(examples, batch)
    made = steps.labels("answer_web", {
        i: reading_request("answer_web", questions[i], i, [*facts.get(i, ()), *found.texts],
                           options, found.written)
        for i, found in enumerate(web)
    })  # fmt: skip
    if system.client is not None:
        programs = system.write_queries(batch, domains, deadline)
        made += steps.labels("answer_kg", {
            i: reading_request("answer_kg", questions[i], i, sentences, options)
            for i, sentences in system.ask_kg(batch, programs, deadline).items()
            if sentences  # the system asks for no answer where the KG says nothing
        })  # fmt: skip
    return made


@dataclass
class _Steps:
    """The steps that label one batch; questions are given by their index in it."""

    examples: Sequence[Example]
    batch: Batch

    def labels(self, subtask: str, requests: Mapping[int, Request]) -> list[Sample]:
        """A sample a question; `requests` has those that have a context."""
        branches = {i: _before(one, i in requests) for i, one in enumerate(self.examples)}
        asked = [requests[i] for i, branch in branches.items() if branch is None]
        branches |= self.check_answers(asked)
        wrong = [requests[i] for i, branch in branches.items() if branch is None]
        branches |= self.check_contexts(wrong)
        made = []
        for i, example in enumerate(self.examples):
            branch = branches[i] or Branch.UNREAD
            turns: Turns = ()
            label = ""
            if branch in LABELS:
                prompt, _ = written_prompt(requests[i], *self.batch.rounds.llms.of(subtask))
                turns, label = turns_of(prompt.messages), LABELS[branch] or example.golds[0]
            told = (str(branch), example.query, example.golds, subtask)
            made.append(Sample(example.id, turns, label, *told))
        return made

    def check_answers(self, asked: Sequence[Request]) -> dict[int, Branch | None]:
        """Step 2, p_check_gt: whether each answer is right; None where it is wrong."""
        found: dict[int, Branch | None] = {request.index: Branch.UNREAD for request in asked}
        requests = [
            Request(
                request.index, CHECK_ANSWER, prompt("check_answer"),
                self._values(request) | {"prediction": " ".join(said.text.split())},
                max_tokens=32,
            )
            for request, said in self.batch.ask(asked, self.batch.deadline) if said.finished
        ]  # fmt: skip
        for request, reply in self.batch.ask(requests, self.batch.deadline):
            verdict = parse(reply.text) if reply.finished else None
            if verdict is not None:
                found[request.index] = Branch.RIGHT if verdict is Verdict.CORRECT else None  # 3.1
        return found

    def check_contexts(self, wrong: Sequence[Request]) -> dict[int, Branch | None]:
        """Step 3.2, p_context: whether the context that the model saw contains the gold answer.
        A judge that was shown only a part of it is believed only if it found the answer."""
        found: dict[int, Branch | None] = {
            one.index: Branch.UNREAD if self._shown(one) else Branch.NOT_THERE for one in wrong
        }
        requests = [
            Request(
                one.index, CHECK_CONTEXT, prompt("check_context"), self._values(one),
                passages=[one.passages[at] for at in shown], max_tokens=4,
                constraint=Constraint(ConstraintKind.CHOICE, "yes\nno"),
            )
            for one in wrong if (shown := self._shown(one))
        ]  # fmt: skip
        for request, reply in self.batch.ask(requests, self.batch.deadline):
            word = _WORD.match(reply.text) if reply.finished else None
            if word and word[1].lower() == "yes":
                found[request.index] = Branch.THERE
            elif word and len(self._shown(request)) == len(request.passages):
                found[request.index] = Branch.NOT_THERE
        return found

    def _shown(self, request: Request) -> tuple[int, ...]:
        """Which of its passages stood in the prompt of a request."""
        return self.batch.rounds.shown.get((request.index, request.subtask), ())

    def _values(self, request: Request) -> dict[str, str]:
        example = self.examples[request.index]
        golds = json.dumps(list(example.golds), ensure_ascii=False)
        return {"question": example.query, "golds": golds}


def write_out(labels: Sequence[Sample], out: Path) -> dict[str, Counter[str]]:
    """Write the samples of each subtask, and return counts by branch, also as `counts.json`."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for label in labels:
        counts[label.subtask][label.note] += 1
    for subtask in counts:
        own = (label for label in labels if label.subtask == subtask and label.turns)
        write_rows(out / f"{subtask}.jsonl", own)
    write_text(out / "counts.json", json.dumps(counts, sort_keys=True) + "\n")
    return counts


def _before(example: Example, has_context: bool) -> Branch | None:
    """The branch, if it is known before any model is asked."""
    if not example.golds:
        return Branch.NO_GOLD
    if not has_context:
        return Branch.NO_CONTEXT
    return Branch.INVALID if any(map(is_invalid, example.golds)) else None  # 1


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
    for branch in sorted({branch for found in counts.values() for branch in found}):
        table.add_row(branch, *(str(found[branch]) for found in counts.values()))
    return table
