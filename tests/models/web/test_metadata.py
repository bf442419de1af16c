"""The facts in a page's metadata are added to its text, unless the text has them."""

import json

import pytest

from models.records import Page
from models.web.html import SelectolaxExtractor
from models.web.metadata import MAX_FACTS, facts_of

PERSON = {
    "@type": "Person",
    "name": "Ann Other",
    "birthDate": "1950-01-02",
    "image": "x.png",
    "spouse": {"@type": "Person", "name": "Bo Third"},
    "award": ["First prize", "Second prize"],
}
ANSWER = {"@type": "Answer", "text": "<p>41 metres.</p>"}
FAQ = {"@type": "Question", "name": "How high is it?", "acceptedAnswer": ANSWER}
META = '<head><meta name="description" content="A lighthouse in the north."></head>'


def text(html: str) -> str:
    return SelectolaxExtractor().extract(Page("", "", "", html)).text


def script(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            script({"@graph": [PERSON]}),
            "Ann Other, birthDate: 1950-01-02\nAnn Other, spouse: Bo Third\n"
            "Ann Other, award: First prize, Second prize",
        ),
        (
            f"{META}<p>Body.</p>" + script({"@type": "FAQPage", "mainEntity": [FAQ]}),
            "Body.\nDescription: A lighthouse in the north.\nHow high is it? 41 metres.",
        ),
        ('<meta property="og:description" content="Body text."><p>Body text.', "Body text."),
        (script({"name": "N", "genre": "\ud800x"}), "N, genre: x"),
        (
            '<meta name="description" content="A lighthouse in …"><p>A lighthouse in the north.',
            "A lighthouse in the north.",
        ),
        (
            script(
                {
                    "@type": ["NewsArticle", {}],
                    "headline": "Tower shut",
                    "inLanguage": "en",
                    "datePublished": "2024-01-02",
                    "author": {"@type": "Person", "name": "Cy Fourth", "jobTitle": "editor"},
                }
            ),
            "Cy Fourth, jobTitle: editor",
        ),
        (
            script({"@type": "Movie", "name": "Low Tide", "datePublished": "2010-07-16"}),
            "Low Tide, datePublished: 2010-07-16",
        ),
    ],
)
def test_facts_come_after_the_text(html: str, expected: str) -> None:
    assert text(html) == expected


@pytest.mark.parametrize(
    ("body", "fact"),
    [
        ("N is 41 m high.", ""),
        ("It is 41 m high.", "\nN, height: 41 m"),
        ("N is 141 minutes long.", "\nN, height: 41 m"),
    ],
)
def test_a_short_value_is_left_out_only_if_the_text_has_it_and_its_name(
    body: str, fact: str
) -> None:
    html = f"<p>{body}</p>" + script({"name": "N", "height": "41 m"})
    assert text(html) == f"{body}{fact}"


def test_invalid_or_adversarial_json_is_skipped() -> None:
    many = json.dumps([{"name": "a", "duration": i} for i in range(1000)])
    assert len(facts_of(["{", "[" * 100_000, "x" * 400_000, many], [])) == MAX_FACTS


PUBLISHED = '<meta property="article:published_time" content="2024-03-01T08:00">'


@pytest.mark.parametrize(
    ("head", "date"),
    [
        (PUBLISHED, "2024-03-01"),
        (PUBLISHED + '<meta property="article:modified_time" content="2024-03-05">', "2024-03-05"),
        (
            script({"@type": "NewsArticle", "headline": "N", "datePublished": "2024-02-01"}),
            "2024-02-01",
        ),
        (PUBLISHED.replace("2024-03-01T08:00", "last week"), ""),
        (script({"@type": "Movie", "name": "Low Tide", "datePublished": "2010-07-16"}), ""),
        (script({"@type": "NewsArticle", "headline": "N", "dateModified": ["2024"]}), ""),
        (script({"@type": "NewsArticle", "headline": "N", "dateModified": "0001-01-01"}), ""),
        (script({"@type": "ImageObject", "name": "N", "datePublished": "2011-01-01"}), ""),
        (  # an index of several articles
            script(
                [
                    {"@type": "BlogPosting", "headline": "N", "datePublished": "2024-01-01"},
                    {"@type": "BlogPosting", "headline": "M", "datePublished": "2024-01-02"},
                ]
            ),
            "",
        ),
    ],
)
def test_the_date_of_a_page_is_not_in_its_text(head: str, date: str) -> None:
    page = SelectolaxExtractor().extract(Page("", "", "", f"<head>{head}</head><p>It is high."))
    assert page.date == date
    assert "Updated" not in page.text
    assert date == "" or date not in page.text
