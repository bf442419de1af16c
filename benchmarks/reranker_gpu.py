"""Speed of a reranker of bge-reranker-v2-m3's shape, with random weights, in half precision.

The weights are made on the GPU (nothing is downloaded or saved). Each pair has 512 tokens, the most
that db3's web path gives the reranker. The last line says how long all children of 50 pages take.
`--size tiny` runs the same on a CPU in seconds.
"""

import sys
import time
from typing import Any, Literal

from benchmarks._command import command
from utils.cli import FAILED
from utils.packages import training_package

# XLM-RoBERTa large, as in the config.json of bge-reranker-v2-m3.
SIZES: dict[str, dict[str, int]] = {
    "bge": {
        "vocab_size": 250002,
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
    },
    "tiny": {
        "vocab_size": 512,
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 128,
    },
}
TOKENS = 512  # of a pair
BATCHES = (1, 32, 128)  # pairs; models/ranking/rerankers.py takes 32
REPEATS = 10
PASSAGES = 50 * 22  # of a question of task 3: submission/budget.toml has 22 passages per page


@command
def main(size: Literal["bge", "tiny"] = "bge") -> int:
    torch = training_package("torch")
    cuda = torch.cuda.is_available()
    if not cuda and size != "tiny":
        print("no CUDA device here; --size tiny runs on a CPU", file=sys.stderr)
        return FAILED
    transformers = training_package("transformers")
    config = transformers.XLMRobertaConfig(
        max_position_embeddings=TOKENS + 2, num_labels=1, **SIZES[size]
    )
    torch.manual_seed(0)
    with torch.device("cuda" if cuda else "cpu"):
        model = transformers.AutoModelForSequenceClassification.from_config(
            config, dtype=torch.half
        ).eval()
    weights = sum(parameter.numel() for parameter in model.parameters()) / 1e9
    device = torch.cuda.get_device_name() if cuda else "CPU"
    libraries = f"torch {torch.__version__}, transformers {transformers.__version__}"
    print(f"{device}, {weights:.3f}e9 weights, half, {TOKENS} tokens, {libraries}")
    print("pairs in a batch", "pairs/s", sep="\t")
    best = 0.0
    for batch in BATCHES:
        pairs_per_second = _pairs_per_second(model, batch)
        best = max(best, pairs_per_second)
        print(f"{batch}\t{pairs_per_second:.0f}", flush=True)
    print(f"{PASSAGES} passages of 50 pages: {PASSAGES / best:.2f} s")
    return 0


def _pairs_per_second(model: Any, batch: int) -> float:
    """The speed for a number of pairs at once, after a first call that is not counted."""
    torch = training_package("torch")
    ids = torch.randint(10, model.config.vocab_size, (batch, TOKENS), device=model.device)
    mask = torch.ones_like(ids)
    with torch.inference_mode():
        model(input_ids=ids, attention_mask=mask).logits.cpu()
        start = time.perf_counter()
        for _ in range(REPEATS):
            model(input_ids=ids, attention_mask=mask).logits.cpu()  # waits for the GPU
        seconds = time.perf_counter() - start
    return batch * REPEATS / seconds


if __name__ == "__main__":
    sys.exit(main())
