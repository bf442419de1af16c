"""The evaluator's interface: one answer per question of a batch, in time, whatever fails."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from models.batch_input import read_batch
from models.records import IDK, Answer, Question, Task
from models.runtime.batch import in_turn
from models.runtime.case import Case, Event, Failure, QuestionOutcome, Slot
from models.runtime.confidence_model import STEP, features_of, read_confidence
from models.runtime.trace import Step
from models.settings import Settings, load_settings, verify_places
from models.systems.make_system import all_places, completed, make_system
from models.systems.protocol import System
from models.task import task_of_question, task_of_submission
from utils.deadline import Clock, Deadline
from utils.errors import CragError, DeadlineExceeded, InputError
from utils.tokens import cut_answer, load_counter, whole_items

_LOOK_EVERY_S = 0.02  # polling interval of the clock while a system works
_MOST_CHARS = 20_000  # of an answer; 75 tokens have far fewer

logger = logging.getLogger(__name__)


class Unanswered(CragError):
    """A system returned in time and without an error, but left a question unanswered."""


class AnswerCut(CragError):
    """An answer exceeded the evaluator's token limit."""

    kind = "answer cut at 75 tokens"


class UserModel:
    """Answers batches of CRAG questions; see the contract in docs/ARCHITECTURE.md.

    This is the only place that turns a failure into "i don't know".

    Attributes:
        failures: number of failures by type, over all calls.
        last_failures: for the last batch, all failures of each question.
        given_up: for each kind of work, the number of questions for which it was omitted, over all
            calls.
        last_traces: for the last batch, each question's steps, including those of a second attempt.
        last_seconds: for the last batch, the time from its start to each question's answer; of a
            question without one, to the batch's end.
        clock: of all deadlines; another one may be set before a batch.
        listener: called with each event of a question as it happens, by any thread, with the
            question's number in the batch; None: nobody listens.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        system: System | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        """Build the system that `settings` name; `system` and `clock` are for tests.

        Raises:
            SettingsError: the settings cannot be used; raised here, before the first question.
            WeightsError: model files in the settings are missing or truncated.
        """
        self.settings = settings or load_settings()
        self.failures: Counter[str] = Counter()
        self.given_up: Counter[str] = Counter()
        self.last_failures: list[list[Failure]] = []
        self.last_traces: list[list[Step]] = []
        self.last_seconds: list[float] = []
        self.listener: Callable[[int, Event], None] | None = None
        self.clock = clock
        if system is None:
            verify_places(all_places(completed(self.settings)))
        self._count_tokens = load_counter(self.settings.tokenizer)
        self._task = self.settings.task or task_of_submission()
        self._confidence = read_confidence(self.settings)
        self._system = system or make_system(self.settings)

    def get_batch_size(self) -> int:
        """The number of questions per call, 1-16."""
        return self.settings.batch_size

    def batch_generate_answer(self, batch: Mapping[str, Any]) -> list[str]:
        """One answer per question of `batch`, in order, each at most 75 tokens.

        An empty batch gives an empty list; a batch of more than 16 is answered in full. A question
        that cannot be read or answered gives "i don't know".

        Raises:
            InputError: `batch` has no list of queries.
        """
        start = self.clock()
        entries = read_batch(batch, self._choose_task)
        settings = self.settings
        seconds = settings.seconds_per_question * len(entries) - settings.margin_s
        deadline = Deadline.after(max(0.0, seconds), self.clock)
        answers = [IDK] * len(entries)
        self.last_failures = [[] for _ in entries]
        self.last_traces = [[] for _ in entries]
        questions: dict[int, Question] = {}
        for number, entry in enumerate(entries):
            if isinstance(entry, InputError):
                self._fail(number, str(number), Failure(entry))
            else:
                questions[number] = entry
        outcomes = self._answer(questions, deadline) if questions else {}
        for number, outcome in outcomes.items():
            answer = self._confident_answer(number, questions[number], outcome)
            answers[number] = self._finish(number, answer)
        self.last_seconds = [self.clock() - start] * len(entries)
        for number, outcome in outcomes.items():
            if outcome.answered_at is not None:
                self.last_seconds[number] = outcome.answered_at - start
        return answers

    def _answer(
        self, questions: Mapping[int, Question], deadline: Deadline
    ) -> dict[int, QuestionOutcome]:
        """Answer the whole batch at once, then retry unanswered questions one by one."""
        share = 1 - self.settings.retry_share if len(questions) > 1 else 1.0
        outcomes = self._attempt(questions, deadline.sooner(deadline.remaining() * share))
        unanswered = [number for number, outcome in outcomes.items() if not outcome.final]
        for number, part in in_turn(unanswered, deadline):
            if deadline.expired:
                break
            retried = self._attempt({number: questions[number]}, part)[number]
            if retried.final or retried.answer.known:
                outcomes[number] = retried
        return outcomes

    def _attempt(
        self, questions: Mapping[int, Question], deadline: Deadline
    ) -> dict[int, QuestionOutcome]:
        """Run the system in a thread; the outcomes when it ends, or at the deadline."""
        cases = {
            number: Case(question, Slot(self.clock, partial(self._tell, number)))
            for number, question in questions.items()
        }
        raised: list[BaseException] = []
        done = threading.Event()

        def work() -> None:
            try:
                self._system.answer(list(cases.values()), deadline)
            except BaseException as error:  # noqa: BLE001 - the one error boundary
                raised.append(error)
            finally:
                done.set()

        try:
            threading.Thread(target=work, name="system", daemon=True).start()
        except RuntimeError as error:  # no thread can be started
            raised.append(error)
            done.set()
        while not done.wait(min(_LOOK_EVERY_S, deadline.remaining())) and not deadline.expired:
            pass
        outcomes = {number: case.slot.close() for number, case in cases.items()}
        failure: BaseException
        if raised:
            failure = raised[0]
            logger.error("the system raised %s", type(failure).__name__, exc_info=failure)
        elif done.is_set():
            failure = Unanswered("the system left the question open")
        else:
            failure = DeadlineExceeded("the system was still at work at its deadline")
        for number, outcome in outcomes.items():
            self.last_traces[number] += outcome.steps
            self.given_up.update(map(str, outcome.given_up))
            question_id = questions[number].id
            for step_failure in outcome.failed:
                self._record_failure(number, question_id, step_failure)
            if not outcome.final:
                self._fail(number, question_id, Failure(failure))
        return outcomes

    def _confident_answer(
        self, number: int, question: Question, outcome: QuestionOutcome
    ) -> Answer:
        """The answer, or "i don't know" if the confidence model's probability is too low.

        The trace has its features with or without a model, so that a model can be fitted on the
        traces of any run.
        """
        answer = outcome.answer
        if not answer.known:
            return answer
        features = features_of(question.plain, answer, outcome.steps)
        inputs = {"answer": answer.text}
        model = self._confidence
        if model is not None:
            probability = model.probability(features)
            inputs["chance"] = f"{probability:.6f}"
            inputs["threshold"] = f"{model.threshold:g}"
            if probability <= model.threshold:
                answer = Answer()
        self._note_step(number, Step(STEP, inputs, answer.text, confidence=features))
        return answer

    def _note_step(self, number: int, step: Step) -> None:
        """Add a step that is not the system's."""
        self.last_traces[number].append(step)
        self._tell(number, step)

    def _tell(self, number: int, event: Event) -> None:
        if self.listener is not None:
            self.listener(number, event)

    def _fail(self, number: int, question_id: str, failure: Failure) -> None:
        """Record a failure that is in no slot: slots tell of their own ones."""
        self._record_failure(number, question_id, failure)
        self._tell(number, failure)

    def _record_failure(self, number: int, question_id: str, failure: Failure) -> None:
        name = type(failure.error).__name__
        level = logging.INFO if self.failures[name] else logging.WARNING  # the first of its type
        logger.log(level, "question %s: %s: %s", question_id, name, failure.error)
        self.failures[name] += 1
        self.last_failures[number].append(failure)

    def _choose_task(self, pages: int) -> Task:
        return self._task or task_of_question(pages, has_api=self.settings.api_url is not None)

    def _finish(self, number: int, answer: Answer) -> str:
        """The answer in the evaluator's format; characters that cannot be encoded are dropped."""
        encoded = answer.text[:_MOST_CHARS].encode("utf-16", "surrogatepass")
        whole = " ".join(encoded.decode("utf-16", "ignore").split())
        cut = cut_answer(whole, count=self._count_tokens)
        if cut != whole:
            cut = whole_items(cut)
            failure = Failure(AnswerCut(f"{whole[:200]!r} is too long"))
            self.last_failures[number].append(failure)
            self._tell(number, failure)
            self._note_step(number, Step("cut_answer", {"answer": whole}, cut))
        return cut or IDK
