"""Whether a system fits a machine: memory per card, seconds per batch, and what to change.

Arithmetic and reads of memory are turned into seconds by one formula, `Hardware.seconds`. Every
figure is a row of a table in this folder, which names its source.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Literal

from models.settings import Settings
from models.web.settings import Prefilter, WebSettings
from submission.budget.tables import Hardware, ModelSizes, Round, SystemSteps, model, read

BATCH = 16
PAGES = {1: 5, 2: 5, 3: 50}  # per question, by task
GIB = 1 << 30
LAST = "system = 'offline', or an engine elsewhere (llm = 'openai:URL#MODEL')"
# When a stage runs: the web path and the LLM's first rounds run concurrently.
Phase = Literal["web", "first", "after web"]


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
    def lacks(self) -> list[str]:
        """What does not fit."""
        cache = self.token * self.context - self.cache
        beside = sum(self.beside.values()) - (self.card - self.share)
        return _missing({
            "the LLM's engine lacks {:.1f} GiB for one sequence of full length": cache / GIB,
            "embedder and reranker lack {:.1f} GiB beside the engine": beside / GIB,
        })  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a batch, in seconds per question."""

    name: str
    seconds: float
    phase: Phase


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """What `system` takes on `hardware` for a batch of `task`."""

    system: SystemSteps
    hardware: Hardware
    task: int
    memory: Memory
    stages: list[Stage]

    def phase_seconds(self, phase: Phase) -> float:
        """Seconds of the batch in the stages of `phase`."""
        return BATCH * sum(stage.seconds for stage in self.stages if stage.phase == phase)

    @property
    def seconds(self) -> float:
        """Time of the batch."""
        before = max(self.phase_seconds("web"), self.phase_seconds("first"))
        return before + self.phase_seconds("after web")

    @property
    def allowed(self) -> float:
        """Time that the first attempt at a batch has by the default settings."""
        own = Settings()
        return (own.seconds_per_question * BATCH - own.margin_s) * (1 - own.retry_share)

    @property
    def lacks(self) -> list[str]:
        """What does not fit; empty if all does."""
        first = self.phase_seconds("first") - self.allowed * self.system.first_share
        return self.memory.lacks + _missing({
            "a batch takes {:.0f} s more than it has": self.seconds - self.allowed,
            "the first rounds take {:.0f} s more than their share": first,
        })  # fmt: skip


def _missing(amounts: Mapping[str, float]) -> list[str]:
    """The sentences whose amounts are positive, each with its amount."""
    return [text.format(amount) for text, amount in amounts.items() if amount > 0]


def make_plan(system: SystemSteps, hardware: Hardware, task: int) -> BudgetPlan:
    """The plan of `system`, as it is, for `task`."""
    need = memory(system, hardware)
    found = web_stages(system.web, hardware, PAGES[task])
    for entry in system.rounds:
        if task in entry.tasks:
            seconds = round_seconds(system, hardware, entry, need.tokens) / BATCH
            found.append(Stage(entry.name, seconds, "after web" if entry.after_web else "first"))
    return BudgetPlan(system, hardware, task, need, found)


def memory(system: SystemSteps, hardware: Hardware) -> Memory:
    """What `system` takes of each card of `hardware`, or of a machine's memory without GPUs."""
    card, value = int(hardware.memory_gib * GIB), hardware.value_bytes
    workspace = int(hardware.workspace_gib * GIB)
    beside: dict[str, int] = {}
    for ranking, tokens in _ranking_models(system.web):
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


def _buffers(of: ModelSizes, tokens: int, value: int) -> int:
    """Working memory of a layer: its input, output, queries, keys, values, and the widest part."""
    return tokens * (5 * of.hidden + 2 * of.widest) * value


def _ranking_models(web: WebSettings) -> Iterator[tuple[ModelSizes, int]]:
    """The embedder and the reranker, if there are, each with the tokens that it reads at once."""
    costs = read("costs")["ranking"]
    if web.embedder:
        yield model(web.embedder), costs["embedded_at_once"] * costs["embedded_tokens"]
    if web.reranker and ":" in web.reranker:
        yield model(web.reranker), costs["reranked_at_once"] * web.max_length


def web_stages(web: WebSettings, hardware: Hardware, pages: int) -> list[Stage]:
    """The web path of one question: pages are read on one core, its models run on the cards."""
    costs = read("costs")
    about, call = costs["pages"], costs["ranking"]["call_s"]
    kept = min(pages, web.pages_kept) if web.prefilter != Prefilter.NONE else pages
    text = kept * about["text_chars"]
    children = text / about["child_chars"]

    def on_core(times: float, nanoseconds: float) -> float:
        return times * nanoseconds * 1e-9 / hardware.core_speed

    def encode(name: str, texts: float, tokens: float, cards: int | None = None) -> float:
        work = model(name).flops(int(texts * tokens), int(tokens))
        return float(call + hardware.seconds(work, cards=cards))

    reranker = web.reranker if web.reranker and ":" in web.reranker else None
    found = {}
    if reranker and kept < pages:
        tokens = about["snippet_tokens"] + about["query_tokens"]
        found["prefilter"] = encode(reranker, pages, tokens)
    extraction = costs["extract_ns"][web.extractors[0]]
    found["extract"] = on_core(kept * about["html_chars"], extraction)
    found["chunk"] = on_core(text, costs["chunk_ns"][web.chunking])
    found["lexical"] = on_core(children, about["lexical_ns"])
    if web.embedder:
        embedded = min(children, web.lexical_cut or children)
        tokens = about["child_chars"] / about["chars_a_token"] + 4
        found["embed"] = encode(web.embedder, embedded + 1, tokens, cards=1)
    if reranker:
        passages = min(web.recall_k, text / about["parent_chars"])
        tokens = about["parent_chars"] / about["chars_a_token"] + about["query_tokens"] + 4
        found["rerank"] = encode(reranker, passages, min(tokens, web.max_length))
    return [Stage(name, seconds, "web") for name, seconds in found.items()]


def round_seconds(
    system: SystemSteps, hardware: Hardware, entry: Round, cache_tokens: int
) -> float:
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


def advice(plan: BudgetPlan) -> list[str]:
    """The fewest rows of changes.toml by which `plan` fits, empty if it fits, `LAST` if no
    row helps."""
    changes = read("changes")
    for count in range(len(changes) + 1):
        for chosen in combinations(changes, count):
            changed = reduce(SystemSteps.changed, chosen, plan.system)
            if not make_plan(changed, plan.hardware, plan.task).lacks:
                return list(chosen)
    return [LAST]
