"""docs/web.md shows the figures that are recorded."""

import json

import pytest

from benchmarks.web_tables import BEGIN, END, PAGE, RECORDED, filled


def test_the_page_shows_what_is_recorded() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, json.loads(RECORDED.read_text(encoding="utf-8"))) == page


def test_another_figure_makes_another_page() -> None:
    figures = json.loads(RECORDED.read_text(encoding="utf-8"))
    before = filled(f"a\n{BEGIN}\nold\n{END}\nz", figures)
    figures["pool"]["ours"]["recall@4000"] = 0.123
    after = filled(before, figures)
    assert "12.3%" in after and after != before and "old" not in before
    with pytest.raises(ValueError, match="values to unpack"):
        filled("a page without marks", figures)
