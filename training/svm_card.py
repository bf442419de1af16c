"""What a file of attribute weights says of itself, in words."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from models.subtasks.attributes.svm import DOMAINS


def summary(told: Mapping[str, Any]) -> str:
    """The accuracies in two lines."""
    return "\n".join(
        f"{name:8} {np.mean(told[key]):.4f} out of fold, "
        f"{min(told[key]):.4f} to {max(told[key]):.4f} over {len(told['seeds'])} seeds"
        f" (always the commonest: {told[base]:.4f})"
        for name, key, base in (
            ("domain", "accuracy_domain", "largest_domain"),
            ("dynamic", "accuracy_dynamic", "always_static"),
        )
    )


def card(name: str, told: Mapping[str, Any]) -> str:
    """The model card, as Markdown."""
    facts = "\n".join(f"| {key} | {value} |" for key, value in told.items())
    inputs = "hashed n-grams" + " and a sentence embedding" * bool(told["embedder"])
    return f"""# {name}

Predicts a question's domain ({", ".join(DOMAINS)}) and whether its answer is
dynamic (real-time or fast-changing), by SVMs over {inputs}.
English questions of one sentence; made by `python -m training.svm`, loaded by
`models.subtasks.attributes.svm.LinearPredictor`. The weights were learnt from labelled
questions: whoever passes them on must keep to the licence of that data.

    {summary(told).replace(chr(10), chr(10) + "    ")}

| what | value |
|---|---|
{facts}
"""
