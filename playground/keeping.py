"""What is kept of a question: a verdict by hand, or the question as a case of a dataset."""

import json
import shlex
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from evaluation.dataset import UNKNOWN
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
    """The right answer to a question that is kept as a case, and its slices."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    answer: Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]
    domain: ShortText = UNKNOWN
    question_type: ShortText = UNKNOWN
    static_or_dynamic: ShortText = UNKNOWN


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
    append_lines(file, [{**inquiry.row, **case.model_dump()}])
    inquiry.is_kept = True


def command_for(file: Path, inquiry: Inquiry, api_url: str | None) -> str:
    """The command that asks the kept cases again, of the same system and KG."""
    command = ["crag", "eval", "--dataset", str(file), "--system", inquiry.system]
    if api_url:
        command += ["--api-url", without_secrets(api_url)]
    return shlex.join(command)


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
