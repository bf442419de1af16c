from utils.text import words


def test_words_have_no_case_accents_or_punctuation() -> None:
    assert words("What's Apple's P/E?") == ["what", "apple", "p", "e"]
    assert words("Spider-Man snake_case 2024") == ["spider", "man", "snake", "case", "2024"]
    text = "Beyonc\u00e9\u2019s \uff21\uff22 STRASSE \u00df"
    assert words(text) == ["beyonce", "ab", "strasse", "ss"]
