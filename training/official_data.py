"""`crag data build`: what can be derived from a clone of facebookresearch/CRAG (docs/real_data.md).

Everything is made from the official files: no annotation, and no file from elsewhere.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from evaluation.answerable import Answerable
from evaluation.dataset import Example, example_of
from evaluation.gold_in_text import has_gold
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.run_folder import write_lines, write_text
from evaluation.streams import ReadNotes, rows
from mock_api.cache import import_folder, is_complete
from mock_api.local import LocalClient
from models.batch_input import read_query_time
from models.kg.parsing.semantic_parser import SemanticParser
from utils.cli import new_app, run
from utils.deadline import Deadline
from utils.errors import CragError, InputError
from utils.lfs import pointer_problem
from utils.progress import shown

# In a clone. Of several releases the newest is read.
DATASETS = "data/crag_task_1_and_2_dev_v*.jsonl.bz2"
KG = Path("mock_api/cragkg")
SAMPLE = Path("example_data/dev_data.jsonl.bz2")  # ten questions with their pages
# Made of it.
KG_FILE = "kg.sqlite"
GOLD_IN_KG = "gold_in_kg.jsonl"
SPLITS = {0: "validation", 1: "public_test"}  # by the number in the data
_OTHER_SPLIT = "without_split"
_SECONDS = 60.0  # a question

app = new_app("Prepare CRAG's own files for evaluations.", shows_help=True)
app.callback()(lambda: None)  # `build` is a subcommand, even if it is the only one


@dataclass(slots=True)
class BuiltData:
    """What was made.

    Attributes:
        release: the dataset that was read.
        questions: the rows of each split, without their pages.
        gold_in_kg: for each split, how many questions have which mark.
    """

    release: Path
    questions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    gold_in_kg: dict[str, Counter[Answerable]] = field(default_factory=dict)


@app.command("build")
def build_command(
    crag: Annotated[Path, typer.Option(metavar="DIR", help="a clone, with its LFS files")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="the folder to write")],
) -> None:
    """Derive questions by split, the KG, and which questions it answers.

    From a clone of facebookresearch/CRAG. A KG that is converted already is kept.
    """
    built = build(crag, out)
    Console().print(_summary(built))
    for file in sorted(out.iterdir()):
        typer.echo(file)


def build(clone: Path, out: Path) -> BuiltData:
    """Write into `out`: questions and ids of each split, the KG, the marks "gold in KG", and the
    official sample, if the clone has it.

    Raises:
        InputError: a file of the clone is missing, an LFS pointer or broken, or one cannot be
            written.
    """
    release = _newest_release(clone)
    if not (clone / KG).is_dir():
        raise InputError(f"{clone / KG}: no such folder; is {clone} a clone of CRAG?")
    problem = pointer_problem(clone / SAMPLE) if (clone / SAMPLE).is_file() else None
    if problem is not None:
        raise InputError(f"{clone / SAMPLE}: {problem}")
    out.mkdir(parents=True, exist_ok=True)
    kg = out / KG_FILE
    if is_complete(kg):
        typer.echo(f"{kg}: kept; remove it to convert the KG again", err=True)
    else:
        import_folder(clone / KG, kg, partial(typer.echo, err=True))
    built = BuiltData(release)
    for row in shown(_questions(release), "questions read"):
        split = SPLITS.get(row.get("split", -1), _OTHER_SPLIT)
        built.questions.setdefault(split, []).append(row)
    for split, questions in built.questions.items():
        write_lines(out / f"questions_{split}.jsonl", questions)
        ids = [f"{row['interaction_id']}\n" for row in questions]
        write_text(out / f"ids_{split}.txt", "".join(ids))
    if (clone / SAMPLE).is_file():
        shutil.copyfile(clone / SAMPLE, out / SAMPLE.name)
    _mark(built, kg, out)
    return built


def _newest_release(clone: Path) -> Path:
    """The newest release of the dataset.

    Raises:
        InputError: there is none.
    """
    releases = sorted(clone.glob(DATASETS), key=_release_number)
    if not releases:
        raise InputError(f"{clone}: has no {DATASETS}; is it a clone of facebookresearch/CRAG?")
    return releases[-1]


def _release_number(file: Path) -> int:
    match = re.search(r"_v(\d+)\.", file.name)
    return int(match[1]) if match else 0


def _questions(release: Path) -> Iterator[dict[str, Any]]:
    """The rows of a dataset without their pages.

    Raises:
        InputError: the file cannot be read, or a row is no question.
    """
    for row in rows(release, ReadNotes()):
        place = f"{release}, line {row.line}"
        try:
            record = json.loads(row.data)
            record.pop("search_results", None)
            id = str(record["interaction_id"])
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise InputError(f"{place}: not a row of CRAG ({error!r})") from error
        example_of(record, place, id, release.parent)  # raises if it is no question
        yield record


def _mark(built: BuiltData, kg: Path, out: Path) -> None:
    """Write, in the form of `--slices` of `crag eval`, whether the KG has each question's gold."""
    parser = SemanticParser(LocalClient(kg))
    judge = RulesJudge()
    marks: list[Mapping[str, str]] = []
    for split, questions in built.questions.items():
        counts = built.gold_in_kg.setdefault(split, Counter())
        for row in shown(questions, f"questions of {split} looked up in the KG", len(questions)):
            example = example_of(row, "", str(row["interaction_id"]), Path())
            mark = gold_in_kg(example, parser, judge)
            marks.append({"id": example.id, "gold_in_kg": mark})
            counts[mark] += 1
    write_lines(out / GOLD_IN_KG, marks)


def gold_in_kg(example: Example, parser: SemanticParser, judge: RulesJudge) -> Answerable:
    """Whether a program that the semantic parser writes for a question returns its gold answer.

    It need not be the program that the parser ranks first. What the parser has no program for is
    "no", though a reader of the KG's records might find it.
    """
    if has_gold("", example.query, example.golds) is None:
        return Answerable.NO_ANSWER
    now = read_query_time(example.query_time, example.id)
    try:
        parsed = parser.parse(example.query, now, Deadline.after(_SECONDS))
    except CragError:  # too long a search: not found
        return Answerable.NO
    answers = {one.composed for one in parsed.derivations if one.composed is not None}
    items = [Item(example.id, example.query, example.golds, answer) for answer in sorted(answers)]
    verdicts = [judgement.verdict for judgement in judge.judge(items)]
    return Answerable.YES if Verdict.CORRECT in verdicts else Answerable.NO


def _summary(built: BuiltData) -> Table:
    table = Table("split", "questions", *(f"gold in the KG: {mark}" for mark in Answerable))
    for split, questions in built.questions.items():
        counts = [str(built.gold_in_kg[split][mark]) for mark in Answerable]
        table.add_row(split, str(len(questions)), *counts)
    table.title = built.release.name
    return table


main = partial(run, app, name="crag data")
