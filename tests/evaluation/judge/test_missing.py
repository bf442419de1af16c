"""Ways of not knowing, and answers that only look like them."""

import pytest

from evaluation.judge.missing import is_invalid, is_missing, is_unanswered

MISSING = """
i don't know
I don’t know.
I do not know the answer to that.
i dont know
IDK
don't know
I don't know, sorry!
"I don't know"
I'm not sure
I am not sure about that.
Not sure.
I'm not certain.
I have no idea.
No idea
Sorry, I can't answer this question.
I'm sorry, but I cannot provide real-time stock prices.
Unfortunately, I don't have access to real-time data.
I do not have live data. You may want to ask your broker.
As of my last update, I don't have information about that match.
As an AI language model, I do not have access to live prices.
I could not find the answer.
I was unable to find any relevant information.
I cannot find any information about this person.
Could not find the answer in the documents.
No information available.
There is no information on this in the references.
There is not enough information to answer.
Insufficient information.
The provided context does not contain the answer.
The documents do not mention her birthday.
The release date is not available.
The information is not provided.
The answer is unknown.
It is unclear.
Unknown
n/a
I would need more information to answer.
The exact figure cannot be determined.
""".strip().splitlines()

ANSWERS = """
I think it is Oster, but I'm not sure
I'm not sure, but it might be Oster.
I don't know for certain, but I believe it was in 1962.
I don't know exactly when, but Ada Lunt wrote it
No idea, possibly Bo Marsh
I'm not sure. Bo Marsh?
I can't say for certain; Bo Marsh
I am not certain, it could be Bo Marsh
Bo Marsh. I don't know much else.
No Idea by Bo Marsh
Oster
No
No one has won it.
None
unknown pleasures
The Unknown Sea
Idkins
invalid question
0
She does not sing; she plays the drums.
Ada Lunt did not win.
No Information Lost
""".strip().splitlines()


@pytest.mark.parametrize("text", [*MISSING, "", " ", "\n\t", "...", "?", "*"])
def test_missing(text: str) -> None:
    assert is_missing(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer(text: str) -> None:
    assert not is_missing(text)


@pytest.mark.parametrize(
    ("text", "invalid"),
    [
        ("invalid question", True),
        (" Invalid Question. ", True),
        ('"invalid question"', True),
        ("invalid", False),
        ("this is an invalid question", False),
        ("invalid question: she has no brother", False),
    ],
)
def test_invalid(text: str, invalid: bool) -> None:
    assert is_invalid(text) is invalid


@pytest.mark.parametrize(
    ("gold", "unanswered"),
    [("nan", True), ("i don't know", True), ("", True), ("0", False), ("nancy", False)],
)
def test_unanswered(gold: str, unanswered: bool) -> None:
    assert is_unanswered(gold) is unanswered
