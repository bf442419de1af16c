"""Phrases and composers, each by itself."""

from datetime import datetime
from typing import Any

import pytest

from models.english.question import QuestionText
from models.kg.execution.outcome import Outcome
from models.kg.lexicon.lexicon import lexicon
from models.kg.lexicon.types import ValueType
from models.kg.parsing import answers
from models.kg.parsing.answers import Composer, compose
from models.kg.parsing.form import Form
from models.kg.parsing.text_spans import TextSpans
from models.records import INVALID
from utils.errors import ApiUnavailable

NOW = datetime(2024, 3, 5, 16)


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("more than $1.5 billion", [1.5e9]),
        ("over 5m, or a million", [5e6, 1e6]),
        ("ten cents, i am 20", [0.1, 20]),
        ("above 1,000.50", [1000.5]),
    ],
)
def test_amounts(text: str, amounts: list[float]) -> None:
    assert [amount for amount, _ in TextSpans(QuestionText.of(text), lexicon()).amounts] == amounts


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("is dunkirk long? how long exactly?", "how long"),
        ("do you know who directed dunkirk?", "who"),
        ("the polar express release date", "none"),
        ("whos the director of dunkirk", "who"),
        ("what age was he", "what age"),
        ("what was the most recent date that it paid?", "what date"),
        ("in the titanic movie who played jack?", "who"),
        ("what was the last time that it paid?", "what time"),
        ("which people founded it?", "which people"),
        ("when was the guy born who wrote it", "when"),
        ("Hi! I was just wondering, is dunkirk how it was named?", "polar"),
    ],
)
def test_forms(text: str, form: str) -> None:
    assert Form(QuestionText.of(text, NOW), lexicon()).name == form


def gave(*values: Any, complete: bool = False) -> Outcome:
    rows = tuple({"name": value} for value in values)
    return Outcome(rows=rows, values=values, entities=("x",), complete=complete)


