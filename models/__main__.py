"""`crag answer QUESTION`: answer one question, as the evaluator would ask it."""

import gc
import logging
import sys
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.batch_input import PACIFIC
from models.records import IDK, Task
from models.settings import DEFAULT_FILE, EXAMPLE_KG, Settings, load_settings
from utils.cli import new_app, run
from utils.errors import CragError, InputError, SettingsError
from utils.terminal import clean

if TYPE_CHECKING:
    from models.user_model import UserModel

_SHOWN_CHARS = 3000  # of a value in a step

app = new_app()


class SetupFailed(CragError):
    """There is no answer because a server, a key, a model or a package failed."""

    exit_status = 3


@app.command()
def answer(
    question: Annotated[str, typer.Argument()],
    page: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="an HTML file; repeatable")
    ] = None,
    api: Annotated[
        str | None,
        typer.Option(metavar="URL", help="the KG API; default: CRAG_MOCK_API_URL, or none"),
    ] = None,
    example: Annotated[bool, typer.Option("--example", help="ask the example KG")] = False,
    settings: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="default: settings.toml, if there is one", show_default=False
        ),
    ] = DEFAULT_FILE,
    system: Annotated[
        str | None, typer.Option(metavar="NAME", help="default: from the settings")
    ] = None,
    llm: Annotated[str | None, typer.Option(metavar="SPEC", help="as that of crag eval")] = None,
    now: Annotated[
        datetime | None, typer.Option(metavar="TIME", help="in US Pacific time; default: now")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="change a setting; repeatable"),
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="show the steps and the failures")] = False,
) -> None:
    """Answer one question from pages, the KG, or both. The status is 3 if the setup failed."""
    pages = [_page_dict(file.resolve()) for file in page or ()]
    if example and api:
        raise SettingsError("--example and --api exclude each other")
    if settings != DEFAULT_FILE and not settings.is_file():
        raise SettingsError(f"there is no file {settings}")
    chosen = load_settings(
        settings,
        changes=changes or (),
        api_url=EXAMPLE_KG if example else api,
        system=system,
        llm=llm,
    )
    if chosen.api_url is None and not pages:
        raise InputError(
            "there is nothing to look in: give --page FILE or --api URL, or ask the example KG "
            "by --example"
        )
    gc.disable()  # hundreds of modules, and no garbage: looking for it takes as long as a parse
    from models.user_config import UserModel  # not for --help

    logging.getLogger("models").addHandler(logging.NullHandler())  # failures are shown below
    model = UserModel(_with_task(chosen))
    gc.freeze()
    gc.enable()
    asked_at = now or datetime.now(PACIFIC)
    query_time = asked_at.strftime("%m/%d/%Y, %H:%M:%S PT")
    batch = {"query": [question], "query_time": [query_time], "search_results": [pages]}
    text = model.batch_generate_answer(batch)[0]
    if why:
        _show_steps(model)
    sys.stdout.write(text + "\n")
    failures = [failure for failure in model.last_failures[0] if failure.of_setup]
    if text == IDK and failures:
        raise SetupFailed(f"{failures[0].kind}: {failures[0].error}")


def _with_task(settings: Settings) -> Settings:
    """The settings with the task that the sources imply, whatever aicrowd.json submits to."""
    if settings.task is not None:
        return settings
    return replace(settings, task=Task.WEB if settings.api_url is None else Task.KG_WEB)


def _page_dict(file: Path) -> dict[str, str]:
    """A page of a batch, as the evaluator gives it."""
    html = file.read_text("utf-8", errors="replace")
    return {"page_name": file.stem, "page_url": file.as_uri(), "page_result": html}


def _show_steps(model: "UserModel") -> None:
    """Print what was tried for the question, and what failed."""
    from rich.console import Console

    from models.runtime.step_panel import step_panel

    console = Console()
    for step in model.last_traces[0]:
        console.print(step_panel(step, _SHOWN_CHARS))
    for failure in model.last_failures[0]:
        place = f" in {failure.step}" if failure.step else ""
        console.print(clean(f"{failure.kind}{place}: {failure.error}"), style="red", markup=False)


main = partial(run, app, name="crag answer")

if __name__ == "__main__":
    sys.exit(main())
