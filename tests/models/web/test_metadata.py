"""What a page tells machines is kept where it has content, and once."""

import json

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


def test_meta_and_json_ld_come_after_the_text_and_not_twice() -> None:
    html = (
        '<head><meta name="description" content="A lighthouse in the north."></head>'
        '<meta property="og:description" content="Body text."><p>Body text.</p>'
        '<script type="application/ld+json">{"name": "N", "height": "41 m"}</script>'
    )
    text = extract(Page("", "", "", html)).text
    assert text == "Body text.\nDescription: A lighthouse in the north.\nN, height: 41 m"
