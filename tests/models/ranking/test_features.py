"""The declaration of features."""

import json
from pathlib import Path

import pytest

from mock_api.local import LocalClient
from models.kg.parsing.semantic_parser import WEIGHTS, SemanticParser
from models.ranking.features import declared_feature
from models.subtasks.answer_web import WEIGHTS as READER_WEIGHTS
from tests.models.kg.cases import SOON


@pytest.mark.parametrize("file", [WEIGHTS, READER_WEIGHTS], ids=["parser", "reader"])
def test_every_weight_is_that_of_a_declared_feature(file: Path) -> None:
    model = json.loads(file.read_text(encoding="utf-8"))["model"]
    for weights in (model["ranker"], model["confidence"]):
        assert [name for name in weights if declared_feature(name) is None] == []


def test_every_feature_of_the_parser_is_declared(example_kg: LocalClient) -> None:
    names: set[str] = set()
    for question in (
        "which is longer, titanic or dunkirk?",
        "how many films has christopher nolan directed in total?",
        "was dunkirk released in 2017?",
    ):
        for derivation in SemanticParser(example_kg).parse(question, None, SOON).derivations:
            names |= derivation.features.keys()
    assert names
    assert [name for name in names if declared_feature(name) is None] == []


def test_a_family_and_a_feature_of_one_name_are_told_apart_by_the_colon() -> None:
    plain = declared_feature("or")
    family = declared_feature("or:date")
    assert plain is not None and plain.confidence
    assert family is not None and not family.confidence
    assert declared_feature("left:date") is None
