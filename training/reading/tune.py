"""Tunes the encoder of the reader: where an answer begins and ends, or that there is none.

Two outputs per token, as in BERT's question answering (Devlin et al. 2019, section 4.3). Where an
answer stands several times in a window, any of the places is right: the loss is the negative log of
their summed probability (Clark & Gardner 2018, section 3.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.ranking.pair_tokens import PairTokenizer, TokenPair
from training.reading.examples import ReadingExample
from training.tuning.report import reporter
from utils.packages import training_package

TOKENIZER = "tokenizer.json"
CHECKPOINTS = "checkpoints"
_IMPOSSIBLE = -1e4  # the logit of a token that is not of the text
_NO_SPAN = -1  # pads the spans of a batch


@dataclass(frozen=True, slots=True)
class ReaderRecipe:
    """How the encoder is tuned."""

    learning_rate: float = 1e-4
    warmup: float = 0.1
    batch: int = 16
    epochs: float = 2.0
    seed: int = 0
    saves: int = 6  # checkpoints of a run


def tune_reader(
    examples: Sequence[ReadingExample],
    base: Path,
    out: Path,
    recipe: ReaderRecipe,
) -> None:
    """Tune the encoder in `base` on the examples, into the folder `out`, in transformers' format,
    with `metrics.jsonl` and `loss.svg`. An interrupted run goes on from its last checkpoint.

    The embeddings of words stay as they are: most words of a question are in no example.
    """
    transformers = training_package("transformers")
    tokenizer = PairTokenizer(base / TOKENIZER)
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(base)
    model.bert.embeddings.word_embeddings.weight.requires_grad = False
    arguments = transformers.TrainingArguments(
        output_dir=str(out / CHECKPOINTS),
        per_device_train_batch_size=recipe.batch,
        num_train_epochs=recipe.epochs,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=recipe.warmup,
        seed=recipe.seed,
        data_seed=recipe.seed,
        train_sampling_strategy="group_by_length",
        save_strategy="steps",
        save_steps=1 / recipe.saves,
        save_total_limit=1,
        logging_steps=0.02,
        report_to=[],
        remove_unused_columns=False,
        dataloader_pin_memory=False,
    )
    trainer = _trainer_class()(
        model=model,
        args=arguments,
        train_dataset=encoded(examples, tokenizer),
        data_collator=collate,
        callbacks=[reporter(out)],
    )
    checkpoint = (
        transformers.trainer_utils.get_last_checkpoint(out / CHECKPOINTS)
        if (out / CHECKPOINTS).is_dir()
        else None
    )
    trainer.train(resume_from_checkpoint=checkpoint)
    model.save_pretrained(out)
    (out / TOKENIZER).write_bytes((base / TOKENIZER).read_bytes())


def encoded(examples: Sequence[ReadingExample], tokenizer: PairTokenizer) -> list[dict[str, Any]]:
    """The examples as tokens, without those whose answer is cut off."""
    rows = []
    for example in examples:
        (pair,) = tokenizer.pairs(example.question, [example.text])
        spans = [pair.tokens_of(start, end) for start, end in example.spans]
        kept = [span for span in spans if span is not None]
        if example.spans and not kept:
            continue
        rows.append({"input_ids": list(pair.ids), "pair": pair, "spans": kept or [(0, 0)]})
    return rows


def collate(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A padded batch: `input_ids`, `token_type_ids`, `attention_mask` (rows, tokens); `possible`,
    whether a token may begin or end an answer; `spans` (rows, places, 2)."""
    torch = training_package("torch")
    length = max(len(row["input_ids"]) for row in rows)
    places = max(len(row["spans"]) for row in rows)
    shape = (len(rows), length)
    batch = {
        name: torch.zeros(shape, dtype=torch.long)
        for name in ("input_ids", "token_type_ids", "attention_mask")
    }
    batch["possible"] = torch.zeros(shape, dtype=torch.bool)
    batch["spans"] = torch.full((len(rows), places, 2), _NO_SPAN)
    for number, row in enumerate(rows):
        pair: TokenPair = row["pair"]
        size = len(pair.ids)
        batch["input_ids"][number, :size] = torch.tensor(pair.ids)
        batch["token_type_ids"][number, :size] = torch.tensor(pair.types)
        batch["attention_mask"][number, :size] = 1
        batch["possible"][number, 0] = True
        batch["possible"][number, pair.first : pair.first + len(pair.offsets)] = True
        batch["spans"][number, : len(row["spans"])] = torch.tensor(row["spans"])
    return batch


def span_loss(start_logits: Any, end_logits: Any, possible: Any, spans: Any) -> Any:
    """The mean negative log probability of the spans of each row, any of which is right."""
    torch = training_package("torch")
    begins = start_logits.masked_fill(~possible, _IMPOSSIBLE).log_softmax(-1)
    ends = end_logits.masked_fill(~possible, _IMPOSSIBLE).log_softmax(-1)
    first = spans[..., 0]
    last = spans[..., 1]
    of_span = begins.gather(1, first.clamp(min=0)) + ends.gather(1, last.clamp(min=0))
    return -of_span.masked_fill(first == _NO_SPAN, -torch.inf).logsumexp(-1).mean()


def _trainer_class() -> Any:
    """The trainer; its class needs transformers to be defined."""
    trainer: Any = training_package("transformers").Trainer

    class ReaderTrainer(trainer):  # type: ignore[misc]  # an untyped package's class
        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any
        ) -> Any:
            possible = inputs.pop("possible")
            spans = inputs.pop("spans")
            outputs = model(**inputs)
            loss = span_loss(outputs.start_logits, outputs.end_logits, possible, spans)
            return (loss, outputs) if return_outputs else loss

    return ReaderTrainer
