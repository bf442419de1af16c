"""An embedder that `onnxruntime` runs without torch, and how it is made of a folder of weights."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from models.ranking.onnx_export import INPUTS, write_int8, write_onnx
from models.ranking.protocol import Floats
from utils.errors import SettingsError
from utils.model_files import WeightsError
from utils.packages import package, training_package

MODEL = "embedder.onnx"
SETTINGS = "embedder.json"
TOKENIZER = "tokenizer.json"
LEAST_COSINE = 0.99  # of weights of eight bits to those of 32, on average
_HIDDEN = "last_hidden_state"
_BATCH = 8  # texts
_MAX_TOKENS = 512
_SAMPLES = (
    "The lighthouse of Northport is 41 m tall and was built in 1907.",
    "Shares closed at $12.50 on Friday, up 3% from the day before.",
    "She sang on two albums of the band before she left it.",
    "how many goals did the home team score in the second half?",
    "| Year | Winner | Score |",
    "The film was directed by Ines Vidal and had its premiere in Easton.",
    "Born: May 4, 1950 (age 73)",
    "who is the head of the company that makes lanterns?",
)


class OnnxEmbedder:
    """The embedder in a folder that `write_embedder` has made."""

    def __init__(self, folder: Path, *, query_prefix: str = "", model: str = MODEL) -> None:
        """Load the model.

        Raises:
            SettingsError: the folder has none.
        """
        try:
            settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SettingsError(
                f"there is no ONNX embedder in {folder}: crag model embedder FOLDER --to {folder}"
            ) from error
        self._pools_first = settings["pooling"] == "cls"
        self._tokenizer: Any = package("tokenizers").Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.enable_truncation(settings["max_tokens"])
        self._tokenizer.no_padding()
        runtime = package("onnxruntime")
        self._session: Any = runtime.InferenceSession(
            str(folder / model), providers=["CPUExecutionProvider"]
        )
        self._query_prefix = query_prefix

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of unit length per text: float32[n, d]."""
        encodings = self._tokenizer.encode_batch(list(texts))
        by_length = sorted(range(len(texts)), key=lambda i: len(encodings[i].ids))
        rows: list[Floats | None] = [None] * len(texts)
        for first in range(0, len(texts), _BATCH):
            batch = by_length[first : first + _BATCH]
            for index, row in zip(batch, self._rows([encodings[i] for i in batch]), strict=True):
                rows[index] = row
        return np.array(rows, dtype=np.float32)

    def embed_query(self, query: str) -> Floats:
        """The query's row, float32[d], with the instruction that the model requires before it."""
        row: Floats = self.embed([self._query_prefix + query])[0]
        return row

    def _rows(self, encodings: Sequence[Any]) -> Floats:
        longest = max(len(encoding.ids) for encoding in encodings)
        inputs = {name: np.zeros((len(encodings), longest), dtype=np.int64) for name in INPUTS}
        for row, encoding in enumerate(encodings):
            inputs["input_ids"][row, : len(encoding.ids)] = encoding.ids
            inputs["attention_mask"][row, : len(encoding.ids)] = 1
        (hidden,) = self._session.run([_HIDDEN], inputs)
        if self._pools_first:
            pooled = hidden[:, 0]
        else:
            mask = inputs["attention_mask"][..., None]
            pooled = (hidden * mask).sum(axis=1) / mask.sum(axis=1)
        unit: Floats = pooled / np.linalg.norm(pooled, axis=-1, keepdims=True)
        return unit


def write_embedder(source: Path, out: Path) -> float:
    """Write a folder of sentence-transformers as an ONNX embedder; the cosine of its rows to those
    of 32 bits, on average: with weights of eight bits if that is at least `LEAST_COSINE`, else 1.

    Raises:
        MissingPackageError: a package of the extra `train` is not installed.
        WeightsError: the folder is no such model.
    """
    pooling = _pooling(source)
    model = training_package("transformers").AutoModel.from_pretrained(
        source, attn_implementation="eager"
    )
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / TOKENIZER, out / TOKENIZER)
    most = min(getattr(model.config, "max_position_embeddings", _MAX_TOKENS), _MAX_TOKENS)
    settings = {"pooling": pooling, "max_tokens": most}
    (out / SETTINGS).write_text(json.dumps(settings) + "\n", encoding="utf-8")
    with TemporaryDirectory(dir=out) as folder:
        whole = Path(folder) / "whole.onnx"
        small = Path(folder) / "small.onnx"
        write_onnx(model, (_HIDDEN,), whole)
        write_int8(whole, small)
        rows = [
            OnnxEmbedder(out, model=str(file.relative_to(out))).embed(_SAMPLES)
            for file in (whole, small)
        ]
        cosine = float((rows[0] * rows[1]).sum(axis=1).mean())
        is_near = cosine >= LEAST_COSINE
        (small if is_near else whole).replace(out / MODEL)
    return cosine if is_near else 1.0


def _pooling(source: Path) -> str:
    """How a model of sentence-transformers makes one row of its tokens': "mean" or "cls"."""
    file = source / "1_Pooling" / "config.json"
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WeightsError(f"{source} is no model of sentence-transformers: {error}") from error
    if config.get("pooling_mode_cls_token"):
        return "cls"
    if config.get("pooling_mode_mean_tokens"):
        return "mean"
    raise WeightsError(f"{file}: only the first token or the mean of all is known as pooling")
