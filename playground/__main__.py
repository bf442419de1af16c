"""`crag playground [RUN]`: ask a question in the browser, and look into every step."""

import sys
import threading
import webbrowser
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from evaluation.about import DATASET_PATH
from evaluation.finished_run import FinishedRun, read_run
from evaluation.judge.make_judge import make_judge
from models.settings import DEFAULT_FILE, EXAMPLE_KG, ROOT, command_settings
from playground.app import make_app
from playground.service import Playground
from utils.cli import ExampleKg, KgApi, SettingsFile, new_app, run
from utils.http_server import AnnouncedServer, listening_socket

EXAMPLES = ROOT / "example_data" / "questions.jsonl"
_GRACE_S = 1  # for requests that are still running at shutdown

app = new_app()


@app.command()
def serve(
    folder: Annotated[
        Path | None, typer.Argument(metavar="RUN", help="a run's folder, to look into")
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
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="change a setting; repeatable"),
    ] = None,
    dataset: Annotated[
        Path | None, typer.Option(help="questions with pages; default: the run's, or ours")
    ] = None,
    cases: Annotated[Path, typer.Option(help="where cases are kept")] = Path("cases.jsonl"),
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one")] = 7860,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="in a browser")] = True,
) -> None:
    """Ask a question in the browser, and look into every step.

    The server is for this machine alone, until Ctrl-C. Without a KG in settings or arguments, it
    asks the example KG.
    """
    system_settings = command_settings(
        settings, changes=changes or (), api=api, example=example, system=system, llm=llm
    )
    if system_settings.api_url is None:
        system_settings = replace(system_settings, api_url=EXAMPLE_KG)
    finished_run = read_run(folder) if folder else None
    questions = dataset or _dataset_of(finished_run)
    playground = Playground(system_settings, questions, make_judge("rules"))
    playground.examples  # noqa: B018 - a dataset that cannot be read is an error now,
    playground.client  # noqa: B018 - as is the address of a KG
    playground.warm_up()
    config = uvicorn.Config(
        make_app(playground, cases, finished_run),
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    socket = listening_socket("127.0.0.1", port)
    if opens:
        address = f"http://127.0.0.1:{socket.getsockname()[1]}"
        threading.Timer(0.5, webbrowser.open, [address]).start()
    AnnouncedServer(config, "playground on ", playground.stop).run(sockets=[socket])


def _dataset_of(finished_run: FinishedRun | None) -> Path:
    """The dataset of a run, if it still lies where it was; else our examples."""
    if finished_run is None:
        return EXAMPLES
    path = Path(finished_run.about.get(DATASET_PATH, ""))
    if path.is_file():
        return path
    typer.echo("the run's dataset is not here: to ask its questions again, give --dataset FILE")
    return EXAMPLES


main = partial(run, app, name="crag playground")

if __name__ == "__main__":
    sys.exit(main())
