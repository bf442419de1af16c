"""Every system with a real engine over the tiny random model: well-formed answers, in time."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluation.dataset import read_examples, to_batch
from mock_api.local import LocalClient
from models.batch import read_batch
from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.factory import LLMs
from models.llm.protocol import LLM
from models.public_data.sources import PublicFact
from models.public_data.store import PublicData, build
from models.records import Question, Task
from models.settings import Settings
from models.subtasks.kg_text.baseline import SUBTASK as NAME_ARGUMENTS
from models.subtasks.kg_text.baseline import KgBaseline
from models.subtasks.kg_text.parsed import ParserKgText
from models.systems import bumblebee7, dragonrangers
from models.systems.bumblebee7.system import Bumblebee7Options, Bumblebee7System
from models.systems.db3 import NAMED, Db3Options, Db3System
from models.systems.dragonrangers.system import DragonrangersOptions, DragonrangersSystem
from models.systems.electricsheep import ElectricSheepOptions, ElectricSheepSystem
from models.systems.protocol import System
from models.user_model import UserModel
from models.web.retriever import Retriever
from tests.models.engines import Tiny
from utils.tokens import load_counter

pytestmark = [pytest.mark.engine]
ROOT = Path(__file__).parents[3]
# it writes at random, and to its bound
OF_THE_MODEL = {"QuerySyntaxError", "SchemaError", "PeriodError", "TooLong", "Empty", "Broken"}
SECONDS = 12.0  # a question; the tiny model needs a fraction of one, even on a busy machine
SHOWN = 800  # tokens of passages, which are bytes to the tiny model


def _db3(llms: LLMs, client: Any, public: PublicData) -> System:
    options = Db3Options(query_tokens=64, context_tokens=SHOWN)
    return Db3System(llms, client, Retriever(), public, options)


def _bumblebee7(llms: LLMs, client: Any, public: PublicData) -> System:
    kg = ParserKgText(client) if client else None
    options = Bumblebee7Options(thought_tokens=64, context_tokens=SHOWN)
    return Bumblebee7System(llms, Retriever(), kg, options)


def _dragonrangers(llms: LLMs, client: Any, public: PublicData) -> System:
    kg = KgBaseline(llms, client) if client else None
    options = DragonrangersOptions(path_tokens=48, context_tokens=SHOWN)
    return DragonrangersSystem(llms, Retriever(), kg, options=options)


def _electricsheep(llms: LLMs, client: Any, public: PublicData) -> System:
    kg = KgBaseline(llms, client) if client else None
    short = ElectricSheepOptions(
        votes=2, expressions=2, chunks=2, table_chars=300, calculator_table_chars=300,
        expression_tokens=8, knowledge_tokens=16, reasoning_tokens=16, summary_tokens=16,
        refuse_dynamic=False,
    )  # fmt: skip
    return ElectricSheepSystem(llms, Retriever(), kg, options=short)


@dataclass(frozen=True)
class Case:
    """A system, the subtasks that get an adapter, and steps that each batch goes through."""

    make: Callable[[LLMs, Any, PublicData], System]
    subtasks: tuple[str, ...]
    steps: frozenset[str]
    kg_steps: frozenset[str]


SYSTEMS = {
    "db3": Case(
        _db3,
        ("write_query", "answer_kg", "answer_web"),
        frozenset({"web", "route"}),
        frozenset({"write_query"}),
    ),
    "bumblebee7": Case(
        _bumblebee7,
        bumblebee7.SUBTASKS,
        frozenset({"web", "rewrite_query", "extract_premise", "judge_premise", "think"}),
        frozenset({"kg_text"}),
    ),
    "dragonrangers": Case(
        _dragonrangers,
        (*dragonrangers.SUBTASKS, NAME_ARGUMENTS),
        frozenset({"web", "answer_alone", "parametric", "answer_web", "external"}),
        frozenset({NAME_ARGUMENTS}),
    ),
    "electricsheep": Case(
        _electricsheep,
        (
            "predict_domain", "predict_dynamic", "write_expression", "extract_knowledge", "reason",
            "summarise", NAME_ARGUMENTS,
        ),
        frozenset({"web", "predict_domain", "predict_dynamic", "attributes", "write_expression",
                   "calculate", "extract_knowledge", "reason", "summarise"}),
        frozenset({NAME_ARGUMENTS}),
    ),
}  # fmt: skip


def batch(task: Task) -> dict[str, list[Any]]:
    """Sixteen of the example questions with their pages, as the evaluator hands them in."""
    name = "task3" if task is Task.END_TO_END else "questions"
    examples = list(read_examples(ROOT / "example_data" / f"{name}.jsonl", limit=16))
    return to_batch([examples[number % len(examples)] for number in range(16)])


def engines(tiny: Tiny, hf: LLM, subtasks: tuple[str, ...]) -> LLMs:
    """The tiny model under every subtask, adapters going round."""
    names = list(tiny.adapters)
    spec = LLMSettings(f"hf:{tiny.folder}", tiny.adapters)
    chosen = {
        subtask: SubtaskSettings("default", names[number % len(names)])
        for number, subtask in enumerate(subtasks)
    }
    return LLMs({"default": spec}, chosen, make=lambda settings, api_key: hf)


@pytest.fixture
def public(tmp_path: Path) -> PublicData:
    """A fact in each domain that has public data."""
    facts = [PublicFact(domain, "inception", ("Inception",), "year", "2010") for domain in NAMED]
    build(facts, tmp_path / "public.sqlite")
    return PublicData(tmp_path / "public.sqlite")


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_batch_of_sixteen(
    name: str, task: Task, tiny: Tiny, hf: LLM, example_kg: LocalClient, public: PublicData
) -> None:
    case = SYSTEMS[name]
    client = example_kg if task.has_kg else None
    system = case.make(engines(tiny, hf, case.subtasks), client, public)
    settings = Settings(task=task, seconds_per_question=SECONDS, margin_s=1.0)
    model = UserModel(settings, system=system)
    answers = model.batch_generate_answer(batch(task))
    assert len(answers) == 16 and all(isinstance(a, str) and a.strip() for a in answers)
    assert max(map(load_counter(settings.tokenizer), answers)) <= 75
    assert set(model.failures) <= OF_THE_MODEL, model.failures
    adapters = {s.name: s.adapter for t in model.last_traces for s in t if s.name in case.subtasks}
    assert None not in adapters.values(), adapters
    steps = {step.name for trace in model.last_traces for step in trace}
    assert case.steps <= steps and (not task.has_kg or case.kg_steps <= steps)


def test_questions_reach_the_system_whole() -> None:
    questions = read_batch(batch(Task.END_TO_END), lambda pages: Task.END_TO_END)
    assert len(questions) == 16
    assert all(isinstance(q, Question) and len(q.pages) > 5 for q in questions)
