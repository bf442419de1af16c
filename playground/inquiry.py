"""A question that was put to a system: what it was asked of, and what has happened so far."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from evaluation.dataset import Example
from models.llm.protocol import Prompt
from models.records import Answer, Question, Source, Task
from models.runtime.case import Event, Failure
from models.runtime.request import WrittenRequest
from models.runtime.trace import Step
from models.web.context import with_title
from models.web.retrieved import Retrieved

MOST_PAGES = 50  # of a question, as in the contest
MAX_CHARS = 2000  # of a text that is no page
POLL_S = 0.02
_LATE_S = 1e6  # beyond any deadline

ShortText = Annotated[str, Field(max_length=MAX_CHARS)]


class PageInput(BaseModel):
    """A page that was pasted or uploaded. Its name is shown, and is never a path."""

    name: ShortText = ""
    html: str


class CragFields(BaseModel):
    """What a question has beside its text.

    Attributes:
        time: when it is asked, in any form of `models.batch_input.read_time`; now if it is none,
            empty or "now".
        task: 1, 2 or 3; None: as the pages and the KG imply.
        preset: of the web path; empty: that of the settings, or the system's own.
        pages: pages that are sent along.
    """

    model_config = ConfigDict(extra="forbid")

    time: ShortText | None = ""
    task: Task | None = None
    preset: ShortText = ""
    pages: Annotated[list[PageInput], Field(max_length=MOST_PAGES)] = []


class AskRequest(CragFields):
    """What to ask.

    Attributes:
        question: its text.
        system: its name; empty: that of the settings.
        row: the id of a question of the dataset, whose pages and right answers are used.
        row_pages: which of its pages, by their numbers from 0; `pages` follow them.
    """

    question: ShortText
    system: ShortText = ""
    row: ShortText = ""
    row_pages: Annotated[list[int], Field(max_length=MOST_PAGES)] = []


@dataclass
class Inquiry:
    """A question on its way through a system; another thread fills it while it is read.

    Attributes:
        row: the evaluator's dict of it, with its pages.
        example: the question of the dataset that it is; None: it is none.
        system, preset: which system answers it, and the preset of its web path.
        steps: its trace so far.
        requests: what an LLM was asked in a step, by the step's number from 0.
        retrieved: its passages and the texts of their pages; None: none were retrieved yet.
        failures: those that explain why there is no answer.
        answer: the answer, once it is done.
        is_kept: whether it was kept as a case.
        is_withdrawn: whether nobody waits for its answer any more.
        events: JSON objects with a `type`: waiting, step, failure, passages, answer; the last one
            is `done`.
    """

    id: str
    question: Question
    row: Mapping[str, Any]
    example: Example | None
    system: str
    preset: str
    steps: list[Step] = field(default_factory=list)
    requests: dict[int, WrittenRequest] = field(default_factory=dict)
    retrieved: Retrieved | None = None
    failures: list[Failure] = field(default_factory=list)
    answer: Answer = field(default_factory=Answer)
    is_kept: bool = False
    is_withdrawn: bool = False
    events: list[dict[str, Any]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)  # nothing follows `done`

    @property
    def done(self) -> bool:
        """Whether no event will follow."""
        return bool(self.events) and self.events[-1]["type"] == "done"

    def clock(self) -> float:
        """The time in seconds, by which its work has no time left once it is withdrawn."""
        return time.monotonic() + (_LATE_S if self.is_withdrawn else 0.0)

    @property
    def size(self) -> int:
        """The characters of its pages."""
        return sum(len(page.html) for page in self.question.pages)

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

    async def follow(self) -> AsyncIterator[dict[str, Any]]:
        """All events as they happen, to the end."""
        number = 0
        while True:
            is_done = self.done  # before the events are read: none follows then
            for event in self.events[number:]:
                number += 1
                yield event
            if is_done:
                return
            await asyncio.sleep(POLL_S)

    async def wait(self) -> None:
        """Return when it is done."""
        async for _ in self.follow():
            pass

    def wait_behind(self, others: int) -> None:
        """Add that so many questions will be answered before."""
        self.events.append({"type": "waiting", "before": others})

    def hear(self, _: int, event: Event) -> None:
        """Add an event of the system, unless it comes too late."""
        with self._lock:
            if not self.done:
                self._add(event)

    def _add(self, event: Event) -> None:
        if isinstance(event, WrittenRequest):
            self.requests[len(self.steps)] = event  # its step follows
        elif isinstance(event, Step):
            request = self.requests.get(len(self.steps))
            prompt = _shown_prompt(request.prompt) if request else None
            self.steps.append(event)
            self.events.append({"type": "step", "step": asdict(event), "prompt": prompt})
        elif isinstance(event, Failure):
            if event.leaves_no_answer:
                self.failures.append(event)
            text = str(event.error) or type(event.error).__name__
            row = {"type": "failure", "kind": event.kind, "step": event.step, "text": text}
            self.events.append(row)
        elif isinstance(event, Retrieved):
            self.retrieved = event
            self.events.append({"type": "passages", "passages": self.passages})
        elif isinstance(event, Answer):
            self.answer = event
            row = {"type": "answer", "answer": event.text, "source": event.source}
            self.events.append(row)

    def finish(self, text: str, seconds: float, verdict: Mapping[str, str]) -> None:
        """Add the last event: the answer as the evaluator gets it, and the judge's verdict."""
        with self._lock:
            if self.done:
                return
            source = self.answer.source if Answer(text).known else Source.NONE
            self.answer = Answer(text, source)
            row = {"type": "done", "answer": text, "source": source, "seconds": seconds}
            self.events.append({**row, **verdict})


def _shown_prompt(prompt: Prompt) -> dict[str, Any]:
    """What the page shows of a prompt, and lets the user change."""
    return {
        "turns": [[message.role, message.text] for message in prompt.messages],
        "adapter": prompt.adapter,
        "temperature": prompt.temperature,
        "max_tokens": prompt.max_tokens,
        "samples": prompt.n,
        "constraint": prompt.constraint.kind if prompt.constraint else None,
    }
