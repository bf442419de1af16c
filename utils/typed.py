"""Creates typed records from tables and variables by pydantic, with precise error messages."""

import dataclasses
import difflib
import json
from collections.abc import Collection, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError

from utils.errors import SettingsError
from utils.secrets import without_secrets

T = TypeVar("T")
Chance = Annotated[float, Field(ge=0, le=1)]  # a probability


def read_record(
    kind: type[T],
    values: Mapping[str, Any],
    where: str,
    base: T | None = None,
    *,
    texts: bool = False,
) -> T:
    """The dataclass `kind` with `values`; absent fields are as in `base`, else the defaults.

    Args:
        kind: the dataclass.
        values: by field, as in TOML or JSON.
        where: the source as named in errors, such as "settings.toml".
        base: a record with the values of absent fields.
        texts: whether all values are texts, as in the environment, so that "4" is a number.

    Raises:
        SettingsError: a name is unknown (the message suggests the most similar one), a value has
            another type, or the record rejects a value.
    """
    known = {entry.name: entry for entry in dataclasses.fields(kind)}  # type: ignore[arg-type]
    arguments: dict[str, Any] = {}
    if base is not None:
        arguments = {name: getattr(base, name) for name in known}
    for name, value in values.items():
        if name not in known:
            raise SettingsError(f"{where}: no setting is called {name!r}{nearest(name, known)}")
        try:
            adapter = _adapter_of_field(kind, name)  # type: ignore[arg-type]
            arguments[name] = _validated(adapter, value, texts)
        except (ValidationError, ValueError, TypeError) as error:
            # Do not show secrets or tables: a header in a table may contain a key.
            plain = isinstance(value, str | int | float) and known[name].repr
            shown = without_secrets(repr(value)) if plain else "that"
            raise SettingsError(f"{where}: {name} cannot be {shown}: {_reason(error)}") from error
    missing = [
        name for name, entry in known.items() if _is_required(entry) and name not in arguments
    ]
    if missing:
        raise SettingsError(f"{where}: give {' and '.join(missing)}")
    try:
        return kind(**arguments)
    except (TypeError, ValueError, SettingsError) as error:
        raise SettingsError(f"{where}: {error}") from error


def nearest(name: str, known: Collection[str], at_least: float = 0.6) -> str:
    """A hint at the known name most similar to `name`; empty if none is as similar as `at_least`,
    a share of their letters (difflib's ratio)."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=at_least)
    return f"; did you mean {near[0]}?" if near else ""


def _is_required(entry: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return entry.default is missing and entry.default_factory is missing


@cache
def _adapter_of_field(kind: Any, name: str) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(kind, include_extras=True)[name])


def _validated(adapter: TypeAdapter[Any], value: Any, texts: bool) -> Any:
    """The value, validated strictly by its type: neither a boolean nor a text is a number."""
    if texts:
        return adapter.validate_strings(value)
    if isinstance(value, bool):
        return adapter.validate_python(value, strict=True)
    try:
        text = json.dumps(value)
    except TypeError:  # already a Python value, such as a path
        return adapter.validate_python(value)
    return adapter.validate_json(text, strict=True)


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(
            problem["msg"].removeprefix("Value error, ")
            for problem in error.errors(include_url=False)
        )
    return str(error)
