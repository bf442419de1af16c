import time
from collections.abc import Callable

import pytest

from models.records import Source
from models.subtasks.answers import read_answer
from models.systems.bumblebee7.references import read_references
from models.systems.bumblebee7.thoughts import is_false, read_premise, read_rewritten, read_thoughts
from models.systems.dragonrangers.paths import read_path
from models.systems.electricsheep import reasoned
from models.systems.electricsheep.calculations import expression_in

SHOWN = {1, 2, 4}


@pytest.mark.parametrize(
    ("text", "answer", "known", "unknown"),
    [
        ("It is Port Amble according to [2].", "It is Port Amble.", (2,), ()),
        ("Four, based on references [1] and [2].", "Four.", (1, 2), ()),
        ("Four [1, 2; 4]", "Four", (1, 2, 4), ()),
        ("Four (see [1]), says [2] and [4].", "Four, says.", (1, 2, 4), ()),
        ("Four [3][1]", "Four", (1,), (3,)),
        ("Four [99999]", "Four [99999]", (), ()),
        ("[Verse 1] is a song", "[Verse 1] is a song", (), ()),
        ("Four [1 \u2013 4]", "Four", (1, 2, 4), (3,)),
        ("Four, see sources 1, 2 and 4.", "Four.", (1, 2, 4), ()),
        ("Four [ref. 1]", "Four", (1,), ()),
        ("According to reference 1, 4 albums.", "4 albums.", (1,), ()),
        ("Source Code 2", "Source Code 2", (), ()),
        ("Four [1-9999]", "Four", (1, 2, 4), (3, *range(5, 102))),  # as many as can be shown
        ("", "", (), ()),
    ],
)
def test_references_are_read_and_checked(
    text: str, answer: str, known: tuple[int, ...], unknown: tuple[int, ...]
) -> None:
    cited = read_references(text, SHOWN)
    assert (cited.answer, cited.known, cited.unknown) == (answer, known, unknown)
    assert cited.supported is (bool(known) and not unknown)


# The functions that parse a model's reply by patterns.
READERS: dict[str, Callable[[str], object]] = {
    "references": lambda reply: read_references(reply, SHOWN),
    "thoughts": read_thoughts,
    "rewritten": lambda reply: read_rewritten(reply, "how high?"),
    "premise": read_premise,
    "answer": lambda reply: read_answer(reply, Source.WEB),
    "path": lambda reply: read_path(f"First, a. {reply}"),
    "form": lambda reply: reasoned.read_form(f"===START==={reply}===END===", premise=True),
    "expression": expression_in,
}


@pytest.mark.clock
@pytest.mark.parametrize(
    "unit",
    [
        " \n\t",
        "according to ",
        "see the ",
        ", ",
        "(",
        "[1",
        "[1, ",
        "[1-9999]",
        "references 1, ",
        "reference : ",
        "data ",
        "is not given in ",
        "answer ",
        "Answer:\n",
        "final ",
        "* ",
        "# ",
        "yes, ",
        "the answer is ",
        "second, ",
        "reasoning: ",
        "```",
    ],
)
def test_long_replies_are_parsed_quickly(unit: str) -> None:
    repeated = unit * (100_000 // len(unit))
    for name, reader in READERS.items():
        for opening in ("", "answer "):
            start = time.thread_time()
            reader(opening + repeated)
            assert time.thread_time() - start < 0.5, (name, opening)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("text", "thoughts", "answer"),
    [
        ("Thoughts: [1] says so.\nAnswer: Four [1].", "[1] says so.", "Four [1]."),
        ("**Thoughts:**\na\nb\n\n**Answer:** Four [1]\nmore", "a\nb", "Four [1]"),
        ("Answer: no\nThoughts: yes\nFinal answer: Four", "Answer: no\nThoughts: yes", "Four"),
        ("It says four.\nFour [1]", "It says four.\nFour [1]", "Four [1]"),
        ("", "", ""),
    ],
)
def test_thoughts_are_separated_from_their_answer(
    text: str, thoughts: str, answer: str, whole: bool
) -> None:
    """Truncated thoughts have an answer only if it is labelled."""
    labelled = "nswer:" in text
    expected = answer if whole or labelled else ""
    assert read_thoughts(text, whole=whole) == (thoughts, expected)


def test_a_rewritten_question_is_read_without_its_label() -> None:
    reply = '\nRewritten question: "how high on march 3?"\nI changed it.'
    assert read_rewritten(reply, "how high?") == "how high on march 3?"


@pytest.mark.parametrize("reply", ["", "x" * 200])
def test_an_empty_or_overlong_rewrite_leaves_the_question(reply: str) -> None:
    assert read_rewritten(reply, "how high?") == "how high?"


def test_a_premise_is_read_as_one_line() -> None:
    assert read_premise("Nonesuch won\n twice.") == "Nonesuch won twice."


@pytest.mark.parametrize("reply", ["None.", "  ", "- none", "Nothing is assumed", "N/A"])
def test_a_question_may_have_no_premise(reply: str) -> None:
    assert read_premise(reply) is None


@pytest.mark.parametrize(
    ("verdict", "false"),
    [("False.", True), ("**false** - it never did", True), ("", False), ("not false", False)],
)
def test_a_verdict_is_false_only_if_it_begins_so(verdict: str, false: bool) -> None:
    assert is_false(verdict) is false
