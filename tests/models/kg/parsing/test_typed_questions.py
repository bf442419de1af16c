"""Questions as people type and paste them get the answer of the plain question."""

import html
import unicodedata
from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_api.local import LocalClient
from models.kg.parsing.semantic_parser import SemanticParser
from models.records import Question, Task
from tests.models.kg.cases import SOON
from utils.plain_question import plain_question

NOW = datetime(2024, 3, 5, 16)
# A question with its name apart, so that both can be written in other ways.
QUESTIONS = [
    ("who directed {}?", "titanic"),
    ("when was {} released?", "inception"),
    ("what was the budget of {}?", "la la land"),
    ("who wrote the screenplay for {}?", "the social network"),
    ("when was {} born?", "beyonce"),
    ("who sings {}?", "rolling in the deep"),
    ("what is {}'s p/e ratio?", "apple"),
    ("what is {}'s height?", "eiffel tower"),
]
Change = Callable[[str, str], str]


def of_name(change: Callable[[str], str]) -> Change:
    return lambda form, name: form.format(change(name))


def of_all(change: Callable[[str], str]) -> Change:
    return lambda form, name: change(form.format(name))


def full_width(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)


CHANGES: dict[str, Change] = {
    "curly quotes": of_name(lambda name: f"“{name}”"),
    "guillemets": of_name(lambda name: f"« {name} »"),
    "inner guillemets": of_name(lambda name: f"»{name}«"),
    "german quotes": of_name(lambda name: f"„{name}“"),
    "single quotes": of_name(lambda name: f"‘{name}’"),
    "straight quotes": of_name(lambda name: f'"{name}"'),
    "corner brackets": of_name(lambda name: f"「{name}」"),
    "full-width mark": of_all(lambda text: text.replace("?", "？")),
    "ellipsis": of_all(lambda text: text.replace("?", "…")),
    "zero-width space": of_name(lambda name: f"\u200b{name}\u200b"),
    "left-to-right mark": of_name(lambda name: f"{name}\u200e"),
    "byte order mark": of_all(lambda text: f"\ufeff{text}"),
    "word joiner": of_name(lambda name: f"\u2060{name}"),
    "soft hyphen": of_name(lambda name: f"{name[:3]}\u00ad{name[3:]}"),
    "variation selector": of_name(lambda name: f"{name}\ufe0f"),
    "no-break space": of_all(lambda text: text.replace(" ", "\u00a0")),
    "full-width letters": of_name(full_width),
    "all full-width": of_all(full_width),
    "ideographic space": of_all(lambda text: text.replace(" ", "\u3000")),
    "decomposed": of_all(lambda text: unicodedata.normalize("NFD", text)),
    "entities": of_all(lambda text: html.escape(text, quote=True)),
    "numeric entity": of_all(lambda text: text.replace("'", "&#39;").replace(" ", "&nbsp;")),
    "entities twice": of_all(lambda text: html.escape(html.escape(text.replace("?", "'?")))),
    "tags": of_name(lambda name: f"<i>{name}</i>"),
    "tag with an attribute": of_name(lambda name: f'<a href="/x">{name}</a>'),
    "a link": of_name(lambda name: f"[{name}](https://example.com/a)"),
    "bold": of_name(lambda name: f"**{name}**"),
    "italics": of_name(lambda name: f"*{name}*"),
    "underlined": of_name(lambda name: f"_{name}_"),
    "code": of_name(lambda name: f"`{name}`"),
    "a heading": of_all(lambda text: f"## {text}"),
    "a quotation": of_all(lambda text: f"> {text}"),
    "q:": of_all(lambda text: f"q: {text}"),
    "Question:": of_all(lambda text: f"Question: {text}"),
    "Q1.": of_all(lambda text: f"Q1. {text}"),
    "no_think": of_all(lambda text: f"{text} /no_think"),
    "nothink": of_all(lambda text: f"{text} /nothink"),
    "capitals": of_all(str.upper),
    "spaces": of_all(lambda text: f"  {text.replace(' ', '   ')}\n"),
}


@pytest.fixture(scope="module")
def answers(example_kg: LocalClient) -> dict[str, str | None]:
    """The answers to the plain questions, by their forms."""
    parser = SemanticParser(example_kg)
    return {form: parser.parse(form.format(thing), NOW, SOON).answer for form, thing in QUESTIONS}


@pytest.mark.parametrize(("number", "name"), enumerate(CHANGES))
def test_a_question_in_other_signs_has_the_same_answer(
    number: int, name: str, answers: dict[str, str | None], example_kg: LocalClient
) -> None:
    parser = SemanticParser(example_kg)
    for form, thing in (QUESTIONS[number % len(QUESTIONS)], QUESTIONS[-1], QUESTIONS[4]):
        text = CHANGES[name](form, thing)
        assert answers[form] is not None
        assert parser.parse(text, NOW, SOON).answer == answers[form], text


@pytest.mark.parametrize(
    "text",
    [
        "is 5 < 7 and 7 > 5?",
        "what is 2² in 3 × 4?",
        "who made m*a*s*h?",
        "what is a_b_c?",
        "who plays in q & a?",
        "what is $3 & 50%?",
        "who sang 1 + 1 = 2?",
        "who directed [REC](2007)?",
        'how much is a 5\'2" man\'s and a "big" hat?',
        "who made #Alive, *NSYNC, P!nk and A$AP Rocky?",
        "query.",
    ],
)
def test_what_is_plain_stays(text: str) -> None:
    assert plain_question(text) == text


@given(st.text(max_size=80))
def test_any_text_becomes_plain_once(text: str) -> None:
    plain = plain_question(text)
    assert plain == " ".join(plain.split())
    assert not {"Cf", "Cc"} & set(map(unicodedata.category, plain))


def test_a_prompt_has_the_question_as_it_came() -> None:
    question = Question("1", "who directed “titanic”？", None, Task.KG_WEB)
    assert question.values["question"] == question.text
    assert question.plain == 'who directed "titanic"?'
