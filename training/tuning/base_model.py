"""The model that an adapter is tuned on, and the adapter's weights before and after."""

from pathlib import Path
from typing import Any

from training.recipe import Recipe
from training.tuning.job import Job
from utils.errors import InputError
from utils.packages import training_package

ADAPTER = "default"  # peft's name of the adapter that is tuned
REFERENCE = "ref"  # TRL's name of the frozen copy of an adapter that training starts from


def load_base(base: Path, recipe: Recipe, *, cuda: bool) -> Any:
    """The base model: in 4 bits where the recipe says so and a GPU is there."""
    torch = training_package("torch")
    transformers = training_package("transformers")
    half = torch.bfloat16 if not cuda or has_bfloat16() else torch.float16
    options: dict[str, Any] = {"local_files_only": True, "use_safetensors": True}
    options["dtype"] = half if cuda else torch.float32
    if cuda and recipe.four_bit:
        training_package("bitsandbytes")
        options["quantization_config"] = transformers.BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=half
        )
        process = training_package("accelerate").PartialState()
        options["device_map"] = {"": process.local_process_index}
    return transformers.AutoModelForCausalLM.from_pretrained(str(base), **options)


def load_model(job: Job, tokenizer: Any, *, cuda: bool) -> Any:
    """The base of a job, with the adapter that it starts from if there is one.

    Raises:
        InputError: answers would end with a token at which the base does not stop.
    """
    model = load_base(job.base, job.recipe, cuda=cuda)
    check_end(model, tokenizer, job.base)
    if job.start is None:
        return model
    return training_package("peft").PeftModel.from_pretrained(
        model, str(job.start), is_trainable=True, autocast_adapter_dtype=False
    )


def lora(recipe: Recipe) -> Any:
    """The recipe as peft takes it."""
    return training_package("peft").LoraConfig(
        r=recipe.r,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        target_modules=list(recipe.targets),
        bias="none",
        task_type="CAUSAL_LM",
    )


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


def has_bfloat16() -> bool:
    """Whether the GPU computes in bfloat16; a T4 does not."""
    return bool(training_package("torch").cuda.is_bf16_supported(including_emulation=False))


def keep_full_precision(model: Any) -> None:
    """Make the adapter's weights float32: TRL makes them bfloat16 on a GPU, in which small updates
    are lost, and which a T4's scaler cannot take."""
    for weights in model.parameters():
        if weights.requires_grad:
            weights.data = weights.data.float()


def save_half(model: Any, folder: Path) -> None:
    """Write the adapter in half precision, in which engines compute on a GPU."""
    for weights in model.parameters():
        if weights.requires_grad:
            weights.data = weights.data.half()
    model.save_pretrained(str(folder), selected_adapters=[ADAPTER])
