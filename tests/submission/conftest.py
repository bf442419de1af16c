"""Scratch clones, with weights and without."""

from pathlib import Path

import pytest

from tests.submission.scratch import Scratch, clone, give_weights, make_base


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    return make_base(tmp_path_factory.mktemp("submission") / "base")


@pytest.fixture
def scratch(base: Scratch, tmp_path: Path) -> Scratch:
    """A clean clone: the offline system, no weights."""
    return clone(base, tmp_path / "clone")


@pytest.fixture
def weighty(scratch: Scratch) -> Scratch:
    """A clean clone with db3's settings and made-up weights."""
    give_weights(scratch)
    return scratch
