import pytest

from models.kg.lexicon.route import route
from models.records import Domain


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("who directed the film?", Domain.MOVIE),
        ("what is the ticker of acme's stock?", Domain.FINANCE),
        ("which band released that album?", Domain.MUSIC),
        ("how many goals did they score in the match?", Domain.SPORTS),
        ("how tall is the tower?", None),
        ("is the song in the film?", None),
    ],
)
def test_route(text: str, domain: Domain | None) -> None:
    assert route(text) is domain
