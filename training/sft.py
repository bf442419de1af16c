"""LoRA adapters by a recipe, with peft and TRL (db3, section 2.4 and Table 1).

The loss is on the answer alone: `training.encode` makes the prompts and masks their tokens.
"""

import hashlib
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.run_folder import read_object, write_text
from models.llm.adapters import WEIGHTS, find_model, read_adapter
from models.llm.chat import Chat
from training.encode import Encoded, encode_all
from training.packages import package
from training.plots import plot
from training.recipe import Recipe
from training.records import Sample
from utils.errors import InputError
from utils.model_files import sha256

CARD = "training.json"  # in the adapter's folder, as are the next three
CHECKPOINTS = "checkpoints"
METRICS = "metrics.jsonl"
LOSS = "loss.svg"
_ENDS = 1 << 20  # bytes; hashing a whole 8B model takes a minute

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """What is tuned, and where.

    Attributes:
        data_sha256: of the file of the samples.
        start: the folder of an adapter whose weights the new one starts from; None: random ones.
        fold: what was left out of the file of the samples, such as "0/3".
    """

    recipe: Recipe
    base: Path
    samples: Sequence[Sample]
    data_sha256: str
    out: Path
    threads: int | None = None
    start: Path | None = None
    fold: str = ""

    @property
    def identity(self) -> dict[str, Any]:
        """What must be the same in a run and in the run that it resumes."""
        return {
            "recipe": self.recipe.as_json(),
            "base_sha256": base_hash(self.base),
            "data_sha256": self.data_sha256,
            "fold": self.fold,
            "start": self._start_card(),
        }

    def _start_card(self) -> dict[str, Any]:
        """What the adapter that this one starts from was tuned on; empty: random weights.

        Raises:
            AdapterIncompatible: it does not fit the base.
            InputError: its rank, alpha or layers are not the recipe's.
        """
        if self.start is None:
            return {}
        adapter = read_adapter("start", str(self.start), self.base)
        config = read_object(adapter.folder / "adapter_config.json")
        recipe = self.recipe
        layers = set(config.get("target_modules") or ())
        shape = (config.get("r"), config.get("lora_alpha"), layers)
        if shape != (recipe.r, recipe.alpha, set(recipe.targets)):
            raise InputError(
                f"{self.start} has another rank, alpha or layers than the recipe: it goes on with "
                f"r {recipe.r}, alpha {recipe.alpha} and {', '.join(recipe.targets)}"
            )
        card = read_object(adapter.folder / CARD)
        kept: dict[str, Any] = {
            key: card[key] for key in ("data_sha256", "fold", "start") if key in card
        }
        return {"weights_sha256": sha256(adapter.folder / WEIGHTS), **kept}


def base_hash(base: Path) -> str:
    """A SHA-256 that identifies a model: of its config and both ends of its weight files."""
    digest = hashlib.sha256((base / "config.json").read_bytes())
    for file in sorted(base.glob("*.safetensors")):
        with file.open("rb") as weights:
            digest.update(weights.read(_ENDS))
            weights.seek(max(0, file.stat().st_size - _ENDS))
            digest.update(weights.read(_ENDS))
    return digest.hexdigest()


