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
from models.runtime.request import Request
from models.runtime.rounds import Rounds, written_prompt
from models.settings import Settings
from models.subtasks.web_passages import read_pages
from models.systems.db3 import SUBTASKS as DB3_SUBTASKS
from models.systems.db3 import Db3Case, Db3System, reading_request
from models.systems.db3 import build as build_db3
from models.systems.make_system import completed
from training.engines import SECONDS, remembering
from training.prompts import prompt
from training.records import Sample, question_of, turns_of, write_rows
from utils.deadline import Deadline

CHECK_ANSWER = "check_answer"  # subtasks, for the settings
CHECK_CONTEXT = "check_context"
SUBTASKS = (*DB3_SUBTASKS, CHECK_ANSWER, CHECK_CONTEXT)
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


@dataclass
class _Draft:
    """A label in the making: of one question, for one subtask.

    Attributes:
        request: what the system asks; None: it has no context to ask about.
        branch: None: further steps decide.
        shown: the passages that the model saw, as indices into the request's.
    """

    example: Example
    subtask: str
    request: Request[Db3Case] | None
    branch: Branch | None = None
    shown: tuple[int, ...] = ()

    @property
    def gold_values(self) -> dict[str, str]:
        """The question and its gold answers, as values of a prompt."""
        golds = json.dumps(list(self.example.golds), ensure_ascii=False)
        return {"question": self.example.query, "golds": golds}


def label_batch(system: Db3System, examples: Sequence[Example]) -> list[Sample]:
    """A label per subtask and question, those of `answer_web` first.

    `system`, whose prompt is `basic`, finds contexts in pages and, with a client, in the KG.
    """
    options = system.options
    task = Task.WEB if system.client is None else Task.KG_WEB
    cases = [Db3Case(question_of(example, task)) for example in examples]
    batch = Batch(cases, Rounds(system.llms), Deadline.after(SECONDS))
    read_pages(system.retriever, cases, batch.deadline)
    system.route(batch, batch.deadline)
    system.find_public_data(batch, batch.deadline)
    drafts = []
    for example, case in zip(examples, cases, strict=True):
        texts = [*case.public_facts, *case.web.texts]
        request = reading_request("answer_web", case, texts, options, case.web.written)
        drafts.append(_Draft(example, "answer_web", request))
    samples = _samples(drafts, batch)
    if system.client is None:
        return samples
    system.write_queries(batch, batch.deadline)
    system.ask_kg(batch, batch.deadline)
    drafts = []
    for example, case in zip(examples, cases, strict=True):
        draft = _Draft(example, "answer_kg", None)
        if case.kg_facts:  # the system asks for no answer where the KG says nothing
            draft.request = reading_request("answer_kg", case, case.kg_facts, options)
        drafts.append(draft)
    return [*samples, *_samples(drafts, batch)]


def _samples(drafts: Sequence[_Draft], batch: Batch[Db3Case]) -> list[Sample]:
    """The drafts as samples, after all steps."""
    for draft in drafts:
        has_context = draft.request is not None
        draft.branch = _branch_without_model(draft.example, has_context=has_context)
    _check_answers(drafts, batch)
    _check_contexts(drafts, batch)
    return [_sample(draft, batch.rounds) for draft in drafts]


def _sample(draft: _Draft, rounds: Rounds) -> Sample:
    example = draft.example
    branch = draft.branch or Branch.UNREAD
    sample = Sample(
        id=example.id,
        turns=(),
        answer="",
        note=str(branch),
        question=example.query,
        golds=example.golds,
        subtask=draft.subtask,
    )
    if branch not in LABELS or draft.request is None:
        return sample
    llm, adapter = rounds.llms.of(draft.subtask)
    asked_prompt, _ = written_prompt(draft.request, llm, adapter)
    label = LABELS[branch] or example.golds[0]
    return replace(sample, turns=turns_of(asked_prompt.messages), answer=label)


def _check_answers(drafts: Sequence[_Draft], batch: Batch[Db3Case]) -> None:
    """Step 2, p_check_gt: whether each answer is right; no branch where it is wrong."""
    questions = _undecided(drafts)
    with_answer = []
    checks = []
    replies = batch.ask([request for _, request in questions], batch.deadline)
    for (draft, _), reply in zip(questions, replies, strict=True):
        draft.branch = Branch.UNREAD
        draft.shown = reply.shown
        if reply.completion.finished:
            prediction = " ".join(reply.completion.text.split())
            values = {**draft.gold_values, "prediction": prediction}
            with_answer.append(draft)
            checks.append(
                Request(reply.case, CHECK_ANSWER, prompt("check_answer"), values, max_tokens=32)
            )
    for draft, reply in zip(with_answer, batch.ask(checks, batch.deadline), strict=True):
        verdict = parse(reply.completion.text) if reply.completion.finished else None
        if verdict is Verdict.CORRECT:
            draft.branch = Branch.RIGHT  # 3.1
        elif verdict is not None:
            draft.branch = None


def _check_contexts(drafts: Sequence[_Draft], batch: Batch[Db3Case]) -> None:
    """Step 3.2, p_context: whether the context that the model saw contains the gold answer.

    A judge that was shown only a part of it is believed only if it found the answer.
    """
    with_context = []
    checks = []
    for draft, request in _undecided(drafts):
        draft.branch = Branch.UNREAD if draft.shown else Branch.NOT_THERE
        if draft.shown:
            with_context.append(draft)
            checks.append(_context_check(draft, request))
    for draft, reply in zip(with_context, batch.ask(checks, batch.deadline), strict=True):
        completion = reply.completion
        word = _YES_OR_NO.match(completion.text) if completion.finished else None
        if word is None:
            continue
        if word[1].lower() == "yes":
            draft.branch = Branch.THERE
        elif len(reply.shown) == len(draft.shown):
            draft.branch = Branch.NOT_THERE


def _context_check(draft: _Draft, request: Request[Db3Case]) -> Request[Db3Case]:
    return Request(
        request.case,
        CHECK_CONTEXT,
        prompt("check_context"),
        draft.gold_values,
        passages=[request.passages[place] for place in draft.shown],
        max_tokens=4,
        constraint=Constraint(ConstraintKind.CHOICE, "yes\nno"),
    )


def _undecided(drafts: Sequence[_Draft]) -> list[tuple[_Draft, Request[Db3Case]]]:
    return [
        (draft, draft.request)
        for draft in drafts
        if draft.branch is None and draft.request is not None
    ]


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
    basic = replace(settings, system="db3", options={**settings.options, "prompt": "basic"})
    system = build_db3(completed(basic), remembering(settings, calls, SUBTASKS))
    return partial(label_batch, system)


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
