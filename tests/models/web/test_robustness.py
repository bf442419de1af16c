"""Pages made to hurt: none raises, none hangs, whatever reads and cuts it."""

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.nasty_pages import FUZZED, MEGABYTES, SECONDS, SEED, WAYS, fuzzed, measure
from models.records import Page
from models.web.extractors import make_reader
from models.web.factory import make_chunker
from models.web.settings import WebSettings

PACKAGES = {
    "beautifulsoup": "bs4",
    "sentence_groups": "blingfire",
}


def settings_of(way: str) -> WebSettings:
    if way not in ("default", "sentences", "tokens", "parent_child", "headers"):
        pytest.importorskip(PACKAGES.get(way, way), reason=f"{way} is not installed")
    return WAYS[way]


@pytest.mark.parametrize("way", list(WAYS))
def test_fuzzed_pages_are_read_and_passages_stand_where_they_say(way: str) -> None:
    settings = settings_of(way)
    reader = make_reader(settings.extractors, settings.max_html_chars, tables=True)
    chunker = make_chunker(replace(settings, table_chars=10_000))
    for seed in range(FUZZED):
        counts: Counter[str] = Counter()
        page = reader.read(Page("name", "", "", fuzzed(SEED + seed)), counts)
        assert not [name for name in counts if name.startswith("broke:")]
        page.text.encode()
        for chunk in chunker.chunk(page, 0):
            passage = chunk.passage
            assert passage.text.strip() == page.text[passage.start : passage.end].strip()
            assert all(0 <= a < b <= len(passage.text) for a, b in chunk.children)


# The others are for the benchmark: `python -m benchmarks.nasty_pages`.
@pytest.mark.clock
@pytest.mark.parametrize("way", ["default", "beautifulsoup"])
def test_big_pages_neither_hang_nor_fill_the_memory(way: str) -> None:
    settings_of(way)
    figures = measure(way)
    assert max(figures["slowest"].values()) < 10 * SECONDS  # tenfold slack
    assert figures["peak MB"] < MEGABYTES
