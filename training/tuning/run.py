"""A run of a job: the trainer of its method, checkpoints, metrics, the adapter and its card."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from models.llm.adapters import find_model
from models.llm.chat import Chat
from training.recipe import Recipe
from training.tuning.base_model import (
    ADAPTER,
    REFERENCE,
    has_bfloat16,
    keep_full_precision,
    load_model,
    lora,
    save_half,
)
from training.tuning.job import CHECKPOINTS, Job, card_of_same_run, last_checkpoint, write_card
from training.tuning.report import Watch, first_and_last_shares, losses, reporter
from utils.errors import InputError
from utils.packages import training_package

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What a method learns from, as its trainer takes it.

    Attributes:
        columns: of the dataset, by name; all have the same length, which is not 0.
        counts: what the card says of them: `samples`, those that are `left_out`, and others.
    """

    columns: Mapping[str, Sequence[Any]]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Parts:
    """What every trainer of TRL is built from.

    Attributes:
        options: of `TrainingArguments`, which a method adds its own to.
        arguments: of the trainer, beside those options.
    """

    recipe: Recipe
    options: Mapping[str, Any]
    arguments: Mapping[str, Any]


class Method(Protocol):
    """One way of tuning."""

    @property
    def identity(self) -> dict[str, str]:
        """What must be the same in a run and in the run that it resumes: its name, and more."""

    def dataset(self, chat: Chat, recipe: Recipe) -> TrainingData:
        """What it learns from.

        Raises:
            InputError: nothing of it fits the recipe.
        """

    def trainer(self, parts: Parts) -> Any:
        """TRL's trainer."""


def tune(
    job: Job, method: Method, callbacks: Sequence[Any] = (), watch: Watch | None = None
) -> dict[str, Any]:
    """Tune the adapter into `job.out`, and return its card: recipe, data's hash, losses, counts.

    An interrupted run resumes from its last complete checkpoint; a finished one is not repeated. Of
    the processes of `accelerate launch`, the first one writes.

    Args:
        job: what is tuned, and where.
        method: how.
        callbacks: of transformers' kind.
        watch: samples that are answered and judged at every checkpoint; None: none.

    Raises:
        AdapterIncompatible: the adapter to start from does not fit the base.
        InputError: the folder holds another run; the adapter to start from is of another recipe;
            nothing fits; or there are several GPUs and fewer processes.
        MissingPackageError: a package of the extra `train` is not installed.
        ModelMissing: there is no base model.
    """
    find_model(str(job.base))
    identity = {**job.identity, **method.identity}
    card = card_of_same_run(job.out, identity)
    if card.get("done"):
        return card
    torch = training_package("torch")
    for name in ("trl", "datasets", "matplotlib"):  # raise before the work starts
        training_package(name)
    if job.threads is not None:
        torch.set_num_threads(job.threads)
    cuda = bool(torch.cuda.is_available())
    process = _process(cuda=cuda)
    chat = Chat.load(job.base, job.recipe.max_tokens)
    data = method.dataset(chat, job.recipe)
    if process.is_main_process:
        job.out.mkdir(parents=True, exist_ok=True)
        write_card(job.out, {**identity, "done": False})
    process.wait_for_everyone()
    if data.counts["left_out"]:
        logger.warning(
            "%d samples are longer than %d tokens", data.counts["left_out"], job.recipe.max_tokens
        )
    checkpoint = last_checkpoint(job.out / CHECKPOINTS)
    report = reporter(job.out, chat, watch, from_adapter=job.start is not None)
    trainer = method.trainer(_parts(job, chat, data, cuda, [report, *callbacks]))
    if cuda:
        keep_full_precision(trainer.model)
    if checkpoint is not None and REFERENCE in trainer.model.peft_config:
        # The trainer itself resumes only what is in subfolders: the reference.
        trainer.model.load_adapter(str(checkpoint), ADAPTER, is_trainable=True)
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    all_losses = losses(trainer.state)
    card = {
        **identity,
        "done": True,
        **data.counts,
        "updates": trainer.state.global_step,
        "seconds": report.seconds,
        "first_loss": all_losses[0],
        "last_loss": all_losses[-1],
        **first_and_last_shares(trainer.state),
        "device": torch.cuda.get_device_name() if cuda else "cpu",
    }
    if process.is_main_process:
        save_half(trainer.model, job.out)
        write_card(job.out, card)
    return card


def _process(*, cuda: bool) -> Any:
    """This process among those of `accelerate launch`.

    Raises:
        InputError: there are several GPUs and fewer processes.
    """
    process = training_package("accelerate").PartialState(cpu=not cuda)
    if cuda and training_package("torch").cuda.device_count() > process.num_processes:
        raise InputError(
            "several GPUs are here: choose one (CUDA_VISIBLE_DEVICES=0), or start a process on "
            "each: accelerate launch --num_processes N -m training ..."
        )
    return process


def _parts(job: Job, chat: Chat, data: TrainingData, cuda: bool, callbacks: Sequence[Any]) -> Parts:
    recipe = job.recipe
    half = cuda and not has_bfloat16()
    tokenizer = chat.tokenizer
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token  # padding has no loss
    options = {
        "output_dir": str(job.out / CHECKPOINTS),
        "per_device_train_batch_size": recipe.batch,
        "gradient_accumulation_steps": recipe.accumulation,
        "num_train_epochs": recipe.epochs,
        "learning_rate": recipe.learning_rate,
        "lr_scheduler_type": "cosine",
        "warmup_steps": recipe.warmup,
        "max_grad_norm": recipe.max_grad_norm,
        "optim": "adamw_torch",  # what the paper's "adamw_hf" became
        "seed": recipe.seed,
        "data_seed": recipe.seed,
        "bf16": cuda and not half,
        "fp16": half,
        "use_cpu": not cuda,
        "gradient_checkpointing": cuda and recipe.gradient_checkpointing,
        "save_strategy": "steps",
        "save_steps": min(0.99, 1 / (recipe.epochs * recipe.checkpoints)),  # of all updates
        "save_total_limit": recipe.kept_checkpoints,
        "logging_steps": 0.02,
        "report_to": [],
        "dataloader_pin_memory": cuda,
    }
    arguments = {
        "model": load_model(job, tokenizer, cuda=cuda),
        "train_dataset": training_package("datasets").Dataset.from_dict(dict(data.columns)),
        "processing_class": tokenizer,
        "peft_config": None if job.start else lora(recipe),
        "callbacks": list(callbacks),
    }
    return Parts(recipe, options, arguments)
