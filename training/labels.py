"""What a model shall answer, and when it shall not (db3, section 2.4, steps 1 to 3.2.2)."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.dataset import Example
from evaluation.judge.missing import is_invalid
from evaluation.judge.prompting import parse
from evaluation.judge.protocol import Verdict
from models.batch import read_query_time
from models.llm.factory import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind
from models.records import IDK, INVALID, Page, Question, Task
from models.runtime.batch import Batch
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds, written_prompt
from models.systems.db3 import Db3System, reading_request
from models.systems.web_passages import web_passages
from training.prompts import prompt
from training.records import Sample, json_lines, write_rows
from utils.deadline import Deadline
from utils.errors import InputError

CHECK_ANSWER, CHECK_CONTEXT = "check_answer", "check_context"  # subtasks, for the settings
_WORD = re.compile(r"\W*(yes|no)\b(?! idea)", re.I)
_SECONDS = 6 * 3600.0  # a batch; nobody waits for an answer here
Show = Callable[[int], None]


class Branch(StrEnum):
    """Which step gave the label, or why there is none."""

    INVALID = "1 invalid question"
    RIGHT = "3.1 answered rightly"
    NOT_THERE = "3.2.1 the context does not have it"
    THERE = "3.2.2 the context has it"
    NO_CONTEXT = "no context"  # the system would not ask
    NO_GOLD = "no gold answer"
    UNREAD = "the model or its judge gave nothing that can be read"


LABELLED = (Branch.INVALID, Branch.RIGHT, Branch.NOT_THERE, Branch.THERE)


@dataclass(frozen=True, slots=True)
class Label:
    """One question with one context.

    Attributes:
        id: of the question.
        subtask: `answer_web` or `answer_kg`.
        branch: where the label is from.
        turns: the prompt, as the system asks it; none where there is no label.
        label: what is learnt.
        question, golds: as the dataset has them.
    """

    id: str
    subtask: str
    branch: str
    turns: tuple[tuple[str, str], ...]
    label: str
    question: str
    golds: tuple[str, ...]


@dataclass
class Labeller:
    """Labels the questions of a dataset with a db3 system whose prompt is `basic`.

    Attributes:
        system: finds contexts, from pages and, where it has a client, from the KG.
        llms: of `answer_web`, `answer_kg`, `check_answer` and `check_context`.
        batch: questions at a time.
    """

    system: Db3System
    llms: LLMs
    batch: int = 16

    @property
    def subtasks(self) -> tuple[str, ...]:
        """The subtasks that each question gets a label of."""
        return ("answer_web",) if self.system.client is None else ("answer_web", "answer_kg")

    def label(self, examples: Iterable[Example]) -> Iterator[list[Label]]:
        """The labels of one batch after the other."""
        waiting = iter(examples)
        while chosen := list(islice(waiting, self.batch)):
            yield self._batch(chosen)

    def _batch(self, examples: Sequence[Example]) -> list[Label]:
        task = Task.KG_WEB if self.system.client is not None else Task.WEB
        questions = [_question(example, task) for example in examples]
        deadline, ledger = Deadline.after(_SECONDS), Ledger(len(questions))
        rounds = Rounds(self.llms)
        web = web_passages(self.system.retriever, questions, deadline, ledger)
        batch = Batch(questions, rounds, deadline, ledger)
        domains = self.system.route(batch, deadline)
        facts = self.system.find_public_data(batch, domains, deadline)
        options = self.system.options
        requests = {
            "answer_web": [
                reading_request(
                    "answer_web", questions[i], i,
                    [*facts.get(i, ()), *found.texts], options, found.written,
                )
                for i, found in enumerate(web)
            ]
        }  # fmt: skip
        if self.system.client is not None:
            programs = self.system.write_queries(batch, domains, deadline)
            told = self.system.ask_kg(batch, programs, deadline)
            requests["answer_kg"] = [
                reading_request("answer_kg", questions[i], i, sentences, options)
                for i, sentences in told.items()
            ]
        return [
            label
            for subtask, some in requests.items()
            for label in self._labels(subtask, examples, some, rounds, ledger)
        ]

    def _labels(
        self,
        subtask: str,
        examples: Sequence[Example],
        found: Sequence[Request],
        rounds: Rounds,
        ledger: Ledger,
    ) -> Iterator[Label]:
        deadline = Deadline.after(_SECONDS)
        # the system asks for an answer where there are no pages, and for none of a silent KG
        web = subtask == "answer_web"
        requests = {request.index: request for request in found if request.passages or web}
        branches = {i: _before(example, i in requests) for i, example in enumerate(examples)}
        asked = [i for i, branch in branches.items() if branch is None]
        said = rounds.ask([requests[i] for i in asked], deadline, ledger)  # 2
        branches |= self.judge(examples, dict(zip(asked, said, strict=True)), rounds, ledger)
        wrong = [i for i, branch in branches.items() if branch is None]
        held = {i: _shown(requests[i], rounds) for i in wrong}
        branches |= self.look(examples, held, rounds, ledger)
        for i, example in enumerate(examples):
            branch = branches[i] or Branch.UNREAD
            turns = self._turns(requests[i]) if branch in LABELLED and i in requests else ()
            yield Label(
                *(example.id, subtask, str(branch), turns, _label(branch, example)),
                *(example.query, example.golds),
            )

    def judge(
        self,
        examples: Sequence[Example],
        said: Mapping[int, Completion],
        rounds: Rounds,
        ledger: Ledger,
    ) -> dict[int, Branch | None]:
        """Step 2, p_check_gt: whether each answer is right; None where it is wrong."""
        found: dict[int, Branch | None] = {i: Branch.UNREAD for i in said}
        requests = [
            Request(
                i, CHECK_ANSWER, prompt("check_answer"),
                {"question": examples[i].query, "golds": _listed(examples[i].golds),
                 "prediction": " ".join(completion.text.split())},
                max_tokens=32,
            )
            for i, completion in said.items() if completion.finished
        ]  # fmt: skip
        replies = rounds.ask(requests, Deadline.after(_SECONDS), ledger)
        for request, reply in zip(requests, replies, strict=True):
            verdict = parse(reply.text) if reply.finished else None
            if verdict is not None:
                found[request.index] = Branch.RIGHT if verdict is Verdict.CORRECT else None  # 3.1
        return found

    def look(
        self,
        examples: Sequence[Example],
        held: Mapping[int, Sequence[str]],
        rounds: Rounds,
        ledger: Ledger,
    ) -> dict[int, Branch | None]:
        """Step 3.2, p_context: whether the context that the model saw has the gold answer. Of one
        that the judge was not shown whole, it can only say that it has it."""
        found: dict[int, Branch | None] = {
            i: Branch.UNREAD if passages else Branch.NOT_THERE for i, passages in held.items()
        }
        requests = [
            Request(
                i, CHECK_CONTEXT, prompt("check_context"),
                {"question": examples[i].query, "golds": _listed(examples[i].golds)},
                passages=passages, max_tokens=4,
                constraint=Constraint(ConstraintKind.CHOICE, "yes\nno"),
            )
            for i, passages in held.items() if passages
        ]  # fmt: skip
        replies = rounds.ask(requests, Deadline.after(_SECONDS), ledger)
        for request, reply in zip(requests, replies, strict=True):
            word = _WORD.match(reply.text) if reply.finished else None
            shown = rounds.shown.get((request.index, CHECK_CONTEXT), ())
            if word and word[1].lower() == "yes":
                found[request.index] = Branch.THERE
            elif word and len(shown) == len(request.passages):
                found[request.index] = Branch.NOT_THERE
        return found

    def _turns(self, request: Request) -> tuple[tuple[str, str], ...]:
        llm, adapter = self.llms.of(request.subtask)
        written, _ = written_prompt(request, llm, adapter)
        return tuple((turn.role, turn.text) for turn in written.messages)


@dataclass
class LabelFile:
    """Labels on disk as they come; a run that was killed goes on behind the last whole line."""

    path: Path

    def read(self, subtasks: Sequence[str]) -> list[Label]:
        """The labels so far. What a killed run left of a line is cut off, and a question that has
        not all of `subtasks`, or one that was not read, is dropped, to be tried again: of the
        engines it asks only what they have not answered."""
        if not self.path.exists():
            return []
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            self.path.write_bytes(whole)
        try:
            found = [_as_label(row) for _, row in json_lines(self.path)]
        except (TypeError, KeyError, ValueError) as error:
            raise InputError(f"{self.path} holds no labels: {error}") from error
        counts = Counter(label.id for label in found)
        counts.subtract(
            {label.id: len(subtasks) for label in found if label.branch == Branch.UNREAD}
        )
        kept = [label for label in found if counts[label.id] >= len(subtasks)]
        if len(kept) < len(found):
            write_rows(self.path, kept)
        return kept

    def append(self, labels: Sequence[Label]) -> None:
        """All labels of a batch in one write."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in labels)
        with self.path.open("a", encoding="utf-8") as out:
            out.write(lines)


