"""What is kept of a question: a verdict by hand, or the question as a case of a dataset."""

import json
import shlex
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from evaluation.dataset import SLICES, UNKNOWN, Example
from evaluation.labels import LABELS, Label, LabelVerdict, write_label
from evaluation.run_folder import append_lines, drop_torn_line
from evaluation.score import QuestionResult
from playground.inquiry import MAX_CHARS, Inquiry, ShortText
from utils.errors import InputError
from utils.secrets import without_secrets


class LabelInput(BaseModel):
    """A verdict on the answer to a question of the run."""

    model_config = ConfigDict(extra="forbid")

    id: ShortText
    verdict: LabelVerdict
    note: ShortText = ""


class CaseInput(BaseModel):
    """The right answer to a question that is kept as a case, and its domain."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    answer: Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]
    domain: ShortText = UNKNOWN


def keep_label(run: Path, result: QuestionResult, label: LabelInput) -> Label:
    """Add a verdict to the run's folder, where `crag eval label` and the report read it.

    Raises:
        InputError: it cannot be written.
    """
    by_hand = Label(result.id, result.prediction, label.verdict, label.note)
    drop_torn_line(run / LABELS)
    write_label(run, by_hand)
    return by_hand


def keep_case(file: Path, inquiry: Inquiry, case: CaseInput) -> None:
    """Append a question with its pages to a dataset, which `crag eval --dataset` reads.

    Raises:
        InputError: it is kept already, or it cannot be written.
    """
    if inquiry.is_kept:
        raise InputError(f"it is kept already: correct its line {inquiry.id} in {file}")
    _end_last_line(file)
    known = _known_fields(inquiry.example, case.answer)
    append_lines(file, [{**inquiry.row, **known, **case.model_dump()}])
    inquiry.is_kept = True


def command_for(file: Path, inquiry: Inquiry, api_url: str | None) -> str:
    """The command that asks all kept cases again as this one was asked: of its system, task, web
    path and KG."""
    command = ["crag", "eval", "--dataset", str(file), "--system", inquiry.system]
    command += ["--task", str(inquiry.question.task)]
    if inquiry.preset:
        command += ["--web", inquiry.preset]
    if api_url:
        command += ["--api-url", without_secrets(api_url)]
    return shlex.join(command)


def _known_fields(example: Example | None, answer: str) -> dict[str, Any]:
    """What the dataset says of a question beside its answer: its other right answers, if this
    answer is one of them, and its slices."""
    if example is None:
        return {}
    others = [gold for gold in example.golds if gold != answer]
    fields = {name: getattr(example, name) for name in SLICES}
    return {**fields, "alt_ans": others if answer in example.golds else []}


def _end_last_line(file: Path) -> None:
    """Give the last line its end, if that alone is missing; cut off one that is incomplete."""
    if file.is_file() and _is_json(file.read_bytes().rpartition(b"\n")[2]):
        with file.open("ab") as lines:
            lines.write(b"\n")
    drop_torn_line(file)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
