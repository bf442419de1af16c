"""Memory a card: what the LLM's engine takes of its share, and what lies beside it."""

from dataclasses import dataclass

from utils.budget.count import HALF, SINGLE
from utils.budget.tables import GIB, Hardware, System, shape

BATCH_TOKENS = 8192  # that the engine reads at once: they are in the layers' buffers together
RERANKED_AT_ONCE = 32  # pairs (models/ranking/rerankers.py)
EMBEDDED_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on the fullest card, and whether they are there.

    Attributes:
        card: what it has.
        engine: the LLM's engine by part: weights, adapters, buffers, workspace; without its cache.
        cache: what is left to the KV cache of the engine's share of the card; may be negative.
        cache_a_token: that one token takes of it.
        cache_needed: that one sequence of full length takes: less, and the engine does not start.
        beside: embedder, reranker, their buffers and workspace, by part.
        beside_room: what the engine's share leaves to them.
    """

    card: int
    engine: dict[str, int]
    cache: int
    cache_a_token: int
    cache_needed: int
    beside: dict[str, int]
    beside_room: int

    @property
    def tokens(self) -> int:
        """That the cache holds."""
        return max(self.cache, 0) // self.cache_a_token if self.cache_a_token else 0

    @property
    def lacks(self) -> list[str]:
        """What does not fit, in words; empty where all does."""
        found = []
        if self.cache < self.cache_needed:
            over = (self.cache_needed - self.cache) / GIB
            found.append(f"the LLM's engine lacks {over:.1f} GiB for one sequence of full length")
        beside = sum(self.beside.values())
        if beside > self.beside_room:
            over = (beside - self.beside_room) / GIB
            found.append(f"embedder and reranker lack {over:.1f} GiB beside the engine")
        return found


def memory(system: System, hardware: Hardware) -> Memory:
    """What `system` takes of each card of `hardware`; of the machine's memory without a GPU."""
    card = hardware.memory_bytes
    each = HALF if hardware.gpus else SINGLE
    workspace = int(hardware.workspace_gib * GIB)
    beside = _beside(system, hardware, each)
    if system.llm is None:
        return Memory(card, {}, 0, 0, 0, beside, card)
    llm, cards = shape(system.llm), hardware.cards
    weights = llm.bytes(each) if system.weight_bits == 16 else _quantised(system)
    slot = llm.lora_parameters(system.rank) * each
    engine = {
        "weights": weights // cards,
        # One slot more than adapters (docs/engines.md); not divided: their first halves are whole
        # on every card.
        "adapters": slot * (system.adapters + 1) if system.adapters else 0,
        "buffers": _buffers(BATCH_TOKENS, llm.hidden, llm.linear["gate_proj"][1], each),
        "workspace": workspace,
    }
    share = int(card * system.memory)
    a_token = llm.cache_bytes(1, each) // cards
    return Memory(
        card=card,
        engine=engine,
        cache=share - sum(engine.values()),
        cache_a_token=a_token,
        cache_needed=a_token * system.context,
        beside=beside,
        beside_room=card - share,
    )


def _beside(system: System, hardware: Hardware, each: int) -> dict[str, int]:
    """On the first card: our own process is there, and the reranker's, one a card if several."""
    web, found = system.web, {}
    processes = 2 if web.embedder and web.reranker and hardware.gpus > 1 else 1
    workspace = processes * int(hardware.workspace_gib * GIB)
    for name, at_once, tokens in (
        (web.embedder, EMBEDDED_AT_ONCE, 64),
        (web.reranker, RERANKED_AT_ONCE, web.max_length),
    ):
        if name is not None:
            model = shape(name)
            inner = max(out for _, out in model.linear.values())
            found[name] = model.bytes(each)
            found[f"{name}, buffers"] = _buffers(at_once * tokens, model.hidden, inner, each)
    return found | {"workspace": workspace} if found else {}


def _buffers(tokens: int, hidden: int, inner: int, each: int) -> int:
    """What one layer's work holds at once: its input and output, queries, keys and values, and the
    wide layer's two sides."""
    return tokens * (5 * hidden + 2 * inner) * each


def _quantised(system: System) -> int:
    """Weights of the layers in few bits with a half-precision scale per 128; tables stay half."""
    assert system.llm is not None
    llm = shape(system.llm)
    block = llm.block_parameters * system.weight_bits // 8 + llm.block_parameters // 128 * HALF
    return block + (llm.parameters - llm.block_parameters) * HALF
