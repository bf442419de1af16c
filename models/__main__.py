"""`crag answer QUESTION`: answer one question, as the evaluator would ask it."""

import gc
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.batch_input import PACIFIC, QUERY_TIME, read_time
from models.records import IDK, Task
from models.settings import DEFAULT_FILE, Settings, command_settings
from models.systems.make_system import check_llm_is_used
from models.task import task_of_question
from utils.cli import ExampleKg, KgApi, SettingsFile, new_app, run
from utils.errors import CragError, InputError
from utils.terminal import clean

if TYPE_CHECKING:
    from models.runtime.case import Failure
    from models.user_model import UserModel

_SHOWN_CHARS = 3000  # of a value in a step

app = new_app()


class NoAnswer(CragError):
    """There is no answer because the system or its setup failed: a server, key, model, package."""

    exit_status = 3


@app.command()
def answer(
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    page: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="an HTML file; repeatable")
    ] = None,
    api: KgApi = None,
    example: ExampleKg = False,
    settings: SettingsFile = DEFAULT_FILE,
    system: Annotated[
        str | None, typer.Option(metavar="NAME", help="default: from the settings")
    ] = None,
    llm: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="vllm:, hf:, llamacpp: or openai:URL#MODEL"),
    ] = None,
    now: Annotated[
        datetime | None,
        typer.Option(
            metavar="TIME",
            parser=read_time,
            help="in US Pacific time, as 2024-03-05T16:00; default: now",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="change a setting; repeatable"),
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="show the steps and the failures")] = False,
) -> None:
    """Answer one question from pages, the KG, or both.

    The status is 3 if a failure is why there is no answer.
    """
    if not question.strip():
        raise InputError("the question is empty")
    pages = [_page_dict(file.resolve()) for file in page or ()]
    chosen = command_settings(
        settings, changes=changes or (), api=api, example=example, system=system, llm=llm
    )
    check_llm_is_used(chosen.system, llm)
    chosen = replace(chosen, task=_task(len(pages), chosen.api_url))
    asked_at = now or datetime.now(PACIFIC)
    query_time = asked_at.strftime(QUERY_TIME)
    batch = {"query": [question], "query_time": [query_time], "search_results": [pages]}
    _check_llms(chosen)
    _tell_of_own_model(chosen.system)
    with _without_garbage_collection():
        from models.user_model import UserModel  # not for --help

        model = UserModel(chosen)
        with _failures_shown_here():
            text = model.batch_generate_answer(batch)[0]
    failures = model.last_failures[0]
    if why:
        _show_steps(model)
    sys.stdout.write(text + "\n")
    fatal = [failure for failure in failures if failure.leaves_no_answer]
    if text == IDK and fatal:
        raise NoAnswer(_in_words(fatal[0]))
    if not why:
        for failure in failures:
            sys.stderr.write(f"note: {_in_words(failure)}\n")


def _tell_of_own_model(system: str) -> None:
    """Say which model is asked, where models/user_config.py submits another."""
    from models.check import submits_own_model

    if submits_own_model():
        sys.stderr.write(
            f"note: this asks our system {system!r}; `crag eval` asks the model of "
            "models/user_config.py\n"
        )


def _task(pages: int, api_url: str | None) -> Task:
    """The task that the sources imply.

    Raises:
        InputError: there is neither a page nor a KG.
    """
    if api_url is None and not pages:
        raise InputError(
            "there is nothing to look in: give --page FILE or --api URL, or ask the example KG "
            "by --example"
        )
    return task_of_question(pages, has_api=api_url is not None)


def _check_llms(settings: Settings) -> None:
    """Check the LLMs once, since a system asks a server that is dead for half a minute.

    Raises:
        NoAnswer: a check fails.
    """
    if not settings.llms:
        return
    from models.check import run_checks

    for check in run_checks(replace(settings, api_url=None)):
        if not check.ok:
            raise NoAnswer(f"{check.what}: {check.says}; {check.remedy}")


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Imports of hundreds of modules and one question leave too little garbage to look for it."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def _failures_shown_here() -> Iterator[None]:
    """Keep failures that the command shows itself out of the log; tracebacks stay."""
    models_log = logging.getLogger("models")
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    models_log.addHandler(handler)
    try:
        yield
    finally:
        models_log.removeHandler(handler)


def _page_dict(file: Path) -> dict[str, str]:
    """A page of a batch, as the evaluator gives it."""
    html = file.read_text("utf-8", errors="replace")
    return {"page_name": file.stem, "page_url": file.as_uri(), "page_result": html}


def _show_steps(model: "UserModel") -> None:
    """Print what was tried for the question, and what failed."""
    from rich.console import Console

    from models.runtime.confidence_model import STEP
    from models.runtime.step_panel import step_panel

    console = Console()
    for step in model.last_traces[0]:
        if step.name == STEP and model.settings.confidence is None:
            continue  # features for a confidence model, and there is none
        console.print(step_panel(step, _SHOWN_CHARS))
    for failure in model.last_failures[0]:
        console.print(_in_words(failure), style="red", markup=False)


def _in_words(failure: "Failure") -> str:
    """A failure on one line."""
    place = f" in {failure.step}" if failure.step else ""
    return clean(f"{failure.kind}{place}: {failure.error}")


main = partial(run, app, name="crag answer")

if __name__ == "__main__":
    sys.exit(main())
