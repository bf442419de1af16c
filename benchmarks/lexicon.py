"""Phrases of the lexicon that occur in only one question of the files.

Such a phrase may have been added for that question: it must be ordinary English, or be removed.
"""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import command, rows_of
from models.english.question import QuestionText
from models.kg.lexicon.lexicon import lexicon
from models.kg.lexicon.matching import Matcher


@command
def main(
    data: Annotated[list[Path], typer.Option(help="JSON lines of questions; may be repeated")],
) -> None:
    stemmer = lexicon().stemmer
    phrases = (*lexicon().phrases, *lexicon().filters)
    queries_by_phrase = defaultdict[str, list[str]](list)
    for file in data:
        for row in rows_of(file):
            query = str(row["query"])
            stems = [stemmer.stem(word.text) for word in QuestionText.of(query).words]
            matcher = Matcher(stems, stemmer)
            for phrase in phrases:
                if matcher.find([phrase]):
                    queries_by_phrase[phrase].append(query)
    in_one_question = 0
    for phrase, queries in sorted(queries_by_phrase.items()):
        if len(queries) == 1:
            in_one_question += 1
            print(f"{phrase}: {queries[0]}")
    print(f"{in_one_question} of {len(set(phrases))} phrases stand in one question alone")


if __name__ == "__main__":
    sys.exit(main())
