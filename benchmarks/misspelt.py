"""How many questions the semantic parser answers when they are misspelt or politely worded.

`swapped`, `left out`: of one word of at least six letters per question, drawn by a fixed seed, two
neighbouring letters change places, or one is missing; it may be a word of a name.
"""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import command, rows_of, show
from models.kg.semparse.parser import shipped
from training.parser import gather
from training.weak_supervision import by_answerable, said, share

SHORTEST = 6  # letters of a word that is misspelt


def _misspelt(query: str, change: Callable[[str, int], str], draw: random.Random) -> str:
    spelled = query.split()
    long = [i for i, word in enumerate(spelled) if word.isalpha() and len(word) >= SHORTEST]
    if long:
        i = draw.choice(long)
        spelled[i] = change(spelled[i], draw.randrange(1, len(spelled[i]) - 1))
    return " ".join(spelled)


def swapped(word: str, at: int) -> str:
    return word[:at] + word[at : at + 2][::-1] + word[at + 2 :]


def left_out(word: str, at: int) -> str:
    return word[:at] + word[at + 1 :]


@command
def main(
    data: Annotated[Path, typer.Option(help="JSON lines of questions")],
    kg: Annotated[Path, typer.Option(help="the folder of a KG")],
    workers: int = 2,
) -> None:
    draw, model = random.Random(0), shipped()
    wordings: dict[str, Callable[[str], str]] = {
        "as asked": str,
        "upper case": str.upper,
        "polite": lambda query: f"hi! could you please tell me: {query} thanks!",
        "swapped": lambda query: _misspelt(query, swapped, draw),
        "left out": lambda query: _misspelt(query, left_out, draw),
    }
    shares = []
    for name, reworded in wordings.items():
        rows = [{**row, "query": reworded(str(row["query"]))} for row in rows_of(data)]
        able, _ = by_answerable([said(each, model) for each in gather(rows, kg, workers)])
        found = share(able, model.threshold)
        shares.append((name, f"{found.right:.1%}", f"{found.wrong:.1%}"))
    show("Answerable questions", ("wording", "right", "wrong"), shares)


if __name__ == "__main__":
    sys.exit(main())
