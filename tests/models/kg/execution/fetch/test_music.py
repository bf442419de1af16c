"""The music API sends one field per call, so a key without an endpoint would never have a value."""

import pytest

from models.kg.execution.fetch.music import _ARTIST, _GRAMMY_PERSON, _SONG
from models.kg.schema.functions import read_rows
from models.records import Domain


@pytest.mark.parametrize(
    ("function", "endpoints"),
    [("get_person", _ARTIST), ("get_song", _SONG), ("get_grammy_person", _GRAMMY_PERSON)],
)
def test_every_key_of_a_name_has_an_endpoint(function: str, endpoints: dict[str, str]) -> None:
    for row in read_rows():
        if row.name == function and row.domain is Domain.MUSIC:
            assert row.key_names <= {"name", *endpoints}
