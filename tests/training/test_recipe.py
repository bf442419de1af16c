"""Recipes and jobs: what a file says, nothing that is not known, and what makes a run the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from training.recipe import FOLDER, Recipe, read_recipe
from training.tuning.job import Job
from utils.errors import SettingsError


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.toml")), ids=lambda file: file.stem)
def test_our_recipes_can_be_read(file: Path) -> None:
    recipe = read_recipe(file.stem)
    assert read_recipe(str(file)) == recipe
    assert read_recipe(file.stem, seed=7).seed == 7


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('subtask = "x"\nlr = 1', "lr: Unexpected keyword"),
        ("r = 0", "subtask: Field required; r: Input should be greater than 0"),
        ("subtask = ", "not a recipe.*ours are: answer_alone, answer_kg"),
    ],
)
def test_an_error_names_the_field_and_the_recipes_of_ours(
    text: str, error: str, tmp_path: Path
) -> None:
    file = tmp_path / "r.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=error):
        read_recipe(str(file))


def test_a_moved_base_is_the_same_and_a_retrained_one_is_another(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    (base / "config.json").write_text("{}")
    weights = base / "model.safetensors"
    weights.write_bytes(b"weights")
    job = Job(Recipe("write_query"), base, [], "a" * 64, tmp_path / "out")
    before = job.identity
    moved = replace(job, base=base.rename(tmp_path / "moved"))
    assert moved.identity == before
    (moved.base / weights.name).write_bytes(b"Weights")
    assert moved.identity != before
