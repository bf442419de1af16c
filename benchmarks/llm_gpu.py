"""What an 8B-shaped Llama of random weights does on a GPU in transformers + peft.

`python -m benchmarks.llm_gpu` builds it on the GPU (Llama 3 8B's shape, nothing is downloaded or
saved), with three LoRA adapters of db3's rank and targets, and prints tokens/s and peak memory for
1 and 16 questions: without peft, with adapters there but off, with one adapter, and with three in
one batch. `--size tiny` runs the same on a CPU in seconds.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from benchmarks._random_llama import ADAPTERS, lora_config, make_config, make_tokenizer
from models.llm.chat import Chat
from models.llm.hf import TransformersLLM
from models.llm.packages import package
from models.llm.protocol import Message, Prompt
from utils.deadline import Deadline

SIZES: dict[str, dict[str, int]] = {
    "8b": {
        "vocabulary": 128256,
        "layers": 32,
        "hidden": 4096,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    },
    "tiny": {"vocabulary": 512, "layers": 2, "hidden": 64},
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement: `adapters` says which were used."""

    adapters: str
    batch: int
    prompt_tokens: int
    tokens: int
    seconds: float
    first_seconds: float
    peak_gib: float

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="8b")
    parser.add_argument("--layers", type=int, help="another number of layers")
    parser.add_argument("--dtype", choices=("half", "bfloat16", "float32"), default="half")
    parser.add_argument("--prompt-tokens", type=int, default=1024)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    args = parser.parse_args(argv)
    torch = package("torch")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and args.size != "tiny":
        print("no CUDA device here; --size tiny runs on a CPU", file=sys.stderr)
        return 2
    figures = list(_measure(args, device))
    if args.json:
        rows = [asdict(f) | {"tokens_per_second": f.tokens_per_second} for f in figures]
        args.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 0


def _measure(args: argparse.Namespace, device: str) -> list[Figure]:
    torch = package("torch")
    tokenizer = make_tokenizer()
    model = _build(args, device)
    context = args.prompt_tokens + args.max_tokens + 64
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    count = sum(p.numel() for p in model.parameters())
    print(f"{name}, {count / 1e9:.2f}e9 weights, {args.dtype}, torch {torch.__version__}, ", end="")
    print(f"transformers {package('transformers').__version__}; {_gib(device):.2f} GiB of weights")
    columns = ("adapters", "batch", "prompt", "tokens", "s", "s to first", "tokens/s", "peak GiB")
    print(" ".join(f"{column:>12}" for column in columns))
    figures: list[Figure] = []

    def cases(model: Any, names: Sequence[tuple[str, Sequence[str | None]]]) -> None:
        llm = TransformersLLM(model, Chat(tokenizer, context), batch_tokens=1 << 20)
        llm.generate(_prompts(llm, args, 1, [None], 4), deadline=Deadline.after(600))  # warm up
        for label, adapters in names:
            for batch in args.batches:
                figures.append(_case(llm, args, device, label, adapters, batch))

    cases(model, [("no peft", [None])])
    peft = package("peft")
    adapted = peft.get_peft_model(
        model, lora_config(), adapter_name=ADAPTERS[0], autocast_adapter_dtype=False
    )
    for name in ADAPTERS[1:]:
        adapted.add_adapter(name, lora_config(), autocast_adapter_dtype=False)
    print(f"three adapters loaded: {_gib(device):.2f} GiB")
    cases(adapted, [("off", [None]), ("one", ADAPTERS[:1]), ("three", ADAPTERS)])
    return figures


def _build(args: argparse.Namespace, device: str) -> Any:
    """The model, its weights made where they stay."""
    torch, transformers = package("torch"), package("transformers")
    shape = SIZES[args.size] | ({"layers": args.layers} if args.layers else {})
    config = make_config(context=8192, scale=0.02, rope_theta=500000.0, **shape)
    torch.manual_seed(0)
    with torch.device(device):
        return transformers.AutoModelForCausalLM.from_config(
            config, dtype=getattr(torch, args.dtype)
        )


def _prompts(
    llm: TransformersLLM,
    args: argparse.Namespace,
    batch: int,
    adapters: Sequence[str | None],
    max_tokens: int,
) -> list[Prompt]:
    word = " film"
    words = word * (args.prompt_tokens // llm.count(word) - 16)
    return [
        Prompt(
            (Message("user", f"{number}{words}"),),
            adapter=adapters[number % len(adapters)],
            max_tokens=max_tokens,
        )
        for number in range(batch)
    ]


def _case(
    llm: TransformersLLM,
    args: argparse.Namespace,
    device: str,
    label: str,
    adapters: Sequence[str | None],
    batch: int,
) -> Figure:
    cuda = package("torch").cuda
    if device == "cuda":
        cuda.reset_peak_memory_stats()
    seconds = {}
    for max_tokens in (1, args.max_tokens):
        prompts = _prompts(llm, args, batch, adapters, max_tokens)
        before = time.perf_counter()
        done = llm.generate(prompts, deadline=Deadline.after(300))
        seconds[max_tokens] = time.perf_counter() - before
    figure = Figure(
        adapters=label,
        batch=batch,
        prompt_tokens=llm.count_prompt(prompts[0]),
        tokens=sum(one.tokens for one in done),
        seconds=seconds[args.max_tokens],
        first_seconds=seconds[1],
        peak_gib=cuda.max_memory_allocated() / (1 << 30) if device == "cuda" else 0.0,
    )
    values = (figure.adapters, figure.batch, figure.prompt_tokens, figure.tokens)
    floats = (figure.seconds, figure.first_seconds, figure.tokens_per_second, figure.peak_gib)
    row = [*(f"{v:>12}" for v in values), *(f"{f:>12.2f}" for f in floats)]
    print(" ".join(row), flush=True)
    return figure


def _gib(device: str) -> float:
    if device == "cpu":
        return 0.0
    return float(package("torch").cuda.memory_allocated()) / (1 << 30)


if __name__ == "__main__":
    raise SystemExit(main())
