"""The words of a question, and runs of them."""

from models.kg.linking.question import Asked, Span, runs

ASKED = Asked.of("When was 'The Glass Harbour' released, and by whom?")


def plain(asked: Asked) -> str:
    return " ".join(word.text for word in asked.words)


def test_words_are_folded_and_keep_their_place() -> None:
    assert plain(ASKED) == "when was the glass harbour released and by whom"
    assert ASKED.spelled(Span(2, 5)) == "The Glass Harbour"


def test_a_possessive_ending_is_no_part_of_a_word_but_of_its_place() -> None:
    asked = Asked.of("What's Käki's birthday?")
    assert [word.text for word in asked.words] == ["what", "kaki", "birthday"]


def test_a_span_may_be_taken_out() -> None:
    span = Span(2, 5)
    assert plain(ASKED.without([span])) == "when was released and by whom"


def test_runs_are_found_wherever_they_stand() -> None:
    within = "a b a b a".split()
    assert list(runs(["a", "b"], within)) == [Span(0, 2), Span(2, 4)]
    assert list(runs([], within)) == []
    assert Span(0, 2).meets(Span(1, 3))
    assert not Span(0, 2).meets(Span(2, 3))
