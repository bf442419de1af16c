"""What a page tells machines is kept where it has content, and once."""

import json

import pytest

from models.records import Page
from models.web.html import extract
from models.web.metadata import MAX_FACTS, facts_of


def test_properties_of_a_thing_are_lines() -> None:
    person = {
        "@type": "Person",
        "name": "Ann Other",
        "birthDate": "1950-01-02",
        "image": "x.png",
        "spouse": {"@type": "Person", "name": "Bo Third"},
        "award": ["First prize", "Second prize"],
    }
    assert facts_of([json.dumps({"@graph": [person]})], []) == [
        "Ann Other, birthDate: 1950-01-02",
        "Ann Other, spouse: Bo Third",
        "Ann Other, award: First prize, Second prize",
    ]


def test_a_question_and_its_answer_are_one_line() -> None:
    answer = {"@type": "Answer", "text": "<p>41 metres.</p>"}
    faq = {"@type": "FAQPage", "mainEntity": [
        {"@type": "Question", "name": "How high is it?", "acceptedAnswer": answer}]}  # fmt: skip
    assert facts_of([json.dumps(faq)], []) == ["How high is it? 41 metres."]


def test_what_is_no_json_or_made_to_hurt_is_passed_over() -> None:
    many = json.dumps([{"name": "a", "duration": i} for i in range(1000)])
    assert len(facts_of(["{", "[" * 100_000, "x" * 400_000, many], [])) == MAX_FACTS


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("N is 141 minutes long.", True),  # "41 m" is said of nothing
        ("It is 41 m high.", True),  # of what?
        ("N is 41 m high.", False),
    ],
)
def test_a_short_fact_is_kept_unless_the_text_says_it_of_its_thing(body: str, kept: bool) -> None:
    script = '<script type="application/ld+json">{"name": "N", "height": "41 m"}</script>'
    text = extract(Page("", "", "", f"<p>{body}</p>{script}")).text
    assert ("N, height: 41 m" in text) is kept


def test_a_question_and_its_answer_reach_the_text() -> None:
    faq = '{"@type": "Question", "name": "How high?", "acceptedAnswer": {"text": "41 metres."}}'
    html = f'<p>Body.</p><script type="application/ld+json">{faq}</script>'
    assert extract(Page("", "", "", html)).text == "Body.\nHow high? 41 metres."


def test_no_lone_surrogate_reaches_a_text() -> None:
    script = '<script type="application/ld+json">{"name": "N", "genre": "\\ud800x"}</script>'
    found = extract(Page("na\ud800me", "", "", script))
    assert (found.title, found.text) == ("name", "N, genre: x")
    assert extract(Page("na\ud800me", "", "", "")).title == "name"


def test_meta_and_json_ld_come_after_the_text_and_not_twice() -> None:
    html = (
        '<head><meta name="description" content="A lighthouse in the north."></head>'
        '<meta property="og:description" content="Body text."><p>Body text.</p>'
        '<script type="application/ld+json">{"name": "N", "height": "41 m"}</script>'
    )
    text = extract(Page("", "", "", html)).text
    assert text == "Body text.\nDescription: A lighthouse in the north.\nN, height: 41 m"
