"""Writes a tuned reader in ONNX with weights of eight bits, in files that git takes without LFS."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from models.ranking.onnx_export import write_int8, write_onnx
from models.ranking.span_encoder import MODEL, TOKENIZER
from utils.packages import training_package

MOST_BYTES = 9 << 20  # of a file with weights
MOST_TOKENS = 24_000  # of the vocabulary; with more its rows are no file of that size
_LEAST_BYTES = 1024  # of a tensor that is written to a file of its own


def export(tuned: Path, out: Path, texts: Iterable[str]) -> list[Path]:
    """Write the reader in `tuned`, a folder of transformers, to the folder `out`; its files.

    Of the vocabulary, half of the weights, those tokens are kept that occur in `texts`, and of the
    others the first ones: a word whose token is gone is read in smaller pieces.
    """
    torch = training_package("torch")
    model = training_package("transformers").AutoModelForQuestionAnswering.from_pretrained(
        tuned, attn_implementation="eager"
    )
    out.mkdir(parents=True, exist_ok=True)
    kept = _kept_tokens(tuned / TOKENIZER, texts)
    embeddings = model.bert.embeddings
    rows = embeddings.word_embeddings.weight[torch.tensor(kept)]
    embeddings.word_embeddings = torch.nn.Embedding.from_pretrained(rows.detach())
    tokenizer = _with_tokens(json.loads((tuned / TOKENIZER).read_text(encoding="utf-8")), kept)
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        small = Path(folder) / "small.onnx"
        write_onnx(model, ("start_logits", "end_logits"), whole)
        write_int8(whole, small)
        _save_in_parts(training_package("onnx").load(str(small)), out)
    (out / TOKENIZER).write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    return sorted(out.iterdir())


def _kept_tokens(file: Path, texts: Iterable[str]) -> list[int]:
    """The ids of the tokens that are kept, in their order."""
    tokenizer = training_package("tokenizers").Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    special = [each["id"] for each in json.loads(file.read_text(encoding="utf-8"))["added_tokens"]]
    seen = set(special)
    for text in texts:
        seen.update(tokenizer.encode(text).ids)
    by_id = range(tokenizer.get_vocab_size())
    wanted = sorted(by_id, key=lambda token: (token not in seen, token))
    return sorted(wanted[:MOST_TOKENS])


def _with_tokens(tokenizer: dict[str, Any], kept: Sequence[int]) -> dict[str, Any]:
    """The content of `tokenizer.json` with the kept tokens alone, numbered anew."""
    number = {old: new for new, old in enumerate(kept)}
    vocabulary = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = {
        token: number[old] for token, old in vocabulary.items() if old in number
    }
    for added in tokenizer["added_tokens"]:
        added["id"] = number[added["id"]]
    for special in tokenizer["post_processor"]["special_tokens"].values():
        special["ids"] = [number[old] for old in special["ids"]]
    return tokenizer


def _save_in_parts(model: Any, out: Path) -> None:
    """Write `MODEL`, and beside it its tensors in files of at most `MOST_BYTES` each."""
    onnx = training_package("onnx")
    for old in out.glob(f"{Path(MODEL).stem}*"):
        old.unlink()
    for name, tensors in _parts(model):
        for tensor in tensors:
            onnx.external_data_helper.set_external_data(tensor, location=name)
    onnx.save_model(model, str(out / MODEL))


def _parts(model: Any) -> Iterator[tuple[str, list[Any]]]:
    """The large tensors of a model, by the file that they are written to.

    A tensor larger than a file may be cannot be divided: it has a file of its own.
    """
    part: list[Any] = []
    size = 0
    number = 1
    for tensor in model.graph.initializer:
        tensor_bytes = len(tensor.raw_data)
        if tensor_bytes < _LEAST_BYTES:
            continue
        if part and size + tensor_bytes > MOST_BYTES:
            yield f"{Path(MODEL).stem}-{number}.bin", part
            number += 1
            part = []
            size = 0
        part.append(tensor)
        size += tensor_bytes
    if part:
        yield f"{Path(MODEL).stem}-{number}.bin", part
