"""Whether a system fits a machine: memory per card, seconds per batch, and what to change."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from models.settings import Settings
from models.web.settings import Extraction, Prefilter, WebSettings
from submission.budget.tables import Hardware, Model, Round, System, model, read

BATCH = 16
PAGES = {1: 5, 2: 5, 3: 50}  # per question, by task
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on the fullest card.

    Attributes:
        card: its size.
        share: the part of it that the LLM's engine may use.
        engine: what the engine uses by purpose, without its KV cache.
        beside: what embedder and reranker use by purpose.
        token: KV cache of one token.
        context: tokens of a full sequence; the engine does not start if the cache holds fewer.
    """

    card: int
    share: int
    engine: dict[str, int]
    beside: dict[str, int]
    token: int = 0
    context: int = 0

    @property
    def cache(self) -> int:
        """What is left for the KV cache; may be negative."""
        return self.share - sum(self.engine.values())

    @property
    def tokens(self) -> int:
        """Tokens that the cache holds."""
        return max(self.cache, 0) // self.token if self.token else 0

    @property
    def beside_free(self) -> int:
        """What embedder and reranker leave unused beside the engine; may be negative."""
        return self.card - self.share - sum(self.beside.values())

    @property
    def lacks(self) -> list[str]:
        """What does not fit."""
        cache = (self.token * self.context - self.cache) / GIB
        parts = {
            "the LLM's engine lacks {:.1f} GiB for one sequence of full length": cache,
            "embedder and reranker lack {:.1f} GiB beside the engine": -self.beside_free / GIB,
        }
        return [text.format(missing) for text, missing in parts.items() if missing > 0]


class Phase(StrEnum):
    """When a stage runs: the web path and the LLM's first rounds run beside each other."""

    WEB = "web"
    FIRST = "first"
    AFTER_WEB = "after web"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a batch, in seconds per question."""

    name: str
    seconds: float
    phase: Phase


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
        """Time of the batch."""
        of = phase_seconds(self.stages)
        return BATCH * (max(of[Phase.WEB], of[Phase.FIRST]) + of[Phase.AFTER_WEB])

    @property
    def allowed(self) -> float:
        """Time that the first attempt at a batch has by the default settings."""
        own = Settings()
        return (own.seconds_per_question * BATCH - own.margin_s) * (1 - own.retry_share)

    @property
    def lacks(self) -> list[str]:
        """What does not fit; empty if all does."""
        first = phase_seconds(self.stages)[Phase.FIRST] * BATCH
        parts = {
            "a batch takes {:.0f} s more than it has": self.seconds - self.allowed,
            "the first rounds take {:.0f} s more than their share": (
                first - self.allowed * self.system.first_share
            ),
        }
        late = [text.format(seconds) for text, seconds in parts.items() if seconds > 0]
        return self.memory.lacks + late


def make_plan(system: System, hardware: Hardware, task: int) -> Plan:
    """The plan of `system`, as it is, for `task`."""
    need = memory(system, hardware)
    return Plan(system, hardware, task, need, stages(system, hardware, task, need.tokens))


def memory(system: System, hardware: Hardware) -> Memory:
    """What `system` takes of each card of `hardware`, or of a machine's memory without GPUs."""
    card, value = int(hardware.memory_gib * GIB), hardware.value_bytes
    workspace = int(hardware.workspace_gib * GIB)
    beside: dict[str, int] = {}
    for ranking, tokens in ranking_models(system.web):
        beside[ranking.name] = ranking.parameters * value
        beside[f"{ranking.name}, buffers"] = _buffers(ranking, tokens, value)
    if beside:  # on the first card: our own process, and the reranker's if there are several cards
        beside["workspace"] = workspace * (2 if len(beside) == 4 and hardware.gpus > 1 else 1)
    if system.llm is None:
        return Memory(card, 0, {}, beside)
    llm = model(system.llm)
    weights = llm.parameters * value
    if system.weight_bits < 16:  # the layers in few bits, with a scale of 2 bytes per 128 weights
        tables = llm.parameters - llm.matrices
        weights = tables * 2 + llm.matrices * system.weight_bits // 8 + llm.matrices // 128 * 2
    slots = system.adapters + 1 if system.adapters else 0  # docs/engines.md says why one more
    engine = {
        "weights": weights // hardware.cards,
        "adapters": slots * system.rank * llm.lora * value,  # whole on every card
        "buffers": _buffers(llm, read("costs")["engine"]["batch_tokens"], value),
        "workspace": workspace,
    }
    token = llm.cache_values * value // hardware.cards
    return Memory(card, int(card * system.memory), engine, beside, token, system.context)


def _buffers(of: Model, tokens: int, value: int) -> int:
    """Working memory of a layer: its input, output, queries, keys, values, and the widest part."""
    return tokens * (5 * of.hidden + 2 * of.widest) * value


def ranking_models(web: WebSettings) -> Iterator[tuple[Model, int]]:
    """The embedder and the reranker, if there are, each with the tokens that it reads at once."""
    costs = read("costs")["ranking"]
    if web.embedder:
        yield model(web.embedder), costs["embedded_at_once"] * costs["embedded_tokens"]
    if web.reranker and ":" in web.reranker:
        yield model(web.reranker), costs["reranked_at_once"] * web.max_length


def phase_seconds(stages: list[Stage]) -> dict[Phase, float]:
    """Seconds per question of each phase."""
    return {phase: sum(s.seconds for s in stages if s.phase is phase) for phase in Phase}


