"""The server of the playground: one page, and what it asks for."""

import html
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict
from pathlib import Path
from string import Template
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Response
from fastapi.responses import HTMLResponse
from fastapi.sse import EventSourceResponse

from evaluation.dataset import Example
from evaluation.finished_run import FinishedRun
from evaluation.page import html as report
from evaluation.page.report import described, prompts, question_row
from evaluation.report import GROUP_NAMES
from models.kg.lexicon.named_functions import functions
from models.records import Domain
from models.systems.make_system import web_presets
from playground.again import (
    PassagesChange,
    ProgramChange,
    PromptChange,
    passages_again,
    program_again,
    prompt_again,
    readings,
)
from playground.chat import add_chat
from playground.errors import NotFound, add_handlers
from playground.guard import MAX_BODY_BYTES, Guard
from playground.inquiry import AskRequest, Inquiry
from playground.keeping import CaseInput, LabelInput, command_for, keep_case, keep_label
from playground.service import Playground
from utils.http_server import BodyLimit, HeadAsGet

FOLDER = Path(__file__).resolve().parent / "page"
_SCRIPTS = (
    report.FOLDER / "page.js",
    report.FOLDER / "questions.js",
    *(FOLDER / name for name in ("steps.js", "change.js", "playground.js")),
)
_STYLES = (report.FOLDER / "page.css", FOLDER / "playground.css")


def make_app(playground: Playground, cases: Path, run: FinishedRun | None = None) -> FastAPI:
    """The application.

    Args:
        playground: answers questions.
        cases: the file to which cases are appended.
        run: whose questions the page lists; None: none.
    """
    app = FastAPI(title="CRAG playground", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(BodyLimit, limit=MAX_BODY_BYTES)
    app.add_middleware(Guard, keys=playground.keys)
    app.add_middleware(HeadAsGet)
    add_handlers(app)
    _add_page(app, playground, cases, run)
    _add_questions(app, playground, cases)
    _add_changes(app, playground)
    add_chat(app, playground)
    if run is not None:
        _add_run(app, run)
    return app


def _add_page(app: FastAPI, playground: Playground, cases: Path, run: FinishedRun | None) -> None:
    @app.get("/")
    def page() -> HTMLResponse:
        return HTMLResponse(_page(playground, cases, run))

    @app.get("/playground.js")
    def script() -> Response:
        return Response(_joined(_SCRIPTS), media_type="text/javascript")

    @app.get("/playground.css")
    def style() -> Response:
        return Response(_joined(_STYLES), media_type="text/css")


def _add_questions(app: FastAPI, playground: Playground, cases: Path) -> None:
    """What asks a question, and shows and keeps what became of it.

    What appends to a file is async: so it runs alone.
    """

    Known = Annotated[Inquiry, Depends(playground.inquiry)]

    @app.get("/api/rows/{id:path}")
    def row(id: str) -> dict[str, Any]:
        return _listed(playground.example(id))

    @app.post("/api/ask")
    def ask(request: AskRequest) -> dict[str, str]:
        return {"id": playground.ask(request).id}

    @app.get("/api/inquiries/{id}/events", response_class=EventSourceResponse)
    async def events(inquiry: Known) -> AsyncIterator[dict[str, Any]]:
        yield {"type": "begun", **_shown_question(inquiry)}
        async for event in inquiry.follow():
            yield event

    @app.get("/api/inquiries/{id}/pages/{number}")
    def page_text(inquiry: Known, number: int) -> dict[str, str]:
        texts = inquiry.retrieved.texts if inquiry.retrieved else {}
        if number not in texts:
            raise NotFound(f"page {number} was not read")
        return {"title": texts[number].title, "text": texts[number].text}

    @app.post("/api/inquiries/{id}/case")
    async def case(inquiry: Known, case: CaseInput) -> dict[str, str]:
        keep_case(cases, inquiry, case)
        return {"command": command_for(cases, inquiry, playground.settings.api_url)}


def _add_changes(app: FastAPI, playground: Playground) -> None:
    """What runs a step again, or looks into the question."""
    Known = Annotated[Inquiry, Depends(playground.inquiry)]

    @app.post("/api/inquiries/{id}/steps/{number}")
    def prompt(inquiry: Known, number: int, change: PromptChange) -> dict[str, Any]:
        return asdict(prompt_again(inquiry, playground.llms, number, change))

    @app.post("/api/inquiries/{id}/program")
    def program(inquiry: Known, change: ProgramChange) -> dict[str, Any]:
        return program_again(change.program, playground.client, inquiry.question.asked_at)

    @app.post("/api/inquiries/{id}/passages")
    def passages(inquiry: Known, change: PassagesChange) -> dict[str, Any]:
        return passages_again(inquiry, playground.llms, change.passages)

    @app.get("/api/inquiries/{id}/readings")
    def parser_readings(inquiry: Known) -> list[dict[str, Any]]:
        return readings(inquiry, playground.client)


def _add_run(app: FastAPI, run: FinishedRun) -> None:
    """What shows and labels the questions of a run."""

    @app.get("/api/run/traces/{id:path}")
    def trace(id: str) -> list[dict[str, Any]]:
        return [asdict(step) for step in run.traces.get(id, ())]

    @app.post("/api/run/labels")
    async def label(label: LabelInput) -> dict[str, str]:
        if label.id not in run.results:
            raise NotFound(f"the run has no question {label.id!r}")
        run.labels[label.id] = keep_label(run.folder, run.results[label.id], label)
        return {"verdict": label.verdict, "note": label.note}


def _page(playground: Playground, cases: Path, run: FinishedRun | None) -> str:
    """The page with the data that it begins with."""
    settings = playground.settings
    title = f"Ask {settings.system}"
    data = {
        "kind": "report",
        "title": title,
        "group_names": GROUP_NAMES,
        "prompts": prompts(),
        "runs": [described(run)] if run else [],
        "questions": [question_row(id, [run]) for id in run.results] if run else [],
        "examples": list(map(_listed, playground.examples)),
        "systems": playground.systems,
        "system": settings.system,
        "presets": list(web_presets()),
        "domains": list(Domain),
        "adapters": playground.adapters,
        "has_kg": playground.client is not None,
        "language": _language(),
    }
    template = Template((FOLDER / "playground.html").read_text(encoding="utf-8"))
    return template.substitute(title=html.escape(title), data=report.json_block(data))


def _language() -> dict[str, list[str]]:
    """The functions of the KG language, each with its keys."""
    table = functions()
    return {name: sorted(table.keys_of(name).names) for name in table.names}


def _listed(example: Example) -> dict[str, Any]:
    """A question of the dataset as the form takes it: its pages by their addresses."""
    return {
        "id": example.id,
        "query": example.query,
        "time": example.query_time,
        "pages": [page.get("page_url") or page.get("page_name") for page in example.pages],
    }


def _shown_question(inquiry: Inquiry) -> dict[str, Any]:
    """What was asked."""
    example = inquiry.example
    return {
        "id": inquiry.id,
        "question": inquiry.question.text,
        "time": inquiry.question.asked_when,
        "query_time": inquiry.row["query_time"],
        "task": inquiry.question.task,
        "system": inquiry.system,
        "golds": list(example.golds) if example else [],
        "domain": example.domain if example else "",
    }


def _joined(files: Iterable[Path]) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in files)