@pytest.mark.parametrize(
    ("composer", "outcomes", "answer"),
    [
        (answers.Values(ValueType.TEXT, limit=1), [gave("A", "B")], "A"),
        (
            answers.Values(ValueType.NUMBER, needs_rows=True),
            [Outcome(values=(0,))],
            None,
        ),
        (answers.Count(), [gave("A", "a", "B")], "2"),
        (answers.Count(), [gave()], None),
        (answers.Common(ValueType.TEXT), [gave("A", "B"), gave("b", "C")], "B"),
        (answers.Most(("one", "two"), least=True), [gave("2001-01-01"), gave("1999-01-01")], "two"),
        (answers.Most(("one", "two"), type=ValueType.POLAR), [gave(3), gave(2)], "yes"),
        (answers.Most(("one", "two")), [gave(1), gave()], None),
        (answers.Difference(ValueType.NUMBER), [gave(5), gave(7)], "2"),
        (
            answers.Difference(ValueType.DATE, full_years=True),
            [gave("1950-05-02"), gave("2020-05-01")],
            "69",
        ),
        (answers.Difference(ValueType.MONEY, percent=True), [gave(50), gave(40)], "-20.00%"),
        (answers.Difference(ValueType.MONEY, percent=True), [gave(0), gave(40)], None),
        (answers.Total(ValueType.MONEY), [gave(100000), gave(50000)], "$150,000"),
        (answers.Is("French", "language"), [gave("fr")], "yes"),
        (answers.Than("2000", -1), [gave("1999-05-05")], "yes"),
        (answers.Age("2024-03-05"), [gave("2000-03-06")], "23"),
        (answers.Values(ValueType.MONEY), [gave(-5.25)], "-$5.25"),
        (answers.Values(ValueType.LIST), [gave("C", "C++", "c")], "C, C++"),
        (answers.Common(ValueType.LIST), [gave("C++"), gave("C#")], None),
        (answers.Most(("a", "b")), [gave("120,000 (2010 census)"), gave("50,000 (2020)")], "a"),
        (answers.Most(("a", "b")), [gave("5 million"), gave("10,000 inhabitants")], "a"),
        (answers.Most(("a", "b")), [gave("5 June 1990"), gave("3 May 1991")], "b"),
        (answers.Most(("a", "b")), [gave("16 July 2010 (US)"), gave("12 May 1999 (UK)")], "a"),
        (answers.Than("2010-05", -1), [gave("2010")], None),
        # what is absent on both sides is not the same
        (answers.Most(("a", "b")), [gave(), gave()], None),
        (answers.Most(("a", "b"), absent=0), [gave(), gave()], None),
        (answers.Most(("a", "b"), absent=0), [gave(complete=True), gave(complete=True)], None),
        (answers.Most(("a", "b"), absent=0, type=ValueType.POLAR), [gave(), gave()], None),
        (answers.Most(("a", "b"), absent=0), [gave(), gave(3)], "b"),
        (answers.Most(("a", "b"), absent=0), [gave(3), gave(3)], "same"),
        (answers.Most(("a", "b"), measure=answers.Measure.SUM), [gave(), gave()], None),
        (answers.Difference(ValueType.NUMBER, absent=0), [gave(), gave()], None),
        (answers.Difference(ValueType.NUMBER, absent=0), [gave(), gave(4)], "4"),
        (answers.Common(ValueType.PERSON), [gave(), gave()], None),
        (answers.Common(ValueType.POLAR), [gave(), gave()], None),
        (answers.Common(ValueType.POLAR), [gave("A"), gave()], None),
        (answers.Common(ValueType.POLAR), [gave("A"), gave("B")], "no"),
        # texts are compared by the quantities that they begin with
        (answers.Most(("a", "b")), [gave("45% of the vote, 3 seats"), gave("3 million")], None),
        (answers.Most(("a", "b")), [gave("83% (July 2023)"), gave("90.5% (2022)")], "b"),
        (answers.Most(("a", "b")), [gave("83% (July 2023)"), gave("75")], "a"),
        (answers.Most(("a", "b")), [gave("83% (July 2023)"), gave("750")], None),
        (answers.Most(("a", "b")), [gave("5 km"), gave("4 miles")], "b"),
        (answers.Most(("a", "b")), [gave("5 km"), gave("4 kg")], None),
        (answers.Most(("a", "b")), [gave("6×10^24 kg"), gave("5.1×10^26 kg")], "b"),
        (answers.Most(("a", "b")), [gave("2001"), gave("2001-05-04")], None),
        (answers.Most(("a", "b")), [gave("2001-06"), gave("2001-05-04 (Oulu)")], "a"),
        (answers.Most(("a", "b")), [gave("blue"), gave("red")], None),
        # the members of a text are counted, not read
        (answers.Count(text=True), [gave("7", "23", "45")], "3"),
        (answers.Count(text=True), [gave("7, 23 and 45")], "3"),
        (answers.Count(text=True), [gave("1961", "1984")], "2"),
        (answers.Count(text=True), [gave("1,200 (2020)")], "1200"),
        (answers.Count(text=True), [gave("4, including Ann Lee and Bo Lee")], "4"),
        (answers.Count(text=True), [gave("Ann (born 1990, Oulu), Bo and Cy")], "3"),
        (answers.Count(text=True), [gave("20 seats", "8 others")], None),
        (answers.Count(text=True), [gave("none")], "0"),
        (answers.Exists(), [gave()], None),
        (answers.Exists(), [gave(complete=True)], "no"),
        (answers.FalsePremise(), [gave(complete=True)], INVALID),
        (answers.FalsePremise(), [gave()], None),
        (answers.Clash("B"), [gave("A", complete=True)], INVALID),
        (answers.Clash("A"), [gave("A", complete=True)], None),
    ],
)
def test_composers(composer: Composer, outcomes: list[Outcome], answer: str | None) -> None:
    assert compose(composer, outcomes) == answer
    failed = [*outcomes, Outcome(errors=(ApiUnavailable("down"),))]
    assert compose(composer, failed) is None
