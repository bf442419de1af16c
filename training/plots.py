"""Curves as SVG files, by matplotlib where it is installed."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from utils.packages import training_package

Points = Sequence[tuple[float, float]]


def plot(file: Path, title: str, across: str, up: str, lines: Mapping[str, Points]) -> None:
    """Write `lines`, by their names, as one SVG. The same lines give the same bytes.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    figure = training_package("matplotlib.figure").Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot(title=title, xlabel=across, ylabel=up)
    for name, points in lines.items():
        horizontal = [x for x, _ in points]
        vertical = [y for _, y in points]
        axes.plot(horizontal, vertical, marker=".", label=name)
    axes.legend()
    with training_package("matplotlib").rc_context({"svg.hashsalt": title}):
        figure.savefig(file, metadata={"Date": None})
