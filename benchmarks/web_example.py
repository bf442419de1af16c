"""How one question's pages become passages: the two tables at the head of docs/web.md.

The question is one of example_data/, and the path the default one without an embedding model.
"""

import sys
from typing import Annotated

import typer

from benchmarks._command import ROOT, Json, main_of, markdown, write
from evaluation.dataset import read_examples, to_batch
from models.batch import read_batch
from models.records import Question, Task
from models.web.factory import make_retriever
from models.web.settings import preset
from utils.deadline import Deadline
from utils.errors import InputError

QUESTION = "how tall is the eiffel tower in metres?"
SHOWN, SHORT = 5, 60  # passages, and characters of one


def find(text: str) -> Question:
    """The example question of that text. Raises InputError where there is none."""
    for example in read_examples(ROOT / "example_data" / "questions.jsonl"):
        for question in read_batch(to_batch([example]), lambda pages: Task.WEB):
            if isinstance(question, Question) and question.text == text:
                return question
    raise InputError(f"no example question {text!r}")


def measure(
    question: Annotated[str, typer.Option(help="one of example_data/")] = QUESTION,
    json_file: Json = None,
) -> None:
    asked = find(question)
    found = make_retriever(preset("default")).retrieve(asked, Deadline.after(60))
    sources = [passage.page for passage in found.passages]
    pages = [
        (text.title, f"{len(asked.pages[page].html):,}", f"{len(text.text):,}", len(text.tables),
         sources.count(page))
        for page, text in sorted(found.texts.items())
    ]  # fmt: skip
    best = [
        (" ".join(passage.text.split())[:SHORT] + "\u2026", found.texts[passage.page].title,
         f"{passage.score:.1f}")
        for passage in found.passages[:SHOWN]
    ]  # fmt: skip
    names = ("page", "characters of HTML", "of text", "tables", "passages")
    print(markdown(names, pages), markdown(("best passages", "of page", "score"), best), sep="\n\n")
    write(json_file, {"counts": found.counts, "pages": pages, "best": best})


main = main_of(measure)

if __name__ == "__main__":
    sys.exit(main())
