"""A plan: memory and seconds together, whether they fit, and what to change where they do not."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from utils.budget.memory import Memory, memory
from utils.budget.seconds import BATCH, Stage, batch_seconds, stages
from utils.budget.tables import Hardware, System, Web

# The contest's seconds and what UserModel keeps back of them (models/settings.py).
SECONDS_A_QUESTION, MARGIN_S, RETRY_SHARE = 30.0, 2.0, 0.2

Change = Callable[[System], System]


@dataclass(frozen=True, slots=True)
class Plan:
    """What `system` takes on `hardware` for a batch of `task`."""

    system: System
    hardware: Hardware
    task: int
    memory: Memory
    stages: list[Stage]

    @property
    def seconds(self) -> float:
        """Of the batch."""
        return batch_seconds(self.stages)

    @property
    def allowed(self) -> float:
        """Seconds that the batch's first attempt has."""
        return (SECONDS_A_QUESTION * BATCH - MARGIN_S) * (1 - RETRY_SHARE)

    @property
    def lacks(self) -> list[str]:
        """What does not fit; empty where all does."""
        late = self.seconds - self.allowed
        said = [f"a batch takes {late:.0f} s more than it has"] if late > 0 else []
        early = [entry for entry in self.stages if not entry.web and not entry.after_web]
        over = batch_seconds(early) - self.allowed * self.system.first_share
        if over > 0:
            said.append(f"the first rounds take {over:.0f} s more than their share")
        return self.memory.lacks + said

    @property
    def fits(self) -> bool:
        return not self.lacks


def make_plan(system: System, hardware: Hardware, task: int) -> Plan:
    """The plan of `system`, as it is, for `task`."""
    need = memory(system, hardware)
    cache = need.tokens if system.llm else None
    return Plan(system, hardware, task, need, stages(system, hardware, task, cache_tokens=cache))


def _web(**values: object) -> Change:
    return lambda system: replace(system, web=_changed(system.web, values))


def _changed(web: Web, values: dict[str, object]) -> Web:
    known = {name: value for name, value in values.items() if getattr(web, name) is not None}
    return replace(web, **known)  # type: ignore[arg-type]


LAST = "system = 'offline', or an engine elsewhere (llm = 'openai:URL#MODEL')"
# What can be given up, the cheapest in answers first.
CHANGES: list[tuple[str, Change]] = [
    ("web.extractors = ['selectolax']", _web(extractor="selectolax")),
    ("web.lexical_cut = 16", _web(lexical_cut=16)),
    ("llms.default.memory = 0.85", lambda system: replace(system, memory=0.85)),
    ("llms.default.memory = 0.6", lambda system: replace(system, memory=0.6)),
    ("llms.default.context = 5120", lambda system: replace(system, context=5120)),
    ("web.recall_k = 20", _web(recall_k=20)),
    ("web.reranker = 'lexical'", _web(reranker=None)),
    ("a model in 4 bits (AWQ, GPTQ)", lambda system: replace(system, weight_bits=4)),
    ("web.prefilter = 'snippets', web.pages_kept = 3", _web(pages_kept=3, prefilter="snippets")),
]


def advice(plan: Plan) -> list[str]:
    """The settings to change so that `plan` fits, as few as will do; empty where it fits."""
    if plan.fits:
        return []
    for name, change in CHANGES:
        if make_plan(change(plan.system), plan.hardware, plan.task).fits:
            return [name]
    system, said = plan.system, []
    for name, change in CHANGES:
        tried = make_plan(change(system), plan.hardware, plan.task)
        before = make_plan(system, plan.hardware, plan.task)
        if _worse(tried, before):
            continue
        system = tried.system
        said.append(name)
        if tried.fits:
            return said
    return [LAST]


def _worse(tried: Plan, before: Plan) -> bool:
    """Whether a change brings nothing, or takes from memory what it gives in time."""
    if len(tried.memory.lacks) > len(before.memory.lacks):
        return True
    gained = tried.memory.cache - before.memory.cache > 0 or tried.seconds < before.seconds
    room = sum(tried.memory.beside.values()) - tried.memory.beside_room
    was = sum(before.memory.beside.values()) - before.memory.beside_room
    return not gained and room >= was
