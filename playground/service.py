"""Puts questions to the systems that the settings allow, one after the other."""

import logging
import threading
import uuid
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

from evaluation.dataset import Example, read_examples
from evaluation.judge.protocol import Item, Judge
from models.batch_input import PACIFIC, QUERY_TIME, read_batch, read_time
from models.kg import make_client
from models.llm.llms import LLMs
from models.records import IDK, Task
from models.runtime.case import Failure
from models.settings import Settings, verify_places
from models.systems.make_system import (
    SYSTEMS,
    all_places,
    completed,
    make_system,
    subtasks_of,
    web_presets,
)
from models.systems.protocol import System
from models.task import task_of_question
from models.user_model import UserModel
from playground.errors import Busy, NotFound, Stopped
from playground.inquiry import AskRequest, Inquiry, PageInput
from utils.crag_api import KgClient
from utils.errors import CragError, InputError
from utils.secrets import secrets_in_fields, secrets_in_url

KEPT = 100  # inquiries that the server remembers, the latest
MOST_CHARS = 256 << 20  # of all their pages
MOST_WAITING = 20  # questions; others are refused
LISTED = 8  # examples that the page offers

logger = logging.getLogger(__name__)


@dataclass
class Playground:
    """Answers questions in a thread, one after the other, and remembers the latest.

    Attributes:
        settings: of all systems; their `options` are those of `settings.system` alone.
        dataset: the questions with pages that can be asked again.
        judge: judges answers to questions of the dataset.
    """

    settings: Settings
    dataset: Path
    judge: Judge
    _inquiries: OrderedDict[str, Inquiry] = field(default_factory=OrderedDict)
    _current: Inquiry | None = None
    _waiting: deque[Inquiry] = field(default_factory=deque)
    _changed: threading.Condition = field(default_factory=threading.Condition)  # of these two
    _must_load: bool = False
    _systems: dict[tuple[str, str], System] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)  # of `_inquiries`
    _models: dict[tuple[str, str, Task], UserModel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        threading.Thread(target=self._work, name="playground", daemon=True).start()

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
        """The systems that can be asked, with that of the settings, which may be of another
        package; without an LLM, those that need none."""
        names = dict.fromkeys([*SYSTEMS, self.settings.system])
        return [name for name in names if self.settings.llms or not subtasks_of(name)]

    @property
    def adapters(self) -> list[str]:
        """The names of the adapters of all engines."""
        names: set[str] = set()
        for llm in self.settings.llms.values():
            names.update(llm.adapters)
        return sorted(names)

    @cached_property
    def examples(self) -> list[Example]:
        """The first questions of the dataset.

        Raises:
            InputError: the dataset cannot be read.
        """
        return list(islice(read_examples(self.dataset, skip_bad=True), LISTED))

    @property
    def keys(self) -> list[str]:
        """The keys and passwords of the settings, which no response may show."""
        settings = self.settings
        keys = [settings.llm_api_key or "", settings.judge_api_key or ""]
        keys += secrets_in_url(settings.api_url or "")
        for llm in settings.llms.values():
            keys += secrets_in_fields(llm.extra_headers)
            keys += secrets_in_fields(llm.extra_body)
            keys += secrets_in_url(llm.place)
        return keys

    def warm_up(self) -> None:
        """Load the system of the settings, before its first question."""
        with self._changed:
            self._must_load = True
            self._changed.notify()

    def example(self, id: str) -> Example:
        """The question of the dataset with that id.

        Raises:
            NotFound: there is none.
        """
        for example in chain(self.examples, read_examples(self.dataset, skip_bad=True)):
            if example.id == id:
                return example
        raise NotFound(
            f"{self.dataset} has no question with the id {id!r}: start with --dataset FILE"
        )

    def inquiry(self, id: str) -> Inquiry:
        """A question that was asked.

        Raises:
            NotFound: none has this id, or it is too long ago.
        """
        with self._lock:
            inquiry = self._inquiries.get(id)
        if inquiry is None:
            raise NotFound(
                f"no question with the id {id!r} is remembered: the server keeps {KEPT}, until it "
                "stops"
            )
        return inquiry

    def ask(self, request: AskRequest) -> Inquiry:
        """Put a question behind those that wait.

        Raises:
            InputError: the question is empty, its time cannot be read, or there is no such system,
                preset or page.
            NotFound: there is no such row.
            Busy: too many questions wait.
        """
        if len(self._waiting) >= MOST_WAITING:
            raise Busy(f"{MOST_WAITING} questions wait: ask again when one is answered")
        settings = self.settings
        system = request.system or settings.system
        if system not in self.systems:
            raise InputError(f"no system {system!r} can be asked; there are {self.systems}")
        presets = list(web_presets())
        if request.preset and request.preset not in presets:
            raise InputError(f"there is no preset {request.preset!r}; there are {presets}")
        example = self.example(request.row) if request.row else None
        row = {
            "interaction_id": uuid.uuid4().hex[:12],
            "query": request.question,
            "query_time": _time_of(request.time).strftime(QUERY_TIME),
            "search_results": [*_pages_of(example, request.row_pages), *_uploaded(request.pages)],
        }
        task = request.task or task_of_question(
            len(row["search_results"]), has_api=settings.api_url is not None
        )
        [question] = read_batch(_batch_of(row), lambda _: task)
        if isinstance(question, InputError):
            raise InputError("the question is empty")
        if not question.pages and not (task.has_kg and settings.api_url):
            raise InputError("there is nothing to look in: add a page, or choose task 2 with a KG")
        if example is not None and example.query != request.question:
            example = None  # its right answers are not those of another question
        inquiry = Inquiry(question.id, question, row, example, system, request.preset)
        with self._lock:
            self._inquiries[inquiry.id] = inquiry
            self._forget()
        with self._changed:
            self._waiting.append(inquiry)
            before = self._others_before(len(self._waiting) - 1)
            if before:
                inquiry.wait_behind(before)
            self._changed.notify()
        return inquiry

    def withdraw(self, inquiry: Inquiry) -> None:
        """Answer a question no further: who asked it has left. One that waits is not begun, one
        that is being answered ends before its next round."""
        inquiry.is_withdrawn = True
        with self._changed:
            if inquiry in self._waiting:
                self._waiting.remove(inquiry)
            elif inquiry is self._current:
                return  # its own work ends it
        inquiry.finish(IDK, 0.0, {})

    def stop(self) -> None:
        """End the questions that wait or are being answered: the server stops."""
        with self._changed:
            open_inquiries = [*self._waiting, *([self._current] if self._current else [])]
            self._waiting.clear()
        for inquiry in open_inquiries:
            inquiry.hear(0, Failure(Stopped("the server was stopped")))
            inquiry.finish(IDK, 0.0, {})

    def _forget(self) -> None:
        """Forget the oldest inquiries while there are too many; one that is not done stays."""
        chars = sum(inquiry.size for inquiry in self._inquiries.values())
        for id, inquiry in list(self._inquiries.items()):
            if (len(self._inquiries) <= KEPT and chars <= MOST_CHARS) or not inquiry.done:
                return
            chars -= inquiry.size
            del self._inquiries[id]

    def _work(self) -> None:
        """Answer the questions that wait, without an end."""
        while True:
            with self._changed:
                self._current = None
                self._changed.wait_for(lambda: self._must_load or self._waiting)
                must_load = self._must_load
                self._must_load = False
                if not must_load:
                    self._current = self._waiting.popleft()
                    if self._current.events:  # it was told that it waits
                        self._current.wait_behind(0)
                    for place, inquiry in enumerate(self._waiting):
                        inquiry.wait_behind(self._others_before(place))
            if self._current is None:
                self._load()
            else:
                self._answer(self._current)

    def _others_before(self, place: int) -> int:
        """How many questions are answered before the one at a place of those that wait."""
        return place + (self._current is not None)

    def _load(self) -> None:
        """Load the system of the settings; one that asks no LLM also answers a question, which
        loads what only questions need."""
        task = task_of_question(0, has_api=self.settings.api_url is not None)
        try:
            model = self._model(self.settings.system, "", task)
            if not subtasks_of(self.settings.system):
                now = datetime.now(PACIFIC).strftime(QUERY_TIME)
                question = {"query": ["who directed this movie?"], "query_time": [now]}
                model.batch_generate_answer(question)
        except CragError as error:  # the first question will say it, too
            logger.warning("%s: %s", self.settings.system, error)
        except Exception:
            logger.exception("%s cannot be loaded", self.settings.system)

    def _answer(self, inquiry: Inquiry) -> None:
        """Answer a question; whatever fails, its last event is `done`."""
        text = IDK
        seconds = 0.0
        verdict: dict[str, str] = {}
        try:
            model = self._model(inquiry.system, inquiry.preset, inquiry.question.task)
            model.listener = inquiry.hear
            model.clock = inquiry.clock
            [text] = model.batch_generate_answer(_batch_of(inquiry.row))
            [seconds] = model.last_seconds
            verdict = self._judged(inquiry, text)
        except Exception as error:
            if not isinstance(error, CragError):
                logger.exception("question %s", inquiry.id)
            inquiry.hear(0, Failure(error))
        finally:
            inquiry.finish(text, seconds, verdict)

    def _judged(self, inquiry: Inquiry, text: str) -> dict[str, str]:
        """The judge's verdict with its reason, if the right answer is known."""
        golds = inquiry.example.golds if inquiry.example else ()
        if not golds:
            return {}
        [judgement] = self.judge.judge([Item(inquiry.id, inquiry.question.text, golds, text)])
        return {"verdict": judgement.verdict, "reason": judgement.reason}

    def _model(self, system: str, preset: str, task: Task) -> UserModel:
        """The model of a choice, built once; all tasks share a system.

        Raises:
            CragError: the settings, or files that they name, cannot be used.
        """
        choice = (system, preset, task)
        if choice not in self._models:
            settings = replace(self.settings, system=system, task=task)
            if system != self.settings.system:  # these belong to that system
                settings = replace(settings, options={}, confidence=None)
            if preset:
                settings = replace(settings, web={**settings.web, "preset": preset})
            if (system, preset) not in self._systems:
                verify_places(all_places(completed(settings)))
                self._systems[system, preset] = make_system(settings, self.llms)
            self._models[choice] = UserModel(settings, system=self._systems[system, preset])
        return self._models[choice]


def _batch_of(row: Mapping[str, Any]) -> dict[str, list[Any]]:
    """A batch of one question."""
    return {name: [value] for name, value in row.items()}


def _time_of(text: str | None) -> datetime:
    """The time in a text, in US Pacific time; now, if it is empty or says so.

    Raises:
        InputError: it cannot be read.
    """
    if text is None or text.strip().lower() in ("", "now"):
        return datetime.now(PACIFIC)
    return read_time(text)


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
