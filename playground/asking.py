"""Questions that are asked in the playground: each runs in a thread, and its events are kept."""

import logging
import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from evaluation.dataset import Example, read_examples
from evaluation.judge.protocol import Item, Judge
from models.batch_input import PACIFIC, TIME_FORMATS, read_batch
from models.llm.factory import LLMs
from models.llm.protocol import Prompt
from models.records import IDK, Answer, Question, Source, Task
from models.runtime.ledger import Event, Failure
from models.runtime.trace import Step
from models.settings import Settings
from models.systems.factory import SYSTEMS, make_system, subtasks_of
from models.systems.protocol import System
from models.task import task_of_question
from models.user_model import UserModel
from models.web.context import with_title
from models.web.retrieved import Retrieved
from models.web.settings import PRESETS
from utils.crag_api import KgClient, make_client
from utils.errors import CragError, InputError

KEPT = 100  # questions that the server remembers, the latest
LISTED = 50  # examples that the page offers
MOST_PAGES = 50  # of a question, as in the contest
_ShortText = Annotated[str, Field(max_length=2000)]

logger = logging.getLogger(__name__)


class PageInput(BaseModel):
    """A page that was pasted or uploaded. Its name is shown, and is never a path."""

    name: _ShortText = ""
    html: str


class AskRequest(BaseModel):
    """What to ask.

    Attributes:
        question: its text.
        time: when it is asked, in US Pacific time, in any format of `TIME_FORMATS`; empty: now.
        task: 1, 2 or 3; None: as the pages and the KG imply.
        system: its name; empty: that of the settings.
        preset: of the web path; empty: the system's own.
        row: the id of a question of the dataset, whose pages and right answers are used.
        row_pages: which of its pages, by their numbers from 0.
        pages: further pages.
    """

    model_config = ConfigDict(extra="forbid")

    question: Annotated[str, Field(max_length=2000)]
    time: _ShortText = ""
    task: Task | None = None
    system: _ShortText = ""
    preset: _ShortText = ""
    row: _ShortText = ""
    row_pages: Annotated[list[int], Field(max_length=MOST_PAGES)] = []
    pages: Annotated[list[PageInput], Field(max_length=MOST_PAGES)] = []