def stages(system: System, hardware: Hardware, task: int, cache_tokens: int = 0) -> list[Stage]:
    """The stages of a batch; `cache_tokens`: what the KV cache holds, 0 if it is unlimited."""
    found = web_stages(system.web, hardware, PAGES[task])
    for entry in system.rounds:
        if task in entry.tasks:
            seconds = _round(system, hardware, entry, cache_tokens) / BATCH
            phase = Phase.AFTER_WEB if entry.after_web else Phase.FIRST
            found.append(Stage(entry.name, seconds, phase))
    return found


def web_stages(web: WebSettings, hardware: Hardware, pages: int) -> list[Stage]:
    """The web path of one question: pages are read on one core, its models run on the cards."""
    costs = read("costs")
    about, core, call = costs["pages"], hardware.core_speed, costs["ranking"]["call_s"]
    kept = min(pages, web.pages_kept) if web.prefilter != Prefilter.NONE else pages
    text = kept * about["text_chars"]
    children = text / about["child_chars"]

    def encode(name: str, texts: float, tokens: float, cards: int | None = None) -> float:
        work = model(name).flops(int(texts * tokens), int(tokens))
        return float(call + hardware.seconds(work, cards=cards))

    reranker = web.reranker if web.reranker and ":" in web.reranker else None
    found = {}
    if reranker and kept < pages:
        tokens = about["snippet_tokens"] + about["query_tokens"]
        found["prefilter"] = encode(reranker, pages, tokens)
    extraction = costs["extract_ns"][web.extractors[0]]
    found["extract"] = kept * about["html_chars"] * extraction * 1e-9 / core
    found["chunk"] = text * costs["chunk_ns"][web.chunking] * 1e-9 / core
    found["lexical"] = children * about["lexical_us"] * 1e-6 / core
    if web.embedder:
        embedded = min(children, web.lexical_cut or children)
        tokens = about["child_chars"] / about["chars_a_token"] + 4
        found["embed"] = encode(web.embedder, embedded + 1, tokens, cards=1)
    if reranker:
        passages = min(web.recall_k, text / about["parent_chars"])
        tokens = about["parent_chars"] / about["chars_a_token"] + about["query_tokens"] + 4
        found["rerank"] = encode(reranker, passages, min(tokens, web.max_length))
    return [Stage(name, seconds, Phase.WEB) for name, seconds in found.items()]


def _round(system: System, hardware: Hardware, entry: Round, cache_tokens: int) -> float:
    """Seconds of one round over the batch, in turns if the KV cache does not hold it at once."""
    assert system.llm is not None
    llm, cards, value = model(system.llm), hardware.cards, hardware.value_bytes
    rows = BATCH * entry.samples
    tokens = entry.shared + BATCH * (entry.prompt - entry.shared)
    held = rows * (entry.prompt + entry.completion)
    turns = max(1.0, held / cache_tokens) if cache_tokens else 1.0
    active = llm.matrices + llm.output
    weights = active * value * system.weight_bits / 16
    cached = llm.cache_values * int(held / turns) * value
    prefill = hardware.seconds(llm.flops(int(tokens), entry.prompt))
    step = hardware.seconds(2.0 * active * rows / turns, weights + cached)
    step += float(read("costs")["engine"]["step_s"])
    if cards > 1:  # two all-reduces per layer
        sent = 2 * llm.layers * llm.hidden * value * 2 * (cards - 1) / cards  # bytes per token
        prefill += tokens * sent / (hardware.link_gbs * 1e9)
        step += 2 * llm.layers * hardware.link_us * 1e-6
    return prefill + turns * entry.completion * step


def _web(**values: Any) -> Callable[[System], System]:
    """A change of the web path; a model that is not used stays unused."""

    def change(system: System) -> System:
        used = {name: v for name, v in values.items() if getattr(system.web, name) is not None}
        return replace(system, web=replace(system.web, **used))

    return change


# What can be given up, in the order of what it costs in answers.
CHANGES: dict[str, Callable[[System], System]] = {
    "web.extractors = ['selectolax']": _web(extractors=(Extraction.SELECTOLAX,)),
    "web.lexical_cut = 16": _web(lexical_cut=16),
    "llms.default.memory = 0.85": lambda system: replace(system, memory=0.85),
    "llms.default.memory = 0.6": lambda system: replace(system, memory=0.6),
    "llms.default.context = 5120": lambda system: replace(system, context=5120),
    "web.recall_k = 20": _web(recall_k=20),
    "web.reranker = 'lexical'": _web(reranker="lexical"),
    "a model in 4 bits (AWQ, GPTQ)": lambda system: replace(system, weight_bits=4),
    "web.prefilter = 'snippets', web.pages_kept = 3": _web(
        prefilter=Prefilter.SNIPPETS, pages_kept=3
    ),
}
LAST = "system = 'offline', or an engine elsewhere (llm = 'openai:URL#MODEL')"


def advice(plan: Plan) -> list[str]:
    """The settings to change so that `plan` fits: one if one is enough; empty if it fits."""
    if not plan.lacks:
        return []
    said = []
    for name, change in CHANGES.items():
        if not make_plan(change(plan.system), plan.hardware, plan.task).lacks:
            return [name]
    for name, change in CHANGES.items():
        tried = make_plan(change(plan.system), plan.hardware, plan.task)
        if _helps(tried, plan):
            plan = tried
            said.append(name)
            if not plan.lacks:
                return said
    return [LAST]


def _helps(tried: Plan, before: Plan) -> bool:
    """Whether a change gains memory or time, and nothing more stops fitting into memory."""
    new, old = tried.memory, before.memory
    gains = new.cache > old.cache or new.beside_free > old.beside_free
    return len(new.lacks) <= len(old.lacks) and (gains or tried.seconds < before.seconds)
