"""Function calling over the KG API (electricsheep §4.5, D.4): an LLM writes the calls themselves.

They tried it and went back to the KG baseline, for want of time to tune it; here the calls are
constrained to the table of endpoints, so that each of them can be made.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from models.kg.linking.names import Client
from models.llm.factory import LLMs
from models.llm.protocol import Constraint, ConstraintKind
from models.prompts import load_prompt
from models.records import Question
from models.systems.asked import asked_when
from models.systems.protocol import Ledger
from models.systems.rounds import Request, Rounds
from models.systems.trace import Step
from utils.crag_api import Call
from utils.crag_endpoints import ENDPOINTS, Endpoint, Kind, find_endpoint
from utils.deadline import Deadline
from utils.errors import ApiError, ApiRejected, ApiUnavailable, DeadlineExceeded

SUBTASK = "call_functions"
PROMPT = "electricsheep/call_functions"
MAX_CALLS = 4
_TEXT_CHARS = 80
_MAX_TOKENS = 200
_RESULT_CHARS = 600  # of one call's answer
_TYPES: Mapping[Kind, Mapping[str, Any]] = {
    Kind.TEXT: {"type": "string", "maxLength": _TEXT_CHARS},
    Kind.INTEGER: {"type": "integer"},
    Kind.TEXTS: {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": 4},
}


def functions_text() -> str:
    """The endpoints as functions, a line each, for the prompt."""
    return "\n".join(
        f"- {row.method}({', '.join(map(_parameter, row.params))}): {row.summary}"
        for row in ENDPOINTS
    )


def _parameter(param: Any) -> str:
    return f"{param.argument}{'' if param.required else '?'}: {param.kind}"


@cache
def constraint() -> Constraint:
    """What the model may write, as a JSON schema: `{"calls": [{"function": ..., ...}]}`."""
    calls = {"type": "array", "items": {"anyOf": list(map(_call, ENDPOINTS))}}
    return Constraint(ConstraintKind.JSON, json.dumps(_record({"calls": calls | _AT_MOST})))


_AT_MOST = {"maxItems": MAX_CALLS}


def _call(row: Endpoint) -> Mapping[str, Any]:
    arguments = {param.argument: _TYPES[param.kind] for param in row.params}
    needed = [param.argument for param in row.params if param.required]
    name = {"type": "string", "enum": [row.method]}
    return _record({"function": name, "args": _record(arguments, needed)})


def _record(properties: Mapping[str, Any], needed: Sequence[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties if needed is None else needed),
        "additionalProperties": False,
    }


def read(text: str) -> list[Call]:
    """The calls that the model wrote, those left out that the API would refuse."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    rows = found.get("calls") if isinstance(found, dict) else found
    calls = [_read_call(row) for row in rows[:MAX_CALLS]] if isinstance(rows, list) else []
    return [call for call in calls if call is not None]


def _read_call(row: Any) -> Call | None:
    if not isinstance(row, dict) or not isinstance(row.get("args"), dict):
        return None
    try:
        endpoint = find_endpoint(str(row.get("function")))
        return Call(endpoint.path, endpoint.body(row["args"]))
    except ApiRejected:
        return None


@dataclass(frozen=True)
class FunctionCalls:
    """A `KgText` by function calling: one LLM round, then the calls of the batch together."""

    llms: LLMs
    client: Client

    def gather(
        self,
        questions: Sequence[Question],
        indices: Sequence[int],
        deadline: Deadline,
        answers: Ledger,
    ) -> dict[int, str]:
        """A line a call that gave something."""
        template = load_prompt(PROMPT)
        requests = [
            Request(
                index,
                SUBTASK,
                template,
                {
                    "functions": functions_text(),
                    "query_time": asked_when(questions[index]),
                    "question": questions[index].text,
                },
                max_tokens=_MAX_TOKENS,
                constraint=constraint(),
            )
            for index in indices
        ]
        completions = Rounds(self.llms).ask(requests, deadline, answers)
        calls = [
            (index, call)
            for index, completion in zip(indices, completions, strict=True)
            for call in (read(completion.text) if completion.finished else [])
        ]
        start = deadline.clock()
        made = self._make([call for _, call in calls], deadline)
        seconds = deadline.clock() - start
        lines: dict[int, list[str]] = {}
        for (index, call), value in zip(calls, made, strict=True):
            if isinstance(value, ApiError):
                answers.failed(index, value, "kg")
            elif value not in (None, [], {}, ""):
                lines.setdefault(index, []).append(_line(call, value))
        found = {index: "\n".join(several) for index, several in lines.items()}
        for index in dict.fromkeys(index for index, _ in calls):
            said = "\n".join(_said(call) for owner, call in calls if owner == index)
            answers.note(index, Step("kg", {"calls": said}, found.get(index, ""), seconds))
        return found

    def _make(self, calls: Sequence[Call], deadline: Deadline) -> list[Any]:
        if not calls:
            return []
        try:
            return list(self.client.call_many(calls, deadline=deadline))
        except DeadlineExceeded as error:
            return [ApiUnavailable(str(error))] * len(calls)


def _said(call: Call) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in call.params.items())
    return f"{find_endpoint(call.endpoint).method}({arguments})"


def _line(call: Call, value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    cut = shown if len(shown) <= _RESULT_CHARS else f"{shown[:_RESULT_CHARS]} [...]"
    return f"{_said(call)}: {' '.join(cut.split())}"
