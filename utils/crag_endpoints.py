"""The 38 endpoints of the CRAG mock API, one row each: `crag_endpoints.toml`.

The client's checks and methods (`utils/crag_api.py`), the server's routes (`mock_api/app.py`) and
the page `docs/kg_api.md` are derived from this table.
"""

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from numbers import Real
from pathlib import Path
from typing import Any

from utils.errors import ApiRejected


class ParameterKind(StrEnum):
    """The type of a parameter, as written in the documentation."""

    TEXT = "string"
    INTEGER = "integer"
    TEXTS = "list of strings"

    def admits(self, value: Any) -> bool:
        """Whether the server would accept `value` without coercion."""
        match self:
            case ParameterKind.TEXT:
                return isinstance(value, str)
            case ParameterKind.INTEGER:
                return isinstance(value, int) and not isinstance(value, bool)
            case ParameterKind.TEXTS:
                if not isinstance(value, list | tuple):
                    return False
                return all(isinstance(item, str) for item in value)

    def coerced(self, value: Any) -> Any:
        """`value` in this type, as far as nothing is lost; else as it is.

        >>> ParameterKind.INTEGER.coerced("1"), ParameterKind.TEXT.coerced(2020)
        (1, '2020')
        """
        if self is ParameterKind.TEXTS and isinstance(value, list | tuple):
            return [ParameterKind.TEXT.coerced(item) for item in value]
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        is_whole = is_number and float(value).is_integer()
        if self is ParameterKind.TEXT and is_number:
            return str(int(value) if is_whole else value)
        if self is ParameterKind.INTEGER and is_whole:
            return int(value)
        if self is ParameterKind.INTEGER and isinstance(value, str):
            text = value.strip()
            return int(text) if text.removeprefix("-").isdecimal() else value
        return value


@dataclass(frozen=True, slots=True)
class Param:
    """One field of a request body; `argument` is the official wrapper's name for it."""

    name: str
    argument: str
    kind: ParameterKind
    required: bool


@dataclass(frozen=True)
class Endpoint:
    """One endpoint: `POST path` with `params` as a JSON object answers `{"result": ...}`.

    Attributes:
        path: such as "/movie/get_year_info".
        takes: the parameters as text, such as "query [year]: integer; date?: string".
        returns: what the result is, in words.
        summary: a sentence for the documentation.
    """

    path: str
    takes: str
    returns: str
    summary: str

    @cached_property
    def params(self) -> tuple[Param, ...]:
        """The parameters in `takes`."""
        return tuple(
            Param(name, argument or name, ParameterKind(kind), required=not optional)
            for name, optional, argument, kind in _FIELD.findall(self.takes)
        )

    @property
    def method(self) -> str:
        """The name of the official wrapper's method, made of the words of the path."""
        return self.path.strip("/").replace("/", "_")

    @property
    def domain(self) -> str:
        """The first word of the path."""
        return self.path.split("/")[1]

    def body(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The request body, with its fields in the table's order, without absent optional ones.

        Args:
            arguments: by the fields' own names or by those of the official wrapper.

        Raises:
            ApiRejected: a field is unknown, missing, or of the wrong type.
        """
        names: dict[str, str] = {}
        for param in self.params:
            names[param.argument] = param.name
            names[param.name] = param.name
        unknown = sorted(arguments.keys() - names.keys())
        if unknown:
            known = ", ".join(param.name for param in self.params) or "none"
            raise ApiRejected(f"{self.path}: no parameter {', '.join(unknown)}; it takes: {known}")
        values = {names[key]: value for key, value in arguments.items()}
        if len(values) < len(arguments):
            raise ApiRejected(f"{self.path}: a parameter is given twice, under both its names")
        body = {}
        for param in self.params:
            value = values.get(param.name)
            if value is None and param.required:
                raise ApiRejected(f"{self.path}: {param.name} ({param.kind}) is missing")
            if value is None:
                continue
            if not param.kind.admits(value):
                wrong = f"{param.name} must be of type {param.kind}, is {type(value).__name__}"
                raise ApiRejected(f"{self.path}: {wrong}")
            body[param.name] = value
        return body


_FIELD = re.compile(r"(\w+)(\??)(?: \[(\w+)\])?: ([^;]+)")
_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
ENDPOINTS = tuple(Endpoint(path, **row) for path, row in _TABLE.items())
_BY_PATH = {row.path: row for row in ENDPOINTS}
_BY_METHOD = {row.method: row for row in ENDPOINTS}


def find_endpoint(name: str) -> Endpoint:
    """The row of a path ("/open/get_entity") or method name ("open_get_entity").

    Raises:
        ApiRejected: there is no such endpoint.
    """
    row = _BY_PATH.get(name) or _BY_METHOD.get(name)
    if row is None:
        raise ApiRejected(f"no endpoint {name!r}")
    return row


def docs_page() -> str:
    """The page `docs/kg_api.md`, in Markdown."""
    page = f"""# The KG API

Made by `python -m utils.crag_api > docs/kg_api.md` from the table in `utils/crag_endpoints.toml`; \
a test keeps the two equal.

There are {len(ENDPOINTS)} endpoints. Each is `POST`, takes a JSON object, and answers \
`{{"result": ...}}`.
If a method's argument is named differently from the field, its name is in brackets. `?` marks \
optional fields.
"""
    for domain, rows in groupby(ENDPOINTS, key=lambda row: row.domain):
        page += f"\n## {domain}\n\n| endpoint | method | body | result | what |\n"
        page += "|---|---|---|---|---|\n"
        for row in rows:
            cells = (f"`{row.path}`", f"`{row.method}`", row.takes or "-", row.returns, row.summary)
            page += f"| {' | '.join(cells)} |\n"
    return page
