"""Seconds a question by stage, for a batch, from counted operations and bytes."""

from dataclasses import dataclass

from utils.budget.count import HALF, SINGLE
from utils.budget.tables import Hardware, Round, System, costs, shape

BATCH = 16
PAGES = {1: 5, 2: 5, 3: 50}  # that a task gives
STEP_S = 0.003  # a decoding step's work around the model: scheduling, sampling, constraints
CALL_S = 0.01  # a call of an embedder or reranker, tokenising in it


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a batch: seconds a question; `web`: a stage of the web path."""

    name: str
    seconds: float
    web: bool = False
    after_web: bool = False


def stages(
    system: System,
    hardware: Hardware,
    task: int,
    *,
    dtype: str = "float32",
    pages: float | None = None,
    cache_tokens: int | None = None,
) -> list[Stage]:
    """The stages of `system` for a batch of 16 questions of `task`.

    Args:
        dtype: of an embedder and reranker on a CPU.
        pages: of a question; None: as many as the task gives.
        cache_tokens: that the KV cache holds; None: as many as are asked for.
    """
    found = web_stages(system, hardware, pages or PAGES[task], dtype)
    for entry in system.asked(task):
        seconds = _round(system, hardware, entry, cache_tokens)
        found.append(Stage(entry.name, seconds / BATCH, after_web=entry.after_web))
    return found


def batch_seconds(found: list[Stage]) -> float:
    """Of the whole batch: the web path runs beside the LLM's rounds that do not wait for it."""
    web = sum(stage.seconds for stage in found if stage.web)
    before = sum(stage.seconds for stage in found if not stage.web and not stage.after_web)
    after = sum(stage.seconds for stage in found if stage.after_web)
    return BATCH * (max(web, before) + after)


def web_stages(system: System, hardware: Hardware, pages: float, dtype: str) -> list[Stage]:
    """The web path of one question, one after the other on one core, its models on the cards."""
    web, table = system.web, costs()
    about = table["pages"]
    read = min(pages, web.pages_kept) if web.prefilter != "none" else pages
    text = read * about["text_chars"]
    children = text / about["child_chars"]
    core = hardware.core_speed
    found = []
    if web.prefilter != "none" and web.reranker and read < pages:
        tokens = about["snippet_tokens"] + about["query_tokens"]
        found.append(("prefilter", _encode(web.reranker, pages, tokens, hardware, dtype)))
    html = read * about["html_chars"] * 1e-9
    found.append(("extract", html * table["extract_ns"][web.extractor] / core))
    found.append(("chunk", text * 1e-9 * table["chunk_ns"][web.chunking] / core))
    found.append(("lexical", children * about["lexical_us"] * 1e-6 / core))
    if web.embedder:
        embedded = min(children, web.lexical_cut) if web.lexical_cut else children
        tokens = about["child_chars"] / about["chars_a_token"] + 4
        seconds = _encode(web.embedder, embedded + 1, tokens, hardware, dtype, cards=1)
        found.append(("embed", seconds))
    if web.reranker:
        passages = min(web.recall_k, text / about["parent_chars"])
        tokens = about["parent_chars"] / about["chars_a_token"] + about["query_tokens"] + 4
        tokens = min(tokens, web.max_length)
        found.append(("rerank", _encode(web.reranker, passages, tokens, hardware, dtype)))
    return [Stage(name, seconds, web=True) for name, seconds in found]


def _encode(
    name: str, texts: float, tokens: float, hardware: Hardware, dtype: str, cards: int | None = None
) -> float:
    """Seconds to read so many texts, on all cards or on `cards` of them."""
    work = shape(name).flops(int(texts * tokens), int(tokens))
    faster = 1.0 if hardware.gpus else costs()["dtype"][dtype]
    return CALL_S + work / (hardware.flops * faster * (cards or hardware.cards))


def _round(system: System, hardware: Hardware, entry: Round, cache_tokens: int | None) -> float:
    """Seconds of one round over the batch; in turns where the KV cache does not hold it whole."""
    assert system.llm is not None
    llm, cards = shape(system.llm), hardware.cards
    each = HALF if hardware.gpus else SINGLE
    rows = BATCH * entry.asked * entry.samples
    read = entry.shared + BATCH * entry.asked * (entry.prompt - entry.shared)
    between = 2 * (cards - 1) / cards * 2 * llm.layers * llm.hidden * each  # bytes a token
    prefill = llm.flops(int(read), entry.prompt) / (hardware.flops * cards)
    prefill += read * between / (hardware.link_gbs * 1e9) if cards > 1 else 0.0
    held = rows * (entry.prompt + entry.completion)
    turns = max(1.0, held / cache_tokens) if cache_tokens else 1.0
    layers = llm.block_parameters + llm.output_parameters
    weights = layers * each * system.weight_bits / 16
    cached = llm.cache_bytes(int(held / turns), each)
    reading = (weights + cached) / (hardware.bandwidth * cards)
    reckoning = 2.0 * layers * rows / turns / (hardware.flops * cards)
    waiting = 2 * llm.layers * hardware.link_us * 1e-6 if cards > 1 else 0.0
    return prefill + turns * entry.completion * (max(reading, reckoning) + waiting + STEP_S)
