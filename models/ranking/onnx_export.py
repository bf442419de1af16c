"""Writes encoders of transformers in ONNX, which `onnxruntime` runs without torch."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from utils.packages import training_package

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def write_onnx(model: Any, fields: Sequence[str], file: Path) -> None:
    """Write a model of transformers with float32 weights.

    Args:
        fields: of the model's output, which become outputs of these names.
    """
    torch = training_package("torch")

    class Outputs(torch.nn.Module):  # type: ignore[misc, name-defined]
        """The model with its inputs in the order of `INPUTS`, and the fields alone."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model.eval()

        def forward(self, *tensors: Any) -> Any:
            output = self.model(**dict(zip(INPUTS, tensors, strict=True)))
            return tuple(getattr(output, field) for field in fields)

    # Tensors of their own: of one tensor given three times, the exporter makes one input.
    samples = tuple(torch.ones((2, 8), dtype=torch.long) for _ in INPUTS)
    texts = torch.export.Dim("texts")
    tokens = torch.export.Dim("tokens")
    shape = {0: texts, 1: tokens}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch about its own exporter
        torch.onnx.export(
            Outputs().eval(),
            samples,
            str(file),
            input_names=list(INPUTS),
            output_names=list(fields),
            dynamic_shapes={"tensors": (shape,) * len(INPUTS)},
            dynamo=True,
            external_data=False,
            verbose=False,
        )


def write_int8(file: Path, out: Path) -> None:
    """Write the model in `file` with weights of eight bits, a scale for each of their rows."""
    quantization = training_package("onnxruntime.quantization")
    weights = quantization.QuantType.QInt8
    quantization.quantize_dynamic(file, out, weight_type=weights, per_channel=True)
