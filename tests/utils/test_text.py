import pytest

from utils.text import fold, words


def test_fold() -> None:
    assert fold("Beyonc\u00e9\u2019s Songs") == "beyonce's songs"
    assert fold("\uff21\uff22 STRASSE \u00df") == "ab strasse ss"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What's Apple's P/E?", ["what", "apple", "p", "e"]),
        ("Spider-Man: No Way Home", ["spider", "man", "no", "way", "home"]),
        ("snake_case 2024-03-10", ["snake", "case", "2024", "03", "10"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected
