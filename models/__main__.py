"""`crag answer QUESTION`: answer one question, as the evaluator would ask it."""

import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from models.batch_input import PACIFIC
from models.settings import load_settings
from models.user_config import UserModel
from utils.cli import run

app = typer.Typer(add_completion=False)


@app.command()
def answer(
    question: Annotated[str, typer.Argument()],
    page: Annotated[list[Path] | None, typer.Option(help="an HTML file; may be repeated")] = None,
    api: Annotated[str | None, typer.Option(help="URL of the KG API")] = None,
    now: Annotated[datetime | None, typer.Option(help="US Pacific time; default: now")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="a setting: key=value")] = None,
) -> None:
    """Answer one question from pages, the KG, or both, with the system of the settings."""
    pages = [_page_dict(file.resolve()) for file in page or ()]
    asked_at = now or datetime.now(PACIFIC)
    query_time = asked_at.strftime("%m/%d/%Y, %H:%M:%S PT")
    batch = {"query": [question], "query_time": [query_time], "search_results": [pages]}
    model = UserModel(load_settings(changes=changes or (), api_url=api))
    sys.stdout.write(model.batch_generate_answer(batch)[0] + "\n")


def _page_dict(file: Path) -> dict[str, str]:
    """A page of a batch, as the evaluator gives it."""
    html = file.read_text("utf-8")
    return {"page_name": file.stem, "page_url": file.as_uri(), "page_result": html}


main = partial(run, app, name="crag answer")

if __name__ == "__main__":
    sys.exit(main())