@dataclass
class Asked:
    """A question that was asked, and what has happened so far.

    Attributes:
        row: the evaluator's dict of it, with its pages.
        example: the question of the dataset that it is; None: it is none.
        system, preset: which system answers it, and the preset of its web path.
        steps: its trace so far.
        prompts: what an LLM read in a step, by the step's number from 0.
        retrieved: its passages and the texts of their pages; None: none were retrieved yet.
        failures: those that explain why there is no answer.
        answer: the answer, once it is done.
        events: JSON objects with a `type`: step, failure, passages, answer; the last one is `done`.
    """

    id: str
    question: Question
    row: Mapping[str, Any]
    example: Example | None
    system: str
    preset: str
    steps: list[Step] = field(default_factory=list)
    prompts: dict[int, Prompt] = field(default_factory=dict)
    retrieved: Retrieved | None = None
    failures: list[Failure] = field(default_factory=list)
    answer: Answer = field(default_factory=Answer)
    events: list[dict[str, Any]] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition, repr=False)

    @property
    def done(self) -> bool:
        """Whether no event will follow."""
        return bool(self.events) and self.events[-1]["type"] == "done"

    def add(self, type: str, **fields: Any) -> None:
        """Add an event."""
        with self._changed:
            self.events.append({"type": type, **fields})
            self._changed.notify_all()

    def follow(self, start: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """The events from number `start` on, each with its number, as they happen, to the end."""
        number = start
        while True:
            with self._changed:
                while number >= len(self.events) and not self.done:
                    self._changed.wait()
                if number >= len(self.events):
                    return
                event = self.events[number]
            yield number, event
            number += 1

    def hear(self, _: int, event: Event) -> None:
        """Add an event of the system."""
        if isinstance(event, Prompt):
            self.prompts[len(self.steps)] = event  # its step follows
        elif isinstance(event, Step):
            prompt = self.prompts.get(len(self.steps))
            self.steps.append(event)
            self.add("step", step=asdict(event), prompt=_described(prompt) if prompt else None)
        elif isinstance(event, Failure):
            if event.leaves_no_answer:
                self.failures.append(event)
            self.add("failure", kind=event.kind, step=event.step, text=str(event.error))
        elif isinstance(event, Retrieved):
            self.retrieved = event
            self.add("passages", passages=self.passages)
        else:
            self.answer = event
            self.add("answer", answer=event.text, source=event.source)

    @property
    def passages(self) -> list[dict[str, Any]]:
        """The passages, best first, with their places in the pages."""
        retrieved = self.retrieved or Retrieved()
        rows = []
        for passage in retrieved.passages:
            page = self.question.pages[passage.page]
            row = {**asdict(passage), "text": with_title(passage, retrieved.texts)}
            rows.append({**row, "title": page.name or page.url, "url": page.url})
        return rows


@dataclass
class Playground:
    """Asks the systems that the settings allow, one question after the other.

    Attributes:
        settings: of all systems; their `options` are those of `settings.system` alone.
        dataset: the questions with pages that can be asked again.
        judge: judges answers to questions of the dataset.
    """

    settings: Settings
    dataset: Path
    judge: Judge
    _asked: OrderedDict[str, Asked] = field(default_factory=OrderedDict)
    _systems: dict[tuple[str, str], System] = field(default_factory=dict)
    _models: dict[tuple[str, str, Task], UserModel] = field(default_factory=dict)
    _busy: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def llms(self) -> LLMs:
        """The engines, shared by all systems; each is loaded when it is first needed."""
        settings = self.settings
        return LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key)

    @cached_property
    def client(self) -> KgClient | None:
        """The KG; None: there is none."""
        return make_client(self.settings.api_url) if self.settings.api_url else None

    @cached_property
    def systems(self) -> list[str]:
        """The systems that can be asked: without an LLM, those that need none."""
        return [name for name in SYSTEMS if self.settings.llms or not subtasks_of(name)]

    @property
    def keys(self) -> list[str | None]:
        """The keys and headers of the settings, which no response may show."""
        settings = self.settings
        keys = [settings.llm_api_key, settings.judge_api_key]
        for llm in settings.llms.values():
            keys += llm.extra_headers.values()
        return keys

    def warm_up(self) -> None:
        """Load the system of the settings, and what its first question would have to load."""
        task = task_of_question(0, has_api=self.settings.api_url is not None)
        try:
            with self._busy:
                model = self._model(self.settings.system, "", task)
                if not subtasks_of(self.settings.system):  # an LLM would cost
                    model.batch_generate_answer({"query": ["who directed this movie?"]})
        except CragError as error:
            logger.warning("%s: %s", self.settings.system, error)  # the first question says it, too

    @cached_property
    def examples(self) -> list[Example]:
        """The first questions of the dataset."""
        return list(islice(read_examples(self.dataset, skip_bad=True), LISTED))

    def example(self, id: str) -> Example:
        """The question of the dataset with that id.

        Raises:
            InputError: there is none.
        """
        for example in chain(self.examples, read_examples(self.dataset, skip_bad=True)):
            if example.id == id:
                return example
        raise InputError(f"{self.dataset} has no question with the id {id!r}")

    def asked(self, id: str) -> Asked:
        """A question that was asked.

        Raises:
            InputError: none has this id, or it is too long ago.
        """
        if id not in self._asked:
            raise InputError(
                f"no question with the id {id!r} is remembered: the server keeps {KEPT}, until it "
                "stops"
            )
        return self._asked[id]

    def ask(self, request: AskRequest) -> Asked:
        """Begin to answer a question in a thread.

        Raises:
            InputError: the question is empty, its time cannot be read, or there is no such system,
                preset, row or page.
        """
        settings = self.settings
        system = request.system or settings.system
        if system not in self.systems:
            raise InputError(f"no system {system!r} can be asked; there are {self.systems}")
        if request.preset and request.preset not in PRESETS:
            raise InputError(f"there is no preset {request.preset!r}; there are {list(PRESETS)}")
        example = self.example(request.row) if request.row else None
        row = {
            "interaction_id": uuid.uuid4().hex[:12],
            "query": request.question,
            "query_time": _time_of(request.time).strftime("%m/%d/%Y, %H:%M:%S PT"),
            "search_results": [*_pages_of(example, request.row_pages), *_uploaded(request.pages)],
        }
        task = request.task or task_of_question(
            len(row["search_results"]), has_api=settings.api_url is not None
        )
        [question] = read_batch({name: [value] for name, value in row.items()}, lambda _: task)
        if isinstance(question, InputError):
            raise InputError("the question is empty")
        if not question.pages and not (task.has_kg and settings.api_url):
            raise InputError("there is nothing to look in: add a page, or choose task 2 with a KG")
        if example is not None and example.query != request.question:
            example = None  # its right answers are not those of another question
        asked = Asked(question.id, question, row, example, system, request.preset)
        self._asked[asked.id] = asked
        while len(self._asked) > KEPT:
            self._asked.popitem(last=False)
        threading.Thread(target=self._answer, args=(asked,), daemon=True).start()
        return asked

    def _answer(self, asked: Asked) -> None:
        """Answer a question, after those that came before it; its last event is `done`."""
        text = IDK
        seconds = 0.0
        verdict: dict[str, str] = {}
        try:
            with self._busy:
                model = self._model(asked.system, asked.preset, asked.question.task)
                model.listener = asked.hear
                [text] = model.batch_generate_answer({k: [v] for k, v in asked.row.items()})
                [seconds] = model.last_seconds
            verdict = self._judged(asked, text)
        except Exception as error:
            if not isinstance(error, CragError):
                logger.exception("question %s", asked.id)
            asked.hear(0, Failure(error))
        finally:
            source = asked.answer.source if text != IDK else Source.NONE
            asked.answer = Answer(text, source)
            asked.add("done", answer=text, source=source, seconds=seconds, **verdict)

    def _judged(self, asked: Asked, text: str) -> dict[str, str]:
        """The judge's verdict with its reason, if the right answer is known."""
        golds = asked.example.golds if asked.example else ()
        if not golds:
            return {}
        [judgement] = self.judge.judge([Item(asked.id, asked.question.text, golds, text)])
        return {"verdict": judgement.verdict, "reason": judgement.reason}

    def _model(self, system: str, preset: str, task: Task) -> UserModel:
        """The model of a choice, built once; all tasks share a system."""
        choice = (system, preset, task)
        if choice not in self._models:
            settings = replace(self.settings, system=system, task=task)
            if system != self.settings.system:  # these belong to that system
                settings = replace(settings, options={}, confidence=None)
            if preset:
                settings = replace(settings, web={**settings.web, "preset": preset})
            if (system, preset) not in self._systems:
                self._systems[system, preset] = make_system(settings, self.llms)
            self._models[choice] = UserModel(settings, system=self._systems[system, preset])
        return self._models[choice]


