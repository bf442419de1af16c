"""Estimates what a system needs of a machine: memory per GPU, seconds per question.

Every figure is in budget.toml with its source. One formula, `Machine.seconds`, gives the time of a
model: its arithmetic or reading its weights, whichever is slower.
"""

import sys
import tomllib
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict
from typer import BadParameter, Option, echo

from models.records import MAX_BATCH
from models.settings import Settings
from models.systems.make_system import SYSTEMS, spec_of, subtasks_of
from models.web.settings import Prefilter
from utils.cli import new_app, run

PAGES = {1: 5, 2: 5, 3: 50}  # per question, by task
GIB = 1 << 30
app = new_app()


class BudgetRow(BaseModel):
    """A row of budget.toml, which explains the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelSize(BudgetRow):
    """The size of a model."""

    parameters: float
    matrices: float
    cache_values: int = 0


class Machine(BudgetRow):
    """A machine; a CPU counts as one GPU."""

    memory_gib: float
    tflops: float
    bandwidth_gbs: float
    gpus: int = 1
    value_bytes: int = 2

    def seconds(self, weights: float, tokens: float, gpus: int = 1) -> float:
        """Time of `tokens` through 10^9 x `weights`: two operations each, or reading them once."""
        arithmetic = 2 * weights * tokens / (1000 * self.tflops)
        reading = weights * self.value_bytes / self.bandwidth_gbs
        return max(arithmetic, reading) / gpus

    def weights_gib(self, model: ModelSize) -> float:
        """Memory of all parameters of a model."""
        return model.parameters * 1e9 * self.value_bytes / GIB


class LLMRound(BudgetRow):
    """One round of the LLM over a batch of questions."""

    prompt: int
    completion: int
    samples: int = 1
    tasks: tuple[int, ...] = (1, 2, 3)
    after_pages: bool = False


class BudgetTable(BudgetRow):
    """The whole of budget.toml."""

    children_per_page: int
    passages_per_page: int
    child_tokens: int
    pair_tokens: int
    step_s: float
    workspace_gib: float
    llm: str
    page_s: dict[str, float]
    machines: dict[str, Machine]
    models: dict[str, ModelSize]
    rounds: dict[str, dict[str, LLMRound]]


@cache
def budget_table() -> BudgetTable:
    """The table beside this file."""
    content = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return BudgetTable.model_validate(tomllib.loads(content))


@dataclass
class BudgetPlan:
    """GiB on the first GPU by purpose, seconds per question by step, and what has no row."""

    memory: dict[str, float] = field(default_factory=dict)
    pages: dict[str, float] = field(default_factory=dict)
    early_rounds: dict[str, float] = field(default_factory=dict)  # concurrent with the pages
    late_rounds: dict[str, float] = field(default_factory=dict)
    not_planned: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Of all steps, per question."""
        first = max(sum(self.pages.values()), sum(self.early_rounds.values()))
        return first + sum(self.late_rounds.values())


def make_plan(system: str, machine: Machine, task: int) -> BudgetPlan:
    """The plan of a system for a task."""
    plan = BudgetPlan()
    add_pages(plan, system, machine, PAGES[task])
    if system in budget_table().rounds:
        add_llm(plan, system, machine, task)
    elif subtasks_of(system):
        plan.not_planned.append(f"the LLM of {system}")
    return plan


def add_pages(plan: BudgetPlan, system: str, machine: Machine, pages: int) -> None:
    """Add the web path: pages are read on one core, models run on the first GPU."""
    table = budget_table()
    web = spec_of(system).web
    if web.prefilter is not Prefilter.NONE:
        pages = min(pages, web.pages_kept)
    plan.pages["read pages"] = pages * table.page_s[web.extractors[0]]
    children = min(pages * table.children_per_page, web.lexical_cut or sys.maxsize)
    passages = min(pages * table.passages_per_page, web.recall_k)
    for step, setting, tokens in (
        ("embed", web.embedder, children * table.child_tokens),
        ("rerank", web.reranker, passages * table.pair_tokens),
    ):
        name = (setting or "").rpartition(":")[2].rpartition("/")[2].lower()
        if name in table.models:
            plan.memory[name] = machine.weights_gib(table.models[name]) + table.workspace_gib
            plan.pages[step] = machine.seconds(table.models[name].matrices, tokens)
        elif setting is not None:
            plan.not_planned.append(setting)


def add_llm(plan: BudgetPlan, system: str, machine: Machine, task: int) -> None:
    """Add the LLM, spread over all GPUs, and its rounds for a batch."""
    table = budget_table()
    model = table.models[table.llm]
    rounds = {name: one for name, one in table.rounds[system].items() if task in one.tasks}
    longest = max(one.prompt + one.samples * one.completion for one in rounds.values())
    cache_bytes = MAX_BATCH * longest * model.cache_values * machine.value_bytes
    plan.memory[table.llm] = machine.weights_gib(model) / machine.gpus + table.workspace_gib
    plan.memory["KV cache of a batch"] = cache_bytes / GIB / machine.gpus
    for name, one in rounds.items():
        prefill = machine.seconds(model.matrices, MAX_BATCH * one.prompt, machine.gpus)
        step = machine.seconds(model.parameters, MAX_BATCH * one.samples, machine.gpus)
        seconds = prefill + one.completion * (step + table.step_s)
        steps = plan.late_rounds if one.after_pages else plan.early_rounds
        steps[name] = seconds / MAX_BATCH


@app.command()
def budget(
    hardware: Annotated[str, Option(help=", ".join(budget_table().machines))] = "g4dn.12xlarge",
    system: Annotated[str, Option(help=", ".join(SYSTEMS))] = "db3",
    task: Annotated[int, Option(min=1, max=3)] = 3,
) -> int:
    """Print memory per GPU and seconds per question; the exit status is 0 if both fit, else 1."""
    if hardware not in budget_table().machines or system not in SYSTEMS:
        raise BadParameter(f"there is no {hardware!r} or no {system!r}; --help lists what there is")
    machine = budget_table().machines[hardware]
    plan = make_plan(system, machine, task)
    settings = Settings()
    allowed_s = settings.seconds_per_question * (1 - settings.retry_share)
    memory_gib = sum(plan.memory.values())
    fits = memory_gib <= machine.memory_gib and plan.seconds <= allowed_s
    echo(f"{system}, task {task}, on {hardware}\n\nmemory of the first GPU, GiB")
    for purpose, size in plan.memory.items():
        echo_line(purpose, size)
    echo_line("all", memory_gib, f"of {machine.memory_gib}")
    echo("\nseconds per question; the pages and the rounds before them run concurrently")
    for step, seconds in (plan.pages | plan.early_rounds | plan.late_rounds).items():
        echo_line(step, seconds)
    echo_line("all", plan.seconds, f"of {allowed_s:g}: 30 without the reserve for retries")
    for name in plan.not_planned:
        echo(f"not planned: {name}, which has no row in submission/budget.toml")
    verdict = "it fits" if fits else "it does not fit"
    if plan.not_planned:
        verdict += ", without what is not planned"
    echo(f"\n{verdict}")
    return 0 if fits else 1


def echo_line(name: str, value: float, note: str = "") -> None:
    """Print one line of the table."""
    echo(f"  {name:<26}{value:>9.3f}  {note}".rstrip())


main = partial(run, app, name="crag budget")

if __name__ == "__main__":
    sys.exit(main())
