"""Whether a system fits a machine: memory per card, seconds per batch, and what to change.

One formula, `Hardware.seconds`, turns arithmetic and reads of memory into seconds. Every figure is
a row of a table in this folder, which names its source.
"""

from dataclasses import dataclass
from functools import reduce
from itertools import combinations

from models.settings import Settings
from models.web.settings import Prefilter, WebSettings
from submission.budget.tables import Hardware, ModelSizes, Round, SystemSteps, model, read

BATCH = 16
PAGES = {1: 5, 2: 5, 3: 50}  # per question, by task
GIB = 1 << 30
CACHE = "KV cache"
LAST = "system = 'offline', or an engine elsewhere (llm = 'openai:URL#MODEL')"


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """What a system takes of a machine for a batch of a task."""

    engine: dict[str, int]  # bytes of its share of each card by purpose; `CACHE` may be negative
    tokens: int  # those that the KV cache holds
    beside: dict[str, int]  # bytes of embedder and reranker on the first card by purpose
    web: dict[str, float]  # seconds per question by stage
    rounds: dict[Round, float]  # seconds per question
    seconds: float  # of the batch; the web path and the first rounds run concurrently
    allowed: float  # seconds that the first attempt at a batch has by the default settings
    lacks: list[str]  # what does not fit; empty if all does


def make_plan(system: SystemSteps, hardware: Hardware, task: int) -> BudgetPlan:
    """The plan of `system`, as it is, on `hardware` for `task`."""
    beside = ranking_memory(system.web, hardware)
    web = web_seconds(system.web, hardware, PAGES[task])
    engine: dict[str, int] = {}
    rounds: dict[Round, float] = {}
    tokens = short = 0
    if llm := model(system.llm):
        engine = engine_memory(llm, system, hardware)
        token = llm.cache_values * hardware.value_bytes // hardware.cards
        tokens = max(engine[CACHE], 0) // token
        short = token * system.context - engine[CACHE]
        due = (entry for entry in system.rounds if task in entry.tasks)
        rounds = {entry: round_seconds(llm, system, hardware, entry, tokens) for entry in due}
    first = BATCH * sum(took for entry, took in rounds.items() if not entry.after_web)
    seconds = max(BATCH * sum(web.values()), first) + BATCH * sum(rounds.values()) - first
    own = Settings()
    allowed = (own.seconds_per_question * BATCH - own.margin_s) * (1 - own.retry_share)
    late = first - allowed * system.first_share
    over = sum(engine.values()) + sum(beside.values()) - int(hardware.memory_gib * GIB)
    missing = {
        "the LLM's engine lacks {:.1f} GiB for one sequence of full length": short / GIB,
        "embedder and reranker lack {:.1f} GiB beside the engine": over / GIB,
        "a batch takes {:.0f} s more than it has": seconds - allowed,
        "the first rounds take {:.0f} s more than their share": late,
    }
    lacks = [text.format(amount) for text, amount in missing.items() if amount > 0]
    return BudgetPlan(engine, tokens, beside, web, rounds, seconds, allowed, lacks)


def engine_memory(llm: ModelSizes, system: SystemSteps, hardware: Hardware) -> dict[str, int]:
    """Bytes of the LLM's engine on each card by purpose; the KV cache gets what is left."""
    weights = llm.parameters * hardware.value_bytes
    if system.weight_bits < 16:  # the layers in few bits, with a scale of 2 bytes per 128 weights
        tables = llm.parameters - llm.matrices
        weights = tables * 2 + llm.matrices * system.weight_bits // 8 + llm.matrices // 128 * 2
    slots = system.adapters + 1 if system.adapters else 0  # docs/engines.md says why one more
    found = {
        "weights": weights // hardware.cards,
        "adapters": slots * system.rank * llm.lora * hardware.value_bytes,  # whole on every card
        "buffers": llm.buffers(read("costs")["engine"]["batch_tokens"]) * hardware.value_bytes,
        "workspace": int(hardware.workspace_gib * GIB),
    }
    return found | {CACHE: int(hardware.memory_gib * GIB * system.memory) - sum(found.values())}


