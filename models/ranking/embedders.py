"""Embedding models, by sentence-transformers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from models.ranking.optional import need
from models.ranking.protocol import Floats
from utils.errors import SettingsError

_DTYPES = ("float32", "bfloat16", "float16")
_CPU_BATCH, _GPU_BATCH = 4, 64  # texts; larger CPU batches cost memory, save little time
_SMALLEST = 1e-12


class SentenceTransformerEmbedder:
    """A bi-encoder given by name or folder; each distinct text is embedded once per call.

    Texts are sorted by length, so that batches need little padding.
    """

    def __init__(
        self,
        model: str,
        *,
        query_prefix: str = "",
        dtype: str = "auto",
        batch_size: int | None = None,
        device: str | None = None,
    ) -> None:
        """Load `model`.

        Raises:
            MissingPackageError: sentence-transformers is not installed.
            SettingsError: there is no such model, or no such dtype.
        """
        if dtype not in ("auto", *_DTYPES):
            raise SettingsError(f"embedder_dtype must be auto, {', '.join(_DTYPES)}; is {dtype!r}")
        library = need("sentence_transformers", "sentence-transformers")
        torch = need("torch", "torch")
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.dtype = fastest_dtype(device) if dtype == "auto" else dtype
        try:
            self._model = library.SentenceTransformer(
                model,
                device=device,
                trust_remote_code=False,
                model_kwargs={"dtype": getattr(torch, self.dtype), "use_safetensors": True},
            )
        except (OSError, ValueError) as error:
            raise SettingsError(f"embedder {model!r} cannot be loaded: {error}") from error
        self._query_prefix = query_prefix
        self._batch_size = batch_size or (_CPU_BATCH if device == "cpu" else _GPU_BATCH)
        self.embed(["a"])  # the first call takes longer

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of unit length per text: float32[n, d]; equal texts are embedded once."""
        unique = list(dict.fromkeys(texts))
        if not unique:
            return np.zeros((0, 0), dtype=np.float32)
        rows: Any = self._model.encode(
            unique,
            batch_size=self._batch_size,
            show_progress_bar=False,
            convert_to_tensor=True,
        )
        found = np.asarray(rows.float().cpu().numpy(), dtype=np.float32)
        # normalised here, since rows in half precision are not of unit length
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), _SMALLEST)
        if len(unique) == len(texts):
            return found
        place = {text: i for i, text in enumerate(unique)}
        return np.asarray(found[[place[text] for text in texts]], dtype=np.float32)

    def embed_query(self, query: str) -> Floats:
        return np.asarray(self.embed([self._query_prefix + query])[0], dtype=np.float32)


def fastest_dtype(device: str) -> str:
    """float16 on a GPU, bfloat16 on a CPU that supports it, else float32.

    A CPU without bfloat16 instructions converts values and takes three times as long.
    """
    if device != "cpu":
        return "float16"
    cpu = need("torch", "torch").cpu
    names = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return "bfloat16" if any(getattr(cpu, name, bool)() for name in names) else "float32"
