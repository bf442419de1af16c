"""The 38 endpoints of the CRAG mock API, one row each: `crag_endpoints.toml`.

The client's checks and methods (`utils/crag_api.py`), the server's routes (`mock_api/app.py`) and
the page `docs/kg_api.md` are derived from this table.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from utils.errors import ApiRejected


class Kind(StrEnum):
    """The type of a parameter, as written in the documentation."""

    TEXT = "string"
    INTEGER = "integer"
    TEXTS = "list of strings"

    def admits(self, value: Any) -> bool:
        """Whether the server would accept `value` without coercion."""
        match self:
            case Kind.TEXT:
                return isinstance(value, str)
            case Kind.INTEGER:
                return isinstance(value, int) and not isinstance(value, bool)
            case Kind.TEXTS:
                return isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)


@dataclass(frozen=True, slots=True)
class Param:
    """One field of a request body; `argument` is the official wrapper's name for it."""

    name: str
    argument: str
    kind: Kind
    required: bool


@dataclass(frozen=True)
class Endpoint:
    """One endpoint: `POST path` with `params` as a JSON object answers `{"result": returns}`.

    `takes`: the parameters as text: "query [year]: integer; date?: string".
    """

    path: str
    takes: str
    returns: str
    summary: str

    @cached_property
    def params(self) -> tuple[Param, ...]:
        return tuple(
            Param(name, argument or name, Kind(kind), not optional)
            for name, optional, argument, kind in _FIELD.findall(self.takes)
        )

    @property
    def method(self) -> str:
        """The name of the official wrapper's method, made of the words of the path."""
        return self.path.strip("/").replace("/", "_")

    @property
    def domain(self) -> str:
        return self.path.split("/")[1]

    def body(self, given: dict[str, Any]) -> dict[str, Any]:
        """The request body, with its fields in the table's order, without absent optional ones.

        Raises:
            ApiRejected: a field is unknown, missing, or of the wrong type.
        """
        names = {alias: p.name for p in self.params for alias in (p.argument, p.name)}
        unknown = sorted(key for key in given if key not in names)
        if unknown:
            known = ", ".join(p.name for p in self.params) or "none"
            raise ApiRejected(f"{self.path}: no parameter {', '.join(unknown)}; it takes: {known}")
        values = {names[key]: value for key, value in given.items()}
        if len(values) < len(given):
            raise ApiRejected(f"{self.path}: a parameter is given twice, under both its names")
        return {p.name: values[p.name] for p in self.params if self._present(p, values)}

    def _present(self, param: Param, values: dict[str, Any]) -> bool:
        value = values.get(param.name)
        if value is None:
            if param.required:
                raise ApiRejected(f"{self.path}: {param.name} ({param.kind}) is missing")
            return False
        if not param.kind.admits(value):
            kind = type(value).__name__
            raise ApiRejected(f"{self.path}: {param.name} must be of type {param.kind}, is {kind}")
        return True


def _rows() -> Iterator[Endpoint]:
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return (Endpoint(path, **row) for path, row in table.items())


_FIELD = re.compile(r"(\w+)(\??)(?: \[(\w+)\])?: ([^;]+)")
ENDPOINTS = tuple(_rows())
_BY_NAME = MappingProxyType(
    {name: row for row in ENDPOINTS for name in (row.path, row.path.strip("/"), row.method)}
)


def find_endpoint(name: str) -> Endpoint:
    """The row of a path ("/open/get_entity") or method name ("open_get_entity").

    Raises:
        ApiRejected: there is no such endpoint.
    """
    row = _BY_NAME.get(name)
    if row is None:
        raise ApiRejected(f"no endpoint {name!r}")
    return row


def docs_page() -> str:
    """The page `docs/kg_api.md`, in Markdown."""
    lines = [
        "# The KG API",
        "",
        "Made by `python -m utils.crag_api > docs/kg_api.md` from the table in "
        "`utils/crag_endpoints.toml`; a test keeps the two equal.",
        "",
        f"There are {len(ENDPOINTS)} endpoints. Each is `POST`, takes a JSON object, and answers "
        '`{"result": ...}`.',
        "A method is called by the names in brackets where they differ from the field's; `?` marks "
        "what may be left out.",
    ]
    for domain in dict.fromkeys(row.domain for row in ENDPOINTS):
        lines += ["", f"## {domain}", "", "| endpoint | method | body | result | what |"]
        lines += ["|---|---|---|---|---|"]
        for row in (row for row in ENDPOINTS if row.domain == domain):
            cells = (f"`{row.path}`", f"`{row.method}`", row.takes or "-", row.returns, row.summary)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
