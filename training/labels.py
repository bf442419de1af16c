"""What a model should answer, and when it should not (db3, section 2.4, steps 1 to 3.2.2)."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from rich.table import Table

from evaluation.dataset import Example
from evaluation.judge.llm import parse
from evaluation.judge.protocol import Verdict
from evaluation.judge.shortcuts import is_invalid
from evaluation.run_folder import write_text
from models.llm.cache import Calls
from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.factory import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind
from models.records import IDK, INVALID, Task
from models.runtime.batch import Batch
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds, written_prompt
from models.settings import Settings
from models.systems.db3 import SUBTASKS, Db3System, reading_request
from models.systems.db3 import build as build_db3
from models.systems.web_passages import web_passages
from training.engines import SECONDS, remembering
from training.prompts import prompt
from training.records import Sample, question_of, turns_of, write_rows
from utils.deadline import Deadline

CHECK_ANSWER, CHECK_CONTEXT = "check_answer", "check_context"  # subtasks, for the settings
ASKED = (*SUBTASKS, CHECK_ANSWER, CHECK_CONTEXT)
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


@dataclass
class Labeller:
    """Labels batches of questions with a db3 system whose prompt is `basic`.

    It finds contexts in pages and, where it has a client, in the KG.
    """

    system: Db3System
    llms: LLMs

    def __call__(self, examples: Sequence[Example]) -> list[Sample]:
        """A label per subtask and question, those of `answer_web` first."""
        system, options = self.system, self.system.options
        task = Task.WEB if system.client is None else Task.KG_WEB
        questions = [question_of(example, task) for example in examples]
        deadline, ledger = Deadline.after(SECONDS), Ledger(len(questions))
        batch = Batch(questions, Rounds(self.llms), deadline, ledger)
        web = web_passages(system.retriever, questions, deadline, ledger)
        domains = system.route(batch, deadline)
        facts = system.find_public_data(batch, domains, deadline)
        steps = _Steps(examples, self.llms, batch)
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
    llms: LLMs
    batch: Batch

    def labels(self, subtask: str, requests: Mapping[int, Request]) -> list[Sample]:
        """A sample a question; `requests` has those that have a context."""
        branches = {i: _before(one, i in requests) for i, one in enumerate(self.examples)}
        asked = [requests[i] for i, branch in branches.items() if branch is None]
        branches |= self.check_answers(self._ask(asked))  # 2
        wrong = [requests[i] for i, branch in branches.items() if branch is None]
        branches |= self.check_contexts(wrong)
        made = []
        for i, example in enumerate(self.examples):
            branch = branches[i] or Branch.UNREAD
            told = (str(branch), example.query, example.golds, subtask)
            if branch in LABELS:
                prompt, _ = written_prompt(requests[i], *self.llms.of(subtask))
                label = LABELS[branch] or example.golds[0]
                made.append(Sample(example.id, turns_of(prompt.messages), label, *told))
            else:
                made.append(Sample(example.id, (), "", *told))
        return made

    def check_answers(self, said: Iterable[tuple[Request, Completion]]) -> dict[int, Branch | None]:
        """Step 2, p_check_gt: whether each answer is right; None where it is wrong."""
        answers = {request.index: completion for request, completion in said}
        found: dict[int, Branch | None] = dict.fromkeys(answers, Branch.UNREAD)
        requests = [
            Request(
                i, CHECK_ANSWER, prompt("check_answer"),
                self._values(i) | {"prediction": " ".join(completion.text.split())},
                max_tokens=32,
            )
            for i, completion in answers.items() if completion.finished
        ]  # fmt: skip
        for request, reply in self._ask(requests):
            verdict = parse(reply.text) if reply.finished else None
            if verdict is not None:
                found[request.index] = Branch.RIGHT if verdict is Verdict.CORRECT else None  # 3.1
        return found

    def check_contexts(self, wrong: Sequence[Request]) -> dict[int, Branch | None]:
        """Step 3.2, p_context: whether the context that the model saw contains the gold answer.
        A judge that was shown only a part of it is believed only if it found the answer."""
        # the passages that stood in the prompt of the answer
        held = {one.index: [one.passages[at] for at in self._shown(one)] for one in wrong}
        found: dict[int, Branch | None] = {
            i: Branch.UNREAD if passages else Branch.NOT_THERE for i, passages in held.items()
        }
        requests = [
            Request(
                i, CHECK_CONTEXT, prompt("check_context"), self._values(i),
                passages=passages, max_tokens=4,
                constraint=Constraint(ConstraintKind.CHOICE, "yes\nno"),
            )
            for i, passages in held.items() if passages
        ]  # fmt: skip
        for request, reply in self._ask(requests):
            word = _WORD.match(reply.text) if reply.finished else None
            if word and word[1].lower() == "yes":
                found[request.index] = Branch.THERE
            elif word and len(self._shown(request)) == len(request.passages):
                found[request.index] = Branch.NOT_THERE
        return found

    def _ask(self, requests: Sequence[Request]) -> list[tuple[Request, Completion]]:
        batch = self.batch
        replies = batch.rounds.ask(requests, batch.deadline, batch.ledger)
        return list(zip(requests, replies, strict=True))

    def _shown(self, request: Request) -> tuple[int, ...]:
        """Which of its passages stood in the prompt of a request."""
        return self.batch.rounds.shown.get((request.index, request.subtask), ())

    def _values(self, i: int) -> dict[str, str]:
        golds = json.dumps(list(self.examples[i].golds), ensure_ascii=False)
        return {"question": self.examples[i].query, "golds": golds}


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


def make_labeller(calls: Calls, settings: Settings) -> Labeller:
    """A labeller with the engines of `settings`."""
    llms = remembering(settings, calls, ASKED)
    system = build_db3(replace(settings, system="db3"), llms)
    return Labeller(replace(system, options=replace(system.options, prompt="basic")), llms)


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
