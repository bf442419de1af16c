"""The START/END form: variations that are read, and replies without the form."""

import pytest

from models.systems.electricsheep.reasoned import ReasonedForm, read_form

WHOLE = """===START===
## Reasoning:
It says 41 m. ## Answer is near.
------
## Answer:
41 m
## False Premise:
no
===END==="""


@pytest.mark.parametrize(
    ("text", "answer", "premise"),
    [
        (WHOLE, "41 m", False),
        (WHOLE.replace("\nno\n", "\nYes.\n"), "41 m", True),
        (WHOLE.replace("\nno\n", "\n**no**\n"), "41 m", False),
        (WHOLE.replace("41 m\n##", "- Oslo\n- Rome,\n\n- Bern\n##"), "Oslo, Rome, Bern", False),
        (WHOLE.replace("## Answer:\n41 m", "Answer: 41 m"), "41 m", False),
        (WHOLE.replace("## False Premise:\nno", "## FALSE PREMISE: no"), "41 m", False),
        (f"Sure!\n{WHOLE}\nI hope this helps.", "41 m", False),
        (WHOLE.replace("It says", "## Answer:\n40 m?\nNo, it says"), "41 m", False),  # the last one
    ],
)
def test_small_variations_of_the_form_are_read(text: str, answer: str, premise: bool) -> None:
    form = read_form(text, premise=True)
    assert form is not None
    assert (form.answer, form.false_premise) == (answer, premise)


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        ("===START===", ""),
        ("===END===", ""),
        ("## Answer:\n", ""),
        ("41 m\n##", "\n##"),
        ("41 m\n##", "<YOUR ANSWER>\n##"),
        ("\nno\n", "\nnobody\n"),
    ],
)
def test_an_incomplete_form_is_not_read(part: str, instead: str) -> None:
    assert read_form(WHOLE.replace(part, instead), premise=True) is None


def test_the_premise_field_is_required_only_if_the_form_has_it() -> None:
    text = WHOLE.replace("## False Premise:\nno\n", "")
    assert read_form(text, premise=False) == ReasonedForm("41 m")
    assert read_form(text, premise=True) is None
