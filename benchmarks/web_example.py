"""From the pages of one question to passages: the first two tables of docs/web.md.

The question is one of example_data/, and the path the default one without an embedding model.
"""

import sys

from benchmarks._command import ROOT, command, markdown
from evaluation.dataset import read_examples
from models.records import Task
from models.web.factory import make_retriever
from models.web.settings import preset
from training.records import question_of
from utils.deadline import Deadline

QUESTION = "how tall is the eiffel tower in metres?"
SHOWN, SHORT = 5, 60  # passages, and characters of one


@command
def main() -> None:
    examples = read_examples(ROOT / "example_data" / "questions.jsonl")
    asked = question_of(next(one for one in examples if one.query == QUESTION), Task.WEB)
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


if __name__ == "__main__":
    sys.exit(main())