def train(job: Job, callbacks: Sequence[Any] = ()) -> dict[str, Any]:
    """Tune the adapter into `job.out`, and return its card: recipe, data's hash, losses, counts.

    An interrupted run resumes from its last complete checkpoint; a finished one is not repeated. Of
    the processes of `accelerate launch`, the first one writes. `callbacks` are of transformers'
    kind.

    Raises:
        AdapterIncompatible: the adapter to start from does not fit the base.
        InputError: the folder holds another run; the adapter to start from is of another recipe;
            no sample fits; or there are several GPUs and fewer processes.
        MissingPackageError: a package of the extra `train` is not installed.
        ModelMissing: there is no base model.
    """
    find_model(str(job.base))
    identity = job.identity
    card = _card_of_same_run(job.out, identity)
    if card.get("done"):
        return card
    torch = package("torch")
    for name in ("trl", "datasets", "matplotlib"):  # raise before the work starts
        package(name)
    if job.threads is not None:
        torch.set_num_threads(job.threads)
    cuda = bool(torch.cuda.is_available())
    process = _process(cuda=cuda)
    chat = Chat.load(job.base, job.recipe.max_tokens)
    encoded = encode_all(job.samples, chat, job.recipe.max_tokens)
    too_long = len(job.samples) - len(encoded)
    if not encoded:
        raise InputError(
            f"none of {len(job.samples)} samples has {job.recipe.max_tokens} tokens or fewer"
        )
    if process.is_main_process:
        job.out.mkdir(parents=True, exist_ok=True)
        _write_card(job.out, {**identity, "done": False})
    process.wait_for_everyone()
    if too_long:
        logger.warning("%d samples are longer than %d tokens", too_long, job.recipe.max_tokens)
    checkpoint = last_checkpoint(job.out / CHECKPOINTS)
    reporter = _reporter(job.out)
    trainer = _trainer(job, chat.tokenizer, encoded, cuda, [reporter, *callbacks])
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    losses = [row["loss"] for row in _logged_losses(trainer.state)]
    card = {
        **identity,
        "done": True,
        "samples": len(encoded),
        "left_out": too_long,
        "tokens": sum(len(sample.ids) for sample in encoded),
        "answer_tokens": sum(sample.answer_tokens for sample in encoded),
        "updates": trainer.state.global_step,
        "seconds": reporter.seconds,
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "device": torch.cuda.get_device_name() if cuda else "cpu",
    }
    if process.is_main_process:
        _save_half(trainer.model, job.out)
        _write_card(job.out, card)
    return card


def _save_half(model: Any, folder: Path) -> None:
    """Write the adapter in half precision, in which engines compute on a GPU."""
    for weights in model.parameters():
        if weights.requires_grad:
            weights.data = weights.data.half()
    model.save_pretrained(str(folder))


def _card_of_same_run(out: Path, identity: Mapping[str, Any]) -> dict[str, Any]:
    """The card in the folder `out`; empty where there is none.

    Raises:
        InputError: it is the card of another run.
    """
    card = read_object(out / CARD)
    others = [key for key, value in identity.items() if card and card.get(key) != value]
    if others:
        raise InputError(
            f"{out} holds another run ({', '.join(others)} differ): choose another --out"
        )
    return card


def _process(*, cuda: bool) -> Any:
    """This process among those of `accelerate launch`.

    Raises:
        InputError: there are several GPUs and fewer processes.
    """
    process = package("accelerate").PartialState(cpu=not cuda)
    if cuda and package("torch").cuda.device_count() > process.num_processes:
        raise InputError(
            "several GPUs are here: choose one (CUDA_VISIBLE_DEVICES=0), or start a process on "
            "each: accelerate launch --num_processes N -m training sft ..."
        )
    return process


def _trainer(
    job: Job, tokenizer: Any, encoded: Sequence[Encoded], cuda: bool, callbacks: list[Any]
) -> Any:
    """TRL's trainer of the job."""
    trl = package("trl")
    recipe = job.recipe
    half = cuda and not _has_bfloat16()
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token  # padding has no loss
    columns = {
        "input_ids": [sample.ids for sample in encoded],
        "labels": [sample.labels for sample in encoded],
    }
    options = trl.SFTConfig(
        output_dir=str(job.out / CHECKPOINTS),
        per_device_train_batch_size=recipe.batch,
        gradient_accumulation_steps=recipe.accumulation,
        num_train_epochs=recipe.epochs,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=recipe.warmup,
        max_grad_norm=recipe.max_grad_norm,
        optim="adamw_torch",  # what the paper's "adamw_hf" became
        max_length=recipe.max_tokens,
        seed=recipe.seed,
        data_seed=recipe.seed,
        bf16=cuda and not half,
        fp16=half,
        use_cpu=not cuda,
        gradient_checkpointing=cuda and recipe.gradient_checkpointing,
        completion_only_loss=None,  # the labels mask the prompt
        dataset_kwargs={"skip_prepare_dataset": True},
        save_strategy="steps",
        save_steps=min(0.99, 1 / (recipe.epochs * recipe.checkpoints)),  # of all updates
        save_total_limit=recipe.kept_checkpoints,
        # Batches of similar lengths: half as much padding, or less, to compute.
        train_sampling_strategy="group_by_length",
        logging_steps=0.02,
        report_to=[],
        dataloader_pin_memory=cuda,
    )
    model = load_base(job.base, recipe, cuda=cuda)
    check_end(model, tokenizer, job.base)
    if job.start is not None:
        model = package("peft").PeftModel.from_pretrained(
            model, str(job.start), is_trainable=True, autocast_adapter_dtype=False
        )
    trainer = trl.SFTTrainer(
        model=model,
        args=options,
        train_dataset=package("datasets").Dataset.from_dict(columns),
        processing_class=tokenizer,
        peft_config=None if job.start else lora(recipe),
        callbacks=callbacks,
    )
    if cuda:  # TRL makes them bfloat16: small updates are lost, and a T4's scaler cannot take it
        for weights in trainer.model.parameters():
            if weights.requires_grad:
                weights.data = weights.data.float()
    return trainer


