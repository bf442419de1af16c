"""What the tests of commands ask about: a film, and numbered towers."""

import re

from training.__main__ import main
from training.contexts import Context
from training.records import Pair, Sample, part_of

TIME = "03/13/2024, 09:19:21 PT"
PROGRAM = 'ALL get_movie_person_crew("inception", None, eq(job, "Director"))["name"]'
NUMBERS = range(20)
TALL = [
    Sample(
        id=str(number),
        turns=(("system", "Answer."), ("user", f"how high is tower {number}?")),
        answer=f"{number} m",
        note=Context.CONTAINS,
        question=f"how high is tower {number}?",
        golds=(f"{number} m",),
        subtask="answer_kg",
    )
    for number in range(5)
]


def run(*arguments: object) -> None:
    """Runs a command, which succeeds."""
    assert status(*arguments) == 0


def status(*arguments: object) -> int:
    """The exit status of a command."""
    return main([str(argument) for argument in arguments])


def has_height(number: int) -> bool:
    """Whether the answer to a question of `data` is a height."""
    return number % 3 > 0


def height(text: str) -> str:
    """What a prompt says of the tower that it asks about."""
    *_, number = re.findall(r"tower (\d+)", text)
    return f"{number} m"


def pair(number: int) -> Pair:
    """A pair of the split held_out."""
    return Pair(
        id=str(number),
        domain="movie",
        question=f"who made inception, as told on tower {number}?",
        query_time=TIME,
        program=PROGRAM,
        source="template",
        intent="i",
        wording="w",
        split="held_out",
    )


def ids_in(part: str) -> set[str]:
    """The ids of `data` that are in a part."""
    return {str(number) for number in NUMBERS if part_of(str(number)) == part}
