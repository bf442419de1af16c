"""`python -m training labels`: what to answer and when not to, for the adapters that answer."""

import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from evaluation.dataset import Example, read_examples
from evaluation.run_folder import RUN, check_same, write_text
from models.llm.cache import Calls, RememberingLLMs
from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.factory import LLMs
from models.settings import Settings, load_settings
from models.systems.db3 import Db3System
from models.systems.db3 import build as build_db3
from training.labels import CHECK_ANSWER, CHECK_CONTEXT, Label, LabelFile, Labeller, samples_of
from training.progress import Bars
from training.records import file_hash, part_of, write_rows
from utils.errors import SettingsError

HELP = "make answer labels (db3, section 2.4) with the engines of settings.toml; goes on if stopped"
SUBTASKS = ("answer_web", "answer_kg")
_ASKED = (*SUBTASKS, CHECK_ANSWER, CHECK_CONTEXT, "route", "find_entities", "write_query")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="CRAG questions with pages")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    parser.add_argument("--judge", metavar="SPEC", help="the engine that checks; default: the same")
    questions_arguments(parser)
    parser.add_argument("--batch", type=int, default=16)


def questions_arguments(parser: ArgumentParser) -> None:
    """Which questions of a dataset."""
    parser.add_argument("--limit", type=int, help="questions to read at most")
    parser.add_argument(
        "--part", choices=("train", "held_out", "all"), default="train",
        help="by the hash of the id: nine of ten questions to train on, one held out to measure",
    )  # fmt: skip


def questions(options: Namespace) -> Iterator[Example]:
    """The questions of `options.data` in the part that is asked for, as they are read."""
    for example in read_examples(options.data, limit=options.limit):
        if options.part in ("all", part_of(example.id)):
            yield example


def run(options: Namespace, console: Console) -> int:
    settings = _settings(load_settings(), options.judge)
    llms = remembering(settings, options.out / "calls.sqlite", _ASKED)
    system = build_db3(replace(settings, system="db3"), llms)
    # the prompt that its adapters are tuned with
    system = replace(system, options=replace(system.options, prompt="basic"))
    start(options.out, settings, system, options)
    file = LabelFile(options.out / "labels.jsonl")
    labeller = Labeller(system, llms, options.batch)
    with Bars(console) as bars:
        made = label_all(labeller, file, options, bars)
    counts = write_out(made, labeller.subtasks, options.out)
    console.print(branch_table(counts))
    console.print(f"{llms.asked} prompts asked, {llms.remembered} remembered", highlight=False)
    if system.client is None:
        console.print("no labels of answer_kg: the settings have no api_url", highlight=False)
    return 0


def start(out: Path, settings: Settings, system: Db3System, options: Namespace) -> None:
    """Note what the labels of `out` are made with.

    Raises:
        InputError: those that are there were made with something else.
    """
    made_with = {
        "data_sha256": file_hash(options.data),
        "part": options.part,
        "engines": json.dumps({name: spec_of(settings, name) for name in _ASKED}),
        "api_url": str(settings.api_url),
        "web": json.dumps(dict(settings.web), default=str),
        "options": str(system.options),
        "public_data": str(settings.public_data),
    }
    file = out / RUN
    if file.exists():
        check_same(file, made_with)
    write_text(file, json.dumps(made_with, indent=2) + "\n")


def label_all(labeller: Labeller, file: LabelFile, options: Namespace, bars: Bars) -> list[Label]:
    """The labels of all questions: those on disk, then the rest, each batch saved as it is done."""
    made = file.read(labeller.subtasks)
    known = {label.id for label in made}
    count = len(known)
    show = bars.bar("questions", None)
    for labels in labeller.label(e for e in questions(options) if e.id not in known):
        file.append(labels)
        made += labels
        count += len({label.id for label in labels})
        show(count)
    return made


def write_out(labels: list[Label], subtasks: Sequence[str], out: Path) -> dict[str, Counter[str]]:
    """The samples of each subtask, and counts by branch, also as `counts.json`."""
    counts: dict[str, Counter[str]] = {}
    for subtask in subtasks:
        counts[subtask] = Counter(label.branch for label in labels if label.subtask == subtask)
        write_rows(out / f"{subtask}.jsonl", samples_of(labels, subtask))
    text = json.dumps({name: dict(sorted(found.items())) for name, found in counts.items()})
    (out / "counts.json").write_text(text + "\n", encoding="utf-8")
    return counts


def branch_table(counts: dict[str, Counter[str]]) -> Table:
    table = Table("branch", *counts)
    for branch in sorted({branch for found in counts.values() for branch in found}):
        table.add_row(branch, *(str(found[branch]) for found in counts.values()))
    return table


def spec_of(settings: Settings, subtask: str) -> str:
    """What tells a subtask's engine from others."""
    chosen = settings.subtasks.get(subtask)
    llm = settings.llms.get(chosen.llm if chosen else "default")
    return "" if llm is None else f"{llm.spec} {dict(llm.adapters)}"


def _settings(settings: Settings, judge: str | None) -> Settings:
    if judge is None:
        return settings
    checks = {name: SubtaskSettings("judge") for name in (CHECK_ANSWER, CHECK_CONTEXT)}
    return replace(
        settings,
        llms={**settings.llms, "judge": LLMSettings(judge)},
        subtasks={**settings.subtasks, **checks},
    )


def remembering(settings: Settings, file: Path, subtasks: Sequence[str]) -> RememberingLLMs:
    """The engines of settings, asked nothing twice: what they said is kept in `file`.

    Raises:
        SettingsError: there is no engine.
    """
    if not settings.llms:
        raise SettingsError("this needs an LLM: give `llm` in settings.toml, or CRAG_LLM")
    names = {subtask: spec_of(settings, subtask) for subtask in subtasks}
    llms = LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key)
    return RememberingLLMs(llms, names, Calls(file))