def check_end(model: Any, tokenizer: Any, base: Path) -> None:
    """Check that the answers of samples end with a token at which the model stops.

    Raises:
        InputError: they end with another one, so that the adapter would never end its answers.
    """
    ids = model.generation_config.eos_token_id
    ends = ids if isinstance(ids, list) else [ids]
    if tokenizer.eos_token_id not in ends:
        raise InputError(
            f"{base}: its tokenizer ends a text with {tokenizer.eos_token!r} "
            f"({tokenizer.eos_token_id}), its model with {ends}: correct eos_token in "
            "tokenizer_config.json"
        )


def last_checkpoint(folder: Path) -> Path | None:
    """The newest complete checkpoint; `trainer_state.json` is written last."""
    complete = [path.parent for path in folder.glob("checkpoint-*/trainer_state.json")]
    return max(complete, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def lora(recipe: Recipe) -> Any:
    """The recipe as peft takes it."""
    return package("peft").LoraConfig(
        r=recipe.r,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        target_modules=list(recipe.targets),
        bias="none",
        task_type="CAUSAL_LM",
    )


def load_base(base: Path, recipe: Recipe, *, cuda: bool) -> Any:
    """The base model: in 4 bits where the recipe says so and a GPU is there."""
    torch = package("torch")
    transformers = package("transformers")
    half = torch.bfloat16 if not cuda or _has_bfloat16() else torch.float16
    options: dict[str, Any] = {"local_files_only": True, "use_safetensors": True}
    options["dtype"] = half if cuda else torch.float32
    if cuda and recipe.four_bit:
        package("bitsandbytes")
        options["quantization_config"] = transformers.BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=half
        )
        process = package("accelerate").PartialState()
        options["device_map"] = {"": process.local_process_index}
    return transformers.AutoModelForCausalLM.from_pretrained(str(base), **options)


def _has_bfloat16() -> bool:
    """Whether the GPU computes in bfloat16; a T4 does not."""
    return bool(package("torch").cuda.is_bf16_supported(including_emulation=False))


def _logged_losses(state: Any) -> list[dict[str, Any]]:
    """The logged losses, with those before the checkpoint that a run resumed from."""
    return [row for row in state.log_history if "loss" in row]


def _reporter(out: Path) -> Any:
    """A callback that reports to the folder `out`; its class needs transformers to be defined."""
    callback: Any = package("transformers").TrainerCallback

    class Reporter(callback):  # type: ignore[misc]  # an untyped package's class
        """Writes each logged loss, with the seconds since the start, over interruptions."""

        start = 0.0

        @property
        def seconds(self) -> float:
            """Since the start of the run; interruptions do not count."""
            return round(time.monotonic() - self.start, 1)

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            rows = _logged_losses(state)
            self.start = time.monotonic() - (rows[-1]["seconds"] if rows else 0.0)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if logs and "loss" in logs and state.is_world_process_zero:
                state.log_history[-1]["seconds"] = self.seconds
                lines = [json.dumps(row) + "\n" for row in _logged_losses(state)]
                write_text(out / METRICS, "".join(lines))

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                points = [(row["step"], row["loss"]) for row in _logged_losses(state)]
                title = "Loss on the answers' tokens"
                plot(out / LOSS, title, "update", "loss", {"training": points})

    return Reporter()


def _write_card(out: Path, card: Mapping[str, Any]) -> None:
    write_text(out / CARD, json.dumps(card, indent=2, ensure_ascii=False) + "\n")