def samples_of(labels: Iterable[Label], subtask: str) -> list[Sample]:
    """What an adapter of `subtask` is tuned on."""
    return [
        Sample(one.id, one.turns, one.label, one.branch, one.question, one.golds)
        for one in labels
        if one.subtask == subtask and one.turns
    ]


def _before(example: Example, has_context: bool) -> Branch | None:
    """What is settled before any model is asked."""
    if not example.golds:
        return Branch.NO_GOLD
    if not has_context:
        return Branch.NO_CONTEXT
    return Branch.INVALID if any(map(is_invalid, example.golds)) else None  # 1


def _label(branch: Branch, example: Example) -> str:
    match branch:
        case Branch.INVALID:
            return INVALID
        case Branch.RIGHT | Branch.THERE:
            return example.golds[0]
        case Branch.NOT_THERE:
            return IDK
    return ""


def _shown(request: Request, rounds: Rounds) -> list[str]:
    """The passages that stood in the prompt."""
    kept = rounds.shown.get((request.index, request.subtask), ())
    return [request.passages[place] for place in kept]


def _question(example: Example, task: Task) -> Question:
    pages = tuple(map(_page, example.pages))
    asked_at = read_query_time(example.query_time)
    return Question(example.id, " ".join(example.query.split()), asked_at, task, pages)


def _page(row: Mapping[str, Any]) -> Page:
    names = ("page_name", "page_url", "page_snippet", "page_result", "page_last_modified")
    name, url, snippet, html, modified = (str(row.get(key) or "") for key in names)
    return Page(name, url, snippet, html, modified)


def _listed(golds: Sequence[str]) -> str:
    return json.dumps(list(golds), ensure_ascii=False)


def _as_label(row: Mapping[str, Any]) -> Label:
    turns = tuple((str(role), str(text)) for role, text in row["turns"])
    return Label(**{**row, "turns": turns, "golds": tuple(row["golds"])})
