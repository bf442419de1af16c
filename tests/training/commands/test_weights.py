"""`crag training open-keys`; the other commands of its module are tested where they fit."""

from pathlib import Path

from tests.training.commands.tower import run
from training.kg import EXAMPLE_KG


def test_open_keys(tmp_path: Path) -> None:
    out = tmp_path / "keys.toml"
    out.write_text("# head\n[keys]\nold = 1\n")
    run("open-keys", "--kg", EXAMPLE_KG, "--keep", 2, "--out", out)
    head, _, keys = out.read_text().partition("[keys]\n")
    assert head == "# head\n" and "old" not in keys
    assert all(len(line.split('"')[1].split()) <= 2 for line in keys.splitlines())
