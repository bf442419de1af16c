"""What a run writes while it runs: its metrics, and their curves."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evaluation.judge.protocol import Judge
from evaluation.run_folder import write_text
from models.llm.chat import Chat
from models.llm.hf import TransformersLLM
from models.llm.protocol import LLM
from training.plots import plot
from training.records import Sample, read_rows
from training.truthfulness import SHARES, Shares, answer_samples, shares_of
from training.tuning.base_model import ADAPTER
from training.tuning.job import Job
from utils.errors import InputError
from utils.model_files import sha256
from utils.packages import training_package

METRICS = "metrics.jsonl"  # in the adapter's folder, as are the curves
LOSS_CURVE = "loss.svg"
SHARES_CURVE = "shares.svg"

# The shares of an adapter's answers to samples that are not trained on (`--watch`).
Watch = Callable[[LLM, str], Shares]
Row = dict[str, Any]


def watch_of(file: Path, job: Job, judge: Judge) -> Watch:
    """Measures a model on the samples of a file while it is tuned.

    Raises:
        InputError: it is tuned on that file.
    """
    if sha256(file) == job.data_sha256:
        raise InputError("--watch takes samples that are not trained on")
    samples = list(read_rows(file, Sample))

    def shares(llm: LLM, adapter: str) -> Shares:
        return shares_of(answer_samples(llm, adapter, job.recipe.subtask, samples, judge))

    return shares


def losses(state: Any) -> list[float]:
    """The logged losses, with those before the checkpoint that a run resumed from."""
    return [row["loss"] for row in _rows(state) if "loss" in row]


def first_and_last_shares(state: Any) -> dict[str, Shares]:
    """The shares of answers at both ends of a run, for its card; empty: nothing was judged."""
    rows = _rows_with_shares(_rows(state))
    if not rows:
        return {}
    first, last = ({share: row[share] for share in SHARES} for row in (rows[0], rows[-1]))
    return {"first_shares": first, "last_shares": last}


def _rows(state: Any) -> list[Row]:
    """What was logged of updates, and of watched samples."""
    return [row for row in state.log_history if "loss" in row or "watched" in row]


def _rows_with_shares(rows: Sequence[Row]) -> list[Row]:
    """The rows of watched samples; if there are none, those in which a method logs shares."""
    watched = [row for row in rows if "watched" in row]
    return watched or [row for row in rows if SHARES.keys() <= row.keys()]


def reporter(
    out: Path, chat: Chat | None = None, watch: Watch | None = None, *, from_adapter: bool = False
) -> Any:
    """A callback that reports to the folder `out`; its class needs transformers to be defined.

    Args:
        chat: of the model that is watched.
        from_adapter: the run starts from an adapter, which is watched before the first update.
    """
    callback: Any = training_package("transformers").TrainerCallback

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
            if watch is None or chat is None or not state.is_world_process_zero:
                return
            shares = _shares_now(watch, model, chat)
            row = {"step": state.global_step, "watched": True, **shares, "seconds": self.seconds}
            state.log_history.append(row)
            _write_metrics(out, state)

    return Reporter()


def _write_metrics(out: Path, state: Any) -> None:
    write_text(out / METRICS, "".join(json.dumps(row) + "\n" for row in _rows(state)))


def _shares_now(watch: Watch, model: Any, chat: Chat) -> Shares:
    """The shares of the model as it is now; training goes on as if nobody had watched.

    Answers are greedy: nothing is drawn at random.
    """
    whole = Chat(chat.tokenizer, model.config.max_position_embeddings)
    shares = watch(TransformersLLM(model, whole), ADAPTER)
    model.set_adapter(ADAPTER)  # as trainable weights again
    model.train()
    return shares


def draw_curves(out: Path, rows: Sequence[Row]) -> None:
    """Draw the loss, and the shares of answers where they are known."""
    points = [(row["step"], row["loss"]) for row in rows if "loss" in row]
    plot(out / LOSS_CURVE, "Loss", "update", "loss", {"training": points})
    with_shares = _rows_with_shares(rows)
    if with_shares:
        lines = {share: [(row["step"], row[share]) for row in with_shares] for share in SHARES}
        plot(out / SHARES_CURVE, "Answers during training", "update", "share", lines)