def ranking_memory(web: WebSettings, hardware: Hardware) -> dict[str, int]:
    """Bytes of embedder and reranker on the first card by purpose."""
    costs, found = read("costs")["ranking"], {}
    for used, tokens in (
        (model(web.embedder), costs["embedded_at_once"] * costs["embedded_tokens"]),
        (model(web.reranker), costs["reranked_at_once"] * web.max_length),
    ):
        if used:
            found[used.name] = used.parameters * hardware.value_bytes
            found[f"{used.name}, buffers"] = used.buffers(tokens) * hardware.value_bytes
    if found:  # our own process, and the reranker's if there are several cards
        processes = 2 if len(found) == 4 and hardware.cards > 1 else 1
        found["workspace"] = int(hardware.workspace_gib * GIB) * processes
    return found


def web_seconds(web: WebSettings, hardware: Hardware, pages: int) -> dict[str, float]:
    """Seconds of one question by stage: pages are read on one core, models run on the cards."""
    costs, size = read("costs"), read("costs")["pages"]
    kept = min(pages, web.pages_kept) if web.prefilter != Prefilter.NONE else pages
    text = kept * size["text_chars"]
    children, passages = text / size["child_chars"], text / size["parent_chars"]

    def encode(used: ModelSizes | None, texts: float, tokens: float, cards: int) -> float:
        if used is None or not texts:
            return 0.0
        work = used.flops(int(texts * tokens), int(tokens))
        return float(costs["ranking"]["call_s"] + hardware.seconds(work) / cards)

    query, reranker = size["query_tokens"], model(web.reranker)
    child = size["child_chars"] / size["chars_a_token"] + 4  # tokens; `pair`: query and passage
    pair = min(size["parent_chars"] / size["chars_a_token"] + query + 4, web.max_length)
    embedded = min(children, web.lexical_cut or children) + 1
    filtered = pages if kept < pages else 0  # by their snippets
    found = {
        "prefilter": encode(reranker, filtered, size["snippet_tokens"] + query, hardware.cards),
        "extract": kept * size["html_chars"] * costs["extract_ns"][web.extractors[0]] * 1e-9,
        "chunk": text * costs["chunk_ns"][web.chunking] * 1e-9,
        "lexical": children * size["lexical_ns"] * 1e-9,
        "embed": encode(model(web.embedder), embedded, child, 1),
        "rerank": encode(reranker, min(passages, web.recall_k), pair, hardware.cards),
    }
    return {stage: seconds for stage, seconds in found.items() if seconds}


def round_seconds(
    llm: ModelSizes, system: SystemSteps, hardware: Hardware, entry: Round, cache_tokens: int
) -> float:
    """Seconds per question of a round, in turns if the KV cache does not hold the batch at once."""
    cards, value = hardware.cards, hardware.value_bytes
    rows = BATCH * entry.samples
    tokens = entry.shared + BATCH * (entry.prompt - entry.shared)
    held = rows * (entry.prompt + entry.completion)
    turns = max(1.0, held / cache_tokens) if cache_tokens else 1.0
    active = llm.matrices + llm.output
    weights = active * value * system.weight_bits / 16
    cached = llm.cache_values * int(held / turns) * value
    prefill = hardware.seconds(llm.flops(tokens, entry.prompt)) / cards
    step = hardware.seconds(2.0 * active * rows / turns, weights + cached) / cards
    step += float(read("costs")["engine"]["step_s"])
    if cards > 1:  # two all-reduces per layer
        sent = 2 * llm.layers * llm.hidden * value * 2 * (cards - 1) / cards  # bytes per token
        prefill += tokens * sent / (hardware.link_gbs * 1e9)
        step += 2 * llm.layers * hardware.link_us * 1e-6
    return (prefill + turns * entry.completion * step) / BATCH


def advice(system: SystemSteps, hardware: Hardware, task: int) -> list[str]:
    """The fewest rows of changes.toml by which `system` fits; `LAST` if no row helps."""
    changes = read("changes")
    for count in range(1, len(changes) + 1):
        for chosen in combinations(changes, count):
            changed = reduce(SystemSteps.changed, chosen, system)
            if not make_plan(changed, hardware, task).lacks:
                return list(chosen)
    return [LAST]
