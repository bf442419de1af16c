"""What a run writes while it runs: its metrics, and their curves."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.run_folder import write_text
from models.llm.chat import Chat
from models.llm.hf import TransformersLLM
from models.llm.protocol import LLM
from training.packages import package
from training.plots import plot
from training.tuning.base_model import ADAPTER

METRICS = "metrics.jsonl"  # in the adapter's folder, as are the curves
LOSS = "loss.svg"
SHARES = "shares.svg"
SHARE_NAMES = ("accuracy", "hallucination", "missing")

# Measures what an engine's adapter answers: the three shares, and others.
Watch = Callable[[LLM, str], Mapping[str, float]]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Curves:
    """One plot: its file, its title, what it draws up, and the keys of metrics.jsonl."""

    file: str
    title: str
    up: str
    keys: Sequence[str]


_CURVES = (
    _Curves(LOSS, "Loss on the answers' tokens", "loss", ("loss",)),
    _Curves(SHARES, "Answers during training", "share", SHARE_NAMES),
)


def losses(state: Any) -> list[float]:
    """The logged losses, with those before the checkpoint that a run resumed from."""
    return [row["loss"] for row in _rows(state) if "loss" in row]


def _rows(state: Any) -> list[Row]:
    """What was logged of updates, and of watched samples."""
    return [row for row in state.log_history if "loss" in row or "watched" in row]


def reporter(out: Path, chat: Chat, watch: Watch | None, *, from_adapter: bool) -> Any:
    """A callback that reports to the folder `out`; its class needs transformers to be defined.

    `from_adapter`: the run starts from an adapter, which is watched before the first update.
    """
    callback: Any = package("transformers").TrainerCallback

    class Reporter(callback):  # type: ignore[misc]  # an untyped package's class
        """Writes what is logged, with the seconds since the start, over interruptions."""

        start = 0.0

        @property
        def seconds(self) -> float:
            """Since the start of the run; interruptions do not count."""
            return round(time.monotonic() - self.start, 1)

        def on_train_begin(
            self, args: Any, state: Any, control: Any, model: Any = None, **_: Any
        ) -> None:
            rows = _rows(state)
            self.start = time.monotonic() - (rows[-1]["seconds"] if rows else 0.0)
            if state.global_step == 0 and from_adapter:
                self._watch(state, model)

        def on_step_end(
            self, args: Any, state: Any, control: Any, model: Any = None, **_: Any
        ) -> None:
            if control.should_save:  # the checkpoint keeps what is logged before it
                self._watch(state, model)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if logs and "loss" in logs and state.is_world_process_zero:
                state.log_history[-1]["seconds"] = self.seconds
                _write_metrics(out, state)

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                draw_curves(out, _rows(state))

        def _watch(self, state: Any, model: Any) -> None:
            if watch is None or not state.is_world_process_zero:
                return
            figures = _watched(watch, model, chat)
            row = {"step": state.global_step, "watched": True, **figures, "seconds": self.seconds}
            state.log_history.append(row)
            _write_metrics(out, state)

    return Reporter()


def _write_metrics(out: Path, state: Any) -> None:
    write_text(out / METRICS, "".join(json.dumps(row) + "\n" for row in _rows(state)))


def _watched(watch: Watch, model: Any, chat: Chat) -> Mapping[str, float]:
    """The figures of the model as it is now."""
    torch = package("torch")
    state = torch.random.get_rng_state()  # training goes on as if nobody had watched
    whole = Chat(chat.tokenizer, model.config.max_position_embeddings)
    figures = watch(TransformersLLM(model, whole), ADAPTER)
    model.set_adapter(ADAPTER)  # as trainable weights again
    model.train()
    torch.random.set_rng_state(state)
    return figures


def draw_curves(out: Path, rows: Sequence[Row]) -> None:
    """Draw the curves of what was logged. Watched samples are drawn rather than a method's own."""
    for curves in _CURVES:
        lines = {}
        for key in curves.keys:
            logged = [row for row in rows if key in row]
            watched = [row for row in logged if "watched" in row]
            lines[key] = [(row["step"], row[key]) for row in watched or logged]
        if all(lines.values()):
            plot(out / curves.file, curves.title, "update", curves.up, lines)
