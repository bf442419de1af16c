"""Scratch clones, with weights and without."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.submission.scratch import Scratch, make_base, write_weights


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    folder = tmp_path_factory.mktemp("submission")
    (folder / "gitconfig").write_text("[user]\nname = nobody\nemail = nobody@example.com\n")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("GIT_CONFIG_GLOBAL", str(folder / "gitconfig"))
        environment.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield make_base(folder / "base")


@pytest.fixture
def scratch(base: Scratch, tmp_path: Path) -> Scratch:
    """A clean clone: the offline system, no weights."""
    base.git("clone", "--quiet", "--local", str(base.root), str(tmp_path / "clone"))
    return Scratch(tmp_path / "clone")


@pytest.fixture
def weighty(scratch: Scratch) -> Scratch:
    """A clean clone with db3's settings and made-up weights."""
    write_weights(scratch)
    return scratch
