"""One mixed batch against one question at a time with `set_adapter`, as db3 had to do it.

`python -m benchmarks.llm_batching` makes a random Llama with four adapters, asks 16 questions
through four subtasks, each with its own adapter, both ways on the same engine in the same run, and
prints the throughputs and by how much a batch without end overshoots its deadline.
`--programs 1000` instead lets the untrained model write so many programs under the KG language's
grammar, and counts those that end within 256 tokens, and of these those that parse. On a CPU, vLLM
starts fastest with VLLM_ENABLE_V1_MULTIPROCESSING=0 VLLM_CPU_KVCACHE_SPACE=1 in the environment.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from benchmarks._random_llama import save
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.grammar import Bounds, constraint_text
from models.kg.language.parser import parse
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import LLM, Constraint, ConstraintKind, FinishReason, Message, Prompt
from utils.deadline import Deadline

QUESTIONS = 16
SUBTASKS = ("route", "write_query", "answer_kg", "answer_web")
TARGETS = {"vllm": 4.0, "hf": 2.0}
OVERSHOOT = 0.5  # seconds
CONTEXT = 4096


@dataclass(frozen=True, slots=True)
class Figures:
    """One engine's: tokens/s both ways, and the worst overshoot of `repeats` deadlines."""

    engine: str
    batch: float
    one_by_one: float
    overshoot: float

    @property
    def gain(self) -> float:
        return self.batch / self.one_by_one

    @property
    def met(self) -> bool:
        return self.gain >= TARGETS[self.engine] and self.overshoot <= OVERSHOOT


@dataclass(frozen=True, slots=True)
class Programs:
    """Random programs of one engine: asked for, ended within 256 tokens, and of these parsed."""

    engine: str
    asked: int
    ended: int
    parsed: int

    @property
    def met(self) -> bool:
        return self.ended >= 0.99 * self.asked and self.parsed == self.ended


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures; 0 where every target is met, 1 where not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--tokens", type=int, default=32, help="that each prompt may write")
    parser.add_argument("--repeats", type=int, default=5, help="deadlines tried")
    parser.add_argument("--programs", type=int, help="write so many random programs instead")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    args = parser.parse_args(argv)
    figures: list[Figures | Programs] = []
    with tempfile.TemporaryDirectory() as folder:
        shape = {"layers": args.layers, "hidden": args.hidden, "context": CONTEXT}
        adapters = save(Path(folder), adapters=SUBTASKS, **shape)
        for name in args.engines:
            settings = LLMSettings(f"{name}:{folder}", adapters, dtype="float32", eager=True)
            llm = make_llm(settings)
            figures.append(
                _programs(name, llm, args.programs) if args.programs else _measure(name, llm, args)
            )
    for one in figures:
        _show(one)
    if args.json:
        rows = [asdict(one) for one in figures]
        args.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 0 if all(one.met for one in figures) else 1


def _measure(name: str, llm: LLM, args: argparse.Namespace) -> Figures:
    prompts = [
        Prompt(
            (Message("system", f"{subtask}: be brief"), Message("user", f"{number} a film? " * 8)),
            adapter=subtask,
            max_tokens=args.tokens,
        )
        for number in range(QUESTIONS)
        for subtask in SUBTASKS
    ]
    _rate(llm, [prompts])  # warm up
    _rate(llm, [[prompt] for prompt in prompts[: len(SUBTASKS)]])
    return Figures(
        engine=name,
        batch=_rate(llm, [prompts]),
        one_by_one=_rate(llm, [[prompt] for prompt in prompts]),
        overshoot=max(_overshoot(llm) for _ in range(args.repeats)),
    )


def _rate(llm: LLM, batches: Sequence[Sequence[Prompt]]) -> float:
    """Tokens/s over `batches`, one after the other."""
    before = time.perf_counter()
    done = [one for batch in batches for one in llm.generate(batch, deadline=Deadline.after(600))]
    return sum(one.tokens for one in done) / (time.perf_counter() - before)


def _overshoot(llm: LLM) -> float:
    """Seconds after its deadline at which a batch without end returns."""
    endless = Constraint(ConstraintKind.REGEX, "[a-z ]{9000}")
    prompt = Prompt((Message("user", "a film"),), max_tokens=CONTEXT - 200, constraint=endless)
    deadline = Deadline.after(1.0)
    done = llm.generate([prompt] * QUESTIONS, deadline=deadline)
    over = deadline.clock() - deadline.at
    assert {one.finish_reason for one in done} == {FinishReason.DEADLINE}
    return over


def _programs(name: str, llm: LLM, count: int) -> Programs:
    bounds = Bounds(statements=2, depth=1, names=2, conditions=2, characters=8)
    grammar = Constraint(ConstraintKind.GRAMMAR, constraint_text(bounds=bounds))
    prompt = Prompt(
        (Message("user", "a film"),),
        max_tokens=256,
        temperature=1.0,
        n=count,
        seed=1,
        constraint=grammar,
    )
    done = llm.generate([prompt], deadline=Deadline.after(600))[0].samples
    ended = [one.text for one in done if one.finish_reason is FinishReason.STOP]
    return Programs(name, count, len(ended), sum(map(_parses, ended)))


def _parses(text: str) -> bool:
    try:
        parse(text)
    except QuerySyntaxError:
        return False
    return True


def _show(one: Figures | Programs) -> None:
    verdict = "met" if one.met else "MISSED"
    if isinstance(one, Programs):
        print(f"{one.engine}: of {one.asked} random programs {one.ended} ended, ", end="")
        print(f"{one.parsed} of these parse ({verdict})")
        return
    print(f"{one.engine}: {one.batch:.0f} tokens/s in one batch, {one.one_by_one:.0f} one by one: ")
    print(f"  {one.gain:.1f} times (target {TARGETS[one.engine]:.0f}); ", end="")
    print(f"deadline overshot by at most {one.overshoot:.2f} s (target {OVERSHOOT}): {verdict}")


if __name__ == "__main__":
    raise SystemExit(main())
