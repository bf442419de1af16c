"""Adversarial pages: no extractor and no chunker raises, and offsets of passages are right."""

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.adversarial_pages import FUZZED, WAYS, fuzzed
from models.records import Page
from models.web.extractors import make_reader
from models.web.splitters import make_chunker


@pytest.mark.parametrize("way", list(WAYS))
def test_fuzzed_pages_are_read_and_offsets_are_right(way: str) -> None:
    settings = WAYS[way]
    reader = make_reader(settings)
    chunker = make_chunker(replace(settings, table_chars=10_000))
    for seed in range(FUZZED):
        counts: Counter[str] = Counter()
        page = reader.read(Page("name", "", "", fuzzed(seed)), counts)
        assert not [name for name in counts if name.startswith("broke:")]
        page.text.encode()
        for chunk in chunker.chunk(page, 3):
            passage = chunk.passage
            assert passage.page == 3
            assert passage.text.strip() == page.text[passage.start : passage.end].strip()
            for start, end in chunk.children:
                assert 0 <= start < end <= len(passage.text)
