"""Answers that are ruled out, and false premises, whatever the weights say."""

import pytest

from mock_api.local import LocalClient
from models.records import INVALID
from tests.models.kg.parsing.test_cases import parse


def answers(question: str, client: LocalClient) -> list[str]:
    """The answers of all candidates that are not ruled out."""
    derivations = parse(question, client).derivations
    return [derivation.answer for derivation in derivations if derivation.answer is not None]


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("what was the last dividend of apple?", True),
        ("what is the dividend yield of apple?", False),
        ("what dividend yield does apple have?", False),
        ("how high is apple's dividend yield?", False),
        ("what was the dividend yield of apple stock?", False),
        ("what is apple inc.'s dividend yield?", False),
    ],
)
def test_less_than_what_is_asked_for_is_ruled_out(
    question: str, is_answered: bool, example_kg: LocalClient
) -> None:
    """The KG has the dividends of Apple, but not their yield."""
    assert bool(answers(question, example_kg)) == is_answered


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("what are the three latest films directed by christopher nolan?", True),
        ("what are the ten latest films directed by christopher nolan?", False),
        ("name the nine most recent movies by christopher nolan", False),
        ("list the top 8 highest-grossing movies directed by christopher nolan", False),
        ("what are the first eleven films that christopher nolan directed?", False),
        ("which 12 movies did christopher nolan direct first?", False),
    ],
)
def test_fewer_values_than_asked_for_are_no_answer(
    question: str, is_answered: bool, example_kg: LocalClient
) -> None:
    """The KG has six films by Nolan."""
    titles = [answer for answer in answers(question, example_kg) if "Oppenheimer" in answer]
    assert bool(titles) == is_answered


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ('who directed "green book"?', True),
        ('who directed "green"?', False),
        ('how long is "king\'s"?', False),
        ('who played in "the social"?', False),
        ('when was "grand budapest" released?', False),
        ('what was the budget of "blade"?', False),
    ],
)
def test_a_quoted_name_is_not_a_part_of_another(
    question: str, is_answered: bool, example_kg: LocalClient
) -> None:
    assert bool(answers(question, example_kg)) == is_answered


@pytest.mark.parametrize(
    ("question", "is_false"),
    [
        ("how long is the science fiction film inception?", False),
        ("how long is the comedy film inception?", True),
        ("what was the budget of the western skyfall?", True),
        ("what is the runtime of the animated movie gladiator?", True),
        ("when did the romantic drama titanic come out?", False),
        ("what was the budget of the horror movie barbie?", True),
        ("how long is inception compared to a comedy?", False),
    ],
)
def test_a_film_of_another_genre_is_a_false_premise(
    question: str, is_false: bool, example_kg: LocalClient
) -> None:
    assert (INVALID in answers(question, example_kg)) == is_false


@pytest.mark.parametrize("kind", ["album", "studio album", "albums"])
def test_a_song_is_no_album(kind: str, example_kg: LocalClient) -> None:
    """The KG does not tell them apart, so that "album" counts as unread."""
    parsed = parse(f"what {kind} did adele release in 2021?", example_kg)
    assert parsed.coverage is not None
    album = parsed.coverage.spans.words.index(kind.split()[-1])
    works = [d.candidate for d in parsed.derivations if d.answer and "Easy on Me" in d.answer]
    assert works
    assert all(album in parsed.coverage.unexplained(candidate) for candidate in works)
