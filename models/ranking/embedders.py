"""Embedding models, by sentence-transformers, and embedding within a deadline."""

from collections.abc import Sequence

import numpy as np

from models.load_shedding import Pace
from models.ranking.protocol import Embedder, Floats
from utils.deadline import Deadline
from utils.packages import package

_STEP = 32  # texts between two looks at the clock
_CPU_BATCH, _GPU_BATCH = 4, 64  # texts; larger CPU batches cost memory, save little time


def embed_until(embedder: Embedder, texts: Sequence[str], deadline: Deadline, pace: Pace) -> Floats:
    """The rows of as many of the first texts as time allows: float32[m, d]."""
    steps = [texts[i : i + _STEP] for i in range(0, len(texts), _STEP)]
    parts = [(sum(map(len, step)), step) for step in steps]
    rows = [embedder.embed(step) for step in pace.in_time("embed", parts, deadline)]
    return np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)


class SentenceTransformerEmbedder:
    """A bi-encoder given by name or folder."""

    def __init__(self, model: str, *, query_prefix: str = "", dtype: str = "auto") -> None:
        """Load `model`.

        Raises:
            MissingPackageError: sentence-transformers is not installed.
        """
        library = package("sentence_transformers")
        self._torch = package("torch")
        device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self.dtype = fastest_dtype(device) if dtype == "auto" else dtype
        self._model = library.SentenceTransformer(
            model,
            device=device,
            trust_remote_code=False,
            model_kwargs={"dtype": getattr(self._torch, self.dtype), "use_safetensors": True},
        )
        self._query_prefix = query_prefix
        self._batch_size = _CPU_BATCH if device == "cpu" else _GPU_BATCH
        self.embed(["a"])  # the first call takes longer

    def embed(self, texts: Sequence[str]) -> Floats:
        rows = self._model.encode(
            list(texts),
            batch_size=self._batch_size,
            show_progress_bar=False,
            convert_to_tensor=True,
        )
        # normalised here, since rows in half precision are not of unit length
        unit = self._torch.nn.functional.normalize(rows.float(), dim=-1)
        return np.asarray(unit.cpu().numpy(), dtype=np.float32)

    def embed_query(self, query: str) -> Floats:
        return np.asarray(self.embed([self._query_prefix + query])[0], dtype=np.float32)


def fastest_dtype(device: str) -> str:
    """float16 on a GPU, bfloat16 on a CPU that supports it, else float32.

    A CPU without bfloat16 instructions converts values and takes three times as long.
    """
    if device != "cpu":
        return "float16"
    cpu = package("torch").cpu
    names = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return "bfloat16" if any(getattr(cpu, name, bool)() for name in names) else "float32"
