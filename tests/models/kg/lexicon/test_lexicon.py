"""What the lexicon holds: short phrases, and keys of the schema only."""

import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest

from models.kg.lexicon.lexicon import FOLDER, Lexicon, lexicon
from models.kg.lexicon.named_functions import functions
from models.kg.lexicon.types import ThingType
from models.kg.schema.functions import Entity
from utils.errors import SettingsError


def test_no_phrase_is_longer_than_five_words() -> None:
    english = lexicon()
    phrases = [*english.phrases, *english.filler, *english.filter_phrases]
    for relation in english.relations:
        phrases += relation.wording.context
    assert [phrase for phrase in phrases if len(phrase.split()) > 5] == []


@pytest.mark.parametrize("name", ["movie", "music", "finance", "sports"])
def test_every_row_names_a_key_of_the_schema(name: str) -> None:
    known_keys: list[str] = []
    open_ended: list[str] = []
    for function in functions().rows:
        known_keys += [f"{function.name}.{key.name}" for key in function.keys]
        if function.any_key:
            open_ended.append(f"{function.name}.")
    file = lexicon().domains[name]
    for row in (*file.relation, *file.adjective):
        for pattern in row.keys:
            key = pattern.removeprefix(f"{name}.")
            is_known = any(fnmatch(known, key) for known in known_keys)
            assert is_known or key.startswith(tuple(open_ended)), pattern


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


def test_each_relation_has_its_own_id() -> None:
    ids = [relation.id for relation in lexicon().relations]
    assert len(ids) == len(set(ids))


def test_each_type_of_things_has_words_and_each_entity_has_relations() -> None:
    english = lexicon()
    assert all(relation.source in english.types for relation in english.relations)
    entities = set(Entity) - {Entity.TEAM, Entity.GAME, Entity.THING}
    assert all(ThingType(entity) in english.relations_of_type for entity in entities)


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
