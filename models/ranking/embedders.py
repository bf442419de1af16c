"""Embedding models, by sentence-transformers, and embedding within a deadline."""

from collections.abc import Sequence

import numpy as np

from models.load_shedding import Pace
from models.ranking.protocol import Embedder, Floats
from utils.deadline import Deadline
from utils.packages import package

_STEP = 32  # texts between two looks at the clock
_CPU_BATCH = 4  # texts; larger batches cost memory, save little time
_GPU_BATCH = 64
# torch.cpu's names for a CPU with bfloat16 instructions; older versions of torch lack them.
_BFLOAT16_CHECKS = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")


def embed_until(embedder: Embedder, texts: Sequence[str], deadline: Deadline, pace: Pace) -> Floats:
    """The rows of as many of the first texts as time allows: float32[m, d]."""
    steps: list[tuple[int, Sequence[str]]] = []  # characters, texts
    for first in range(0, len(texts), _STEP):
        step = texts[first : first + _STEP]
        chars = sum(map(len, step))
        steps.append((chars, step))
    rows = [embedder.embed(step) for step in pace.in_time("embed", steps, deadline)]
    if not rows:
        return np.zeros((0, 0), dtype=np.float32)
    return np.concatenate(rows)


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
        model_kwargs = {
            "dtype": getattr(self._torch, self.dtype),
            "use_safetensors": True,
        }
        self._model = library.SentenceTransformer(
            model,
            device=device,
            trust_remote_code=False,
            model_kwargs=model_kwargs,
        )
        self._query_prefix = query_prefix
        self._batch_size = _CPU_BATCH if device == "cpu" else _GPU_BATCH
        self.embed(["a"])  # the first call takes longer

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of unit length per text: float32[n, d]."""
        rows = self._model.encode(
            list(texts),
            batch_size=self._batch_size,
            show_progress_bar=False,
            convert_to_tensor=True,
        )
        # normalised here, since rows in half precision are not of unit length
        normalize = self._torch.nn.functional.normalize
        unit_rows = normalize(rows.float(), dim=-1)
        return np.asarray(unit_rows.cpu().numpy(), dtype=np.float32)

    def embed_query(self, query: str) -> Floats:
        """The query's row, float32[d], with the instruction that the model requires before it."""
        rows = self.embed([self._query_prefix + query])
        row: Floats = rows[0]
        return row


def fastest_dtype(device: str) -> str:
    """float16 on a GPU, bfloat16 on a CPU that supports it, else float32.

    A CPU without bfloat16 instructions converts values and takes three times as long.
    """
    if device != "cpu":
        return "float16"
    cpu = package("torch").cpu
    for name in _BFLOAT16_CHECKS:
        is_supported = getattr(cpu, name, None)
        if is_supported is not None and is_supported():
            return "bfloat16"
    return "float32"
