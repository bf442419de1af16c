import pytest

from utils.text import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What's Apple's P/E?", "what apple p e"),
        ("Spider-Man snake_case 2024-03", "spider man snake case 2024 03"),
        ("Beyonc\u00e9\u2019s \uff21\uff22 STRASSE \u00df", "beyonce ab strasse ss"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert " ".join(words(text)) == expected
