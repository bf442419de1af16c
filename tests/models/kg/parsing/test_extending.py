"""A new key, and a new domain, need rows in the schema and lines in the lexicon."""

import re
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.kg.execution.fetch import fetchers
from models.kg.execution.fetch.protocol import Arguments, Fetched, Fetcher, FetchSteps, ask, search
from models.kg.lexicon import named_functions as table
from models.kg.lexicon.lexicon import FOLDER, Lexicon
from models.kg.lexicon.named_functions import functions
from models.kg.lexicon.types import ThingType
from models.kg.names.finder import NameSearch
from models.kg.parsing import spans
from models.kg.parsing.semantic_parser import SemanticParser
from models.kg.schema import prompt_text as schema
from models.kg.schema.functions import Function, Key, Parameter, Type, read_rows
from models.records import Domain
from tests.models.kg.cases import SOON, Answering
from utils.crag_api import ApiCall

PAGE = Path(__file__).parents[4] / "docs" / "parsing.md"


@pytest.fixture
def extended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Makes a lexicon of other rows of the schema and another file of phrases."""

    def make(rows: Sequence[Function], name: str, text: str) -> Lexicon:
        monkeypatch.setattr(table, "read_rows", lambda: tuple(rows))
        functions.cache_clear()
        schema.schema_text.cache_clear()
        folder = tmp_path / "lexicon"
        shutil.copytree(FOLDER, folder)
        file = folder / name
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(before + text, encoding="utf-8")
        return Lexicon(folder)

    yield make
    functions.cache_clear()
    schema.schema_text.cache_clear()


@pytest.mark.parametrize("question", ["what is the tagline of memento?", "memento catchphrase"])
def test_a_key_is_a_row_and_a_line(question: str, extended: Any, example_kg: LocalClient) -> None:
    def with_taglines(call: ApiCall) -> Any:
        (reply,) = example_kg.call_many([call], deadline=SOON)
        if call.endpoint == "/movie/get_movie_info":
            for movie in reply:
                movie["tagline"] = f"{movie['title']} begins"
        return reply

    rows = [
        replace(row, keys=(*row.keys, Key("tagline"))) if row.name == "get_movie" else row
        for row in read_rows()
    ]
    phrases = '\n[[relation]]\nkeys = ["get_movie.tagline"]\nphrases = ["tagline", "catchphrase"]\n'
    lexicon = extended(rows, "movie.toml", phrases)
    parsed = SemanticParser(Answering(with_taglines), lexicon).parse(question, None, SOON)
    assert parsed.chosen is not None and parsed.chosen.answer == "Memento begins"


PLANETS = {
    "Mars": {"name": "Mars", "radius": 3390, "moons": ["Phobos", "Deimos"]},
    "Venus": {"name": "Venus", "radius": 6052, "moons": []},
}


def planet_kg(call: ApiCall) -> Any:
    """A KG of two endpoints."""
    query = str(call.params["query"])
    if call.endpoint == "/planets/search":
        return [name for name in PLANETS if name.lower() in query.lower()]
    return PLANETS.get(query) if call.endpoint == "/planets/get" else []


def get_planet(arguments: Arguments) -> FetchSteps:
    matches = yield from search("/planets/search", arguments.text(0) or "", str)
    if not matches.hits:
        return Fetched()
    planet = yield from ask("/planets/get", query=matches.hits[0])
    return Fetched((planet,), (matches.hits[0],), readings=matches.readings)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how big is mars?", "3390"),
        ("how many moons does mars have?", "2"),
        ("which moons does mars have?", "Phobos, Deimos"),
        ("which is bigger, mars or venus?", "venus"),
    ],
)
def test_a_domain_is_functions_a_search_and_a_file(
    question: str, answer: str, extended: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    planet: Any = "planet"
    row = Function(
        "get_planet",
        Domain.OPEN,
        (Parameter("name", entity=planet),),
        (Key("radius", Type.NUMBER), Key("moons", Type.LIST)),
        row="planet",
    )
    source = Fetcher(get_planet, ("/planets/search", "/planets/get"))
    monkeypatch.setitem(fetchers.FETCHERS[Domain.OPEN], "get_planet", source)
    monkeypatch.setitem(spans.SEARCHES, ThingType("planet"), NameSearch("/planets/search", str))
    block = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert block is not None and tomllib.loads(block[1])["domain"] == "open"
    lexicon = extended([*read_rows(), row], "planets.toml", block[1])
    parsed = SemanticParser(Answering(planet_kg), lexicon).parse(question, None, SOON)
    assert parsed.chosen is not None and parsed.chosen.answer == answer
