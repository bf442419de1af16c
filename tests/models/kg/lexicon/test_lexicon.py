"""What the lexicon holds: short phrases, and keys of the schema only."""

import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest

from models.kg.lexicon.lexicon import FOLDER, Lexicon, lexicon
from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import Entity
from utils.errors import SettingsError


def test_no_phrase_is_longer_than_five_words() -> None:
    own = lexicon()
    phrases = [*own.phrases, *own.filler, *own.filter_phrases]
    phrases += [phrase for relation in own.relations for phrase in relation.wording.context]
    assert [phrase for phrase in phrases if len(phrase.split()) > 5] == []


@pytest.mark.parametrize("name", ["movie", "music", "finance", "sports"])
def test_every_row_names_a_key_of_the_schema(name: str) -> None:
    known = [f"{row.name}.{key.name}" for row in functions().rows for key in row.keys]
    open_ended = tuple(f"{row.name}." for row in functions().rows if row.any_key)
    file = lexicon().domains[name]
    patterns = [p for row in (*file.relation, *file.adjective) for p in row.keys]
    for pattern in patterns:
        own = pattern.removeprefix(f"{name}.")
        assert own.startswith(open_ended) or any(fnmatch(each, own) for each in known), pattern


def test_a_misspelt_field_is_an_error_that_names_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "lexicon"
    shutil.copytree(FOLDER, folder)
    file = folder / "movie.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("countable = true", "countible = true", 1), encoding="utf-8")
    with pytest.raises(SettingsError, match=r"movie\.toml: relation\.\d+\.countible"):
        Lexicon(folder)


def test_an_operator_that_no_rule_knows_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "lexicon"
    shutil.copytree(FOLDER, folder)
    file = folder / "general.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("[operators]\n", '[operators]\nmedian = ["median"]\n'), "utf-8")
    with pytest.raises(SettingsError, match=r"general\.toml: operators\.median"):
        Lexicon(folder)


def test_relations_have_an_id_each_and_a_type_with_words_and_every_entity_has_relations() -> None:
    own = lexicon()
    ids = [relation.id for relation in own.relations]
    assert len(ids) == len(set(ids))
    assert all(relation.source in own.types for relation in own.relations)
    assert set(Entity) - {Entity.TEAM, Entity.GAME} <= {*own.relations_of_type, "thing"}


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("who dierctd Dunkirk?", "who dierctd Dunkirk?"),  # two misspellings in one word
        ("who dierctor of Dunkirk?", "who director of Dunkirk?"),
        ("relesed on Janaury 5th", "released on january 5th"),
        ("the dealer of denver", "the dealer of denver"),
    ],
)
def test_misspellings_of_its_words_are_corrected(text: str, corrected: str) -> None:
    assert lexicon().corrected(text) == corrected
