"""Line charts as SVG, drawn without a plotting package."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 640, 360, 64, 40, 16, 48
_COLOURS = ("#1f5fa8", "#c0501f", "#3a7d34", "#7a4a9c")
_TICKS = 5


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart: points in order of x; `dots` shows each of them."""

    name: str
    points: tuple[tuple[float, float], ...]
    dots: bool = False


def chart(title: str, across: str, up: str, lines: Sequence[Line]) -> str:
    """The SVG of `lines` on common axes, which begin at the least and end at the greatest value."""
    points = [point for line in lines for point in line.points]
    left, right = _span([x for x, _ in points])
    low, high = _span([y for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        inner, tall = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
        return (
            _LEFT + inner * (x - left) / (right - left),
            _TOP + tall * (high - y) / (high - low),
        )

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_WIDTH / 2, 20, title, "middle", bold=True),
        _text(_WIDTH / 2, _HEIGHT - 10, across, "middle"),
        f'<text x="16" y="{_HEIGHT / 2}" text-anchor="middle" '
        f'transform="rotate(-90 16 {_HEIGHT / 2})">{escape(up)}</text>',
    ]
    for number in range(_TICKS + 1):
        share = number / _TICKS
        x, y = left + share * (right - left), low + share * (high - low)
        column, row = place(x, low)[0], place(left, y)[1]
        parts.append(f'<path d="M{_LEFT} {row:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>')
        parts.append(_text(_LEFT - 6, row + 4, f"{y:.3g}", "end"))
        parts.append(_text(column, _HEIGHT - _BOTTOM + 18, f"{x:.4g}", "middle"))
    for number, line in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        placed = [place(x, y) for x, y in line.points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in placed)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if line.dots:
            parts += [
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in placed
            ]
        parts.append(
            f'<text x="{_WIDTH - _RIGHT - 4}" y="{_TOP + 14 + 16 * number}" text-anchor="end" '
            f'fill="{colour}">{escape(line.name)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _text(x: float, y: float, text: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