def _described(prompt: Prompt) -> dict[str, Any]:
    """What the page shows of a prompt, and lets the user change."""
    return {
        "turns": [[message.role, message.text] for message in prompt.messages],
        "adapter": prompt.adapter,
        "temperature": prompt.temperature,
        "max_tokens": prompt.max_tokens,
        "samples": prompt.n,
        "constraint": prompt.constraint.kind if prompt.constraint else None,
    }


def _time_of(text: str) -> datetime:
    """The time in a text, in US Pacific time; now, if it is empty.

    Raises:
        InputError: it cannot be read.
    """
    if not text.strip():
        return datetime.now(PACIFIC)
    for form in TIME_FORMATS:
        try:
            return datetime.strptime(text.strip(), form)
        except ValueError:
            continue
    raise InputError(f"the time {text!r} cannot be read: write it as 2024-03-05T16:00")


def _pages_of(example: Example | None, numbers: Sequence[int]) -> list[Mapping[str, Any]]:
    """The pages of a question of the dataset with these numbers.

    Raises:
        InputError: there is no such page.
    """
    pages = example.pages if example else ()
    if not all(0 <= number < len(pages) for number in numbers):
        raise InputError(f"the question has {len(pages)} pages, numbered from 0: not {numbers}")
    return [pages[number] for number in numbers]


def _uploaded(pages: Sequence[PageInput]) -> list[dict[str, str]]:
    """Pages of the browser as the evaluator gives them; of a name, what follows the last slash."""
    rows = []
    for number, page in enumerate(pages, 1):
        name = page.name.replace("\\", "/").rpartition("/")[2] or f"page {number}"
        rows.append({"page_name": name, "page_url": f"upload:{name}", "page_result": page.html})
    return rows
