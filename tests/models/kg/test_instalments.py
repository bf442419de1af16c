"""A film that the KG lacks is not taken for another instalment of its series."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from mock_api.cache import ready_file
from mock_api.local import LocalClient
from models import kg
from models.kg.parsing.semantic_parser import SemanticParser
from tests.models.conftest import EXAMPLE_KG
from tests.models.kg.cases import SOON
from tests.models.kg.instalments import other_instalments, series_of
from utils.crag_api import KgClient

NOW = datetime(2024, 2, 28, 8, 0)
MOST = 100


def titles_in(folder: Path) -> list[str]:
    text = (folder / "movies.jsonl").read_text(encoding="utf-8")
    return [json.loads(line)["title"] for line in text.splitlines()]


def linked_films(title: str, client: KgClient) -> list[str]:
    """The films that the executor and the semantic parser take a title for."""
    program = f'get_movie({json.dumps(title, ensure_ascii=False)})["release_date"]'
    films = list(kg.run(program, client, NOW, SOON).outcomes[0].entities)
    for question in (f"when was {title.lower()} released?", f"who directed the film {title}?"):
        parsed = SemanticParser(client).parse(question, NOW, SOON)
        assert parsed.coverage is not None
        things = parsed.coverage.spans.things
        films += [thing.name for thing in things if str(thing.type) == "movie"]
    return films


def check(titles: list[str], client: KgClient, most: int, least: int) -> None:
    pairs = list(other_instalments(titles))
    step = max(len(pairs) // most, 1)
    pairs = pairs[::step][:most]
    assert len(pairs) >= least
    linked = {}
    for _, changed in pairs:
        series = series_of(changed)
        films = [film for film in linked_films(changed, client) if series_of(film) == series]
        if films:
            linked[changed] = films
    assert not linked, linked


def test_no_title_of_the_example_kg_with_another_number_is_linked(
    example_kg: LocalClient,
) -> None:
    check(titles_in(EXAMPLE_KG), example_kg, most=12, least=5)


@pytest.mark.crag_data
@pytest.mark.slow
def test_no_title_of_the_real_kg_with_another_number_is_linked(
    crag_data: Path, tmp_path: Path
) -> None:
    client = LocalClient(ready_file(crag_data / "kg", lambda _: None, cache=tmp_path))
    check(titles_in(crag_data / "kg"), client, MOST, MOST)
