"""Parameters, caches and operations of a model, counted from its config.json."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from utils.errors import SettingsError

Config = Mapping[str, Any]
HALF, SINGLE = 2, 4  # bytes a value
LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a model is counted.

    Attributes:
        parameters: all of them, as they lie in memory (a tied matrix once).
        block_parameters: those of the layers' matrices, through which every token goes.
        output_parameters: those of the matrix that gives a token's logits; 0: an encoder.
        layers, hidden: of the model.
        cache_values: keys and values that a token leaves in the cache, in all layers.
        linear: (inputs, outputs) of a layer's matrices by name, where adapters can go.
    """

    parameters: int
    block_parameters: int
    output_parameters: int
    layers: int
    hidden: int
    cache_values: int
    linear: Mapping[str, tuple[int, int]]

    def bytes(self, each: int = HALF) -> int:
        return self.parameters * each

    def cache_bytes(self, tokens: int, each: int = HALF) -> int:
        """The KV cache of so many tokens."""
        return self.cache_values * tokens * each

    def lora_parameters(self, rank: int, targets: Sequence[str] = LINEAR) -> int:
        """Of one adapter of that rank on the `targets` of every layer."""
        sides = [self.linear[name] for name in targets if name in self.linear]
        return self.layers * rank * sum(into + out for into, out in sides)

    def flops(self, tokens: int, length: int) -> float:
        """Operations to read `tokens` in sequences of `length`: matrices, and attention's scores.

        Two a weight and token; attention compares each token with, on average, half of those in a
        causal sequence, with all of them in an encoder, twice (scores, then values).
        """
        seen = length / 2 if self.cache_values else length
        return tokens * (2.0 * self.block_parameters + 4.0 * self.layers * self.hidden * seen)


def shape_of(config: Config) -> Shape:
    """The shape of a Llama, BERT, XLM-RoBERTa or T5 encoder. Raises SettingsError."""
    kind = config.get("model_type")
    if kind == "llama":
        return _llama(config)
    if kind in ("bert", "xlm-roberta"):
        return _bert(config)
    if kind == "t5":
        return _t5_encoder(config)
    raise SettingsError(f"no model of type {kind!r} can be counted")


def _llama(config: Config) -> Shape:
    hidden, layers = config["hidden_size"], config["num_hidden_layers"]
    heads, inner = config["num_attention_heads"], config["intermediate_size"]
    width = config.get("head_dim") or hidden // heads
    keys = (config.get("num_key_value_heads") or heads) * width
    linear = {
        "q_proj": (hidden, heads * width),
        "k_proj": (hidden, keys),
        "v_proj": (hidden, keys),
        "o_proj": (heads * width, hidden),
        "gate_proj": (hidden, inner),
        "up_proj": (hidden, inner),
        "down_proj": (inner, hidden),
    }
    block = layers * sum(into * out for into, out in linear.values())
    table = config["vocab_size"] * hidden
    tables = table if config.get("tie_word_embeddings") else 2 * table
    norms = 2 * hidden * layers + hidden
    return Shape(
        block + tables + norms, block, table, layers, hidden, 2 * layers * keys, linear
    )  # fmt: skip


def _bert(config: Config) -> Shape:
    """With its pooler, or with a head of `classes`, of which XLM-RoBERTa's has a layer as large."""
    hidden, layers = config["hidden_size"], config["num_hidden_layers"]
    inner = config["intermediate_size"]
    linear = {
        "query": (hidden, hidden),
        "key": (hidden, hidden),
        "value": (hidden, hidden),
        "output": (hidden, hidden),
        "intermediate": (hidden, inner),
        "down": (inner, hidden),
    }
    block = layers * sum(into * out for into, out in linear.values())
    biases = layers * sum(out for _, out in linear.values())
    norms = layers * 4 * hidden + 2 * hidden
    rows = config["vocab_size"] + config["max_position_embeddings"] + config["type_vocab_size"]
    square = hidden * hidden + hidden  # the pooler, or the head's own layer
    classes = config.get("classes", 0)
    total = block + biases + norms + rows * hidden + square + classes * (hidden + 1)
    return Shape(total, block, 0, layers, hidden, 0, linear)


def _t5_encoder(config: Config) -> Shape:
    hidden, layers = config["d_model"], config["num_layers"]
    width = config["num_heads"] * config["d_kv"]
    inner = config["d_ff"]
    linear = {
        "q": (hidden, width),
        "k": (hidden, width),
        "v": (hidden, width),
        "o": (width, hidden),
        "wi": (hidden, inner),
        "wo": (inner, hidden),
    }
    block = layers * sum(into * out for into, out in linear.values())
    bias = config["relative_attention_num_buckets"] * config["num_heads"]
    norms = 2 * hidden * layers + hidden
    total = block + bias + norms + config["vocab_size"] * hidden
    return Shape(total, block, 0, layers, hidden, 0, linear)
