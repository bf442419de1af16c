"""Creates typed records from tables and variables by pydantic, with precise error messages."""

import difflib
import json
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError

from utils.errors import SettingsError
from utils.secrets import without_secrets

T = TypeVar("T")
Share = Annotated[float, Field(gt=0, lt=1)]
Chance = Annotated[float, Field(ge=0, le=1)]


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
        values: as in TOML or JSON.
        texts: the values are texts, as in the environment: "4" is a number.
        where: the source as named in errors: "settings.toml".

    Raises:
        SettingsError: an unknown name (the nearest one is suggested), a value of another type, or
            one that the record rejects.
    """
    known = {entry.name: entry for entry in fields(kind)}  # type: ignore[arg-type]
    read = {}
    for name, value in values.items():
        if name not in known:
            raise SettingsError(f"{where}: no setting is called {name!r}{nearest(name, known)}")
        try:
            read[name] = _validated(_adapter(kind, name), value, texts)  # type: ignore[arg-type]
        except (ValidationError, ValueError, TypeError) as error:
            # do not show secrets or tables: a header in a table may contain a key
            plain = isinstance(value, str | int | float) and known[name].repr
            shown = without_secrets(repr(value)) if plain else "that"
            raise SettingsError(f"{where}: {name} cannot be {shown}: {_reason(error)}") from error
    if base is not None:
        read = {name: read.get(name, getattr(base, name)) for name in known}
    needed = [e.name for e in known.values() if e.default is e.default_factory is MISSING]
    if missing := [name for name in needed if name not in read]:
        raise SettingsError(f"{where}: give {' and '.join(missing)}")
    try:
        return kind(**read)
    except (TypeError, ValueError, SettingsError) as error:
        raise SettingsError(f"{where}: {error}") from error


def nearest(name: str, known: Collection[str]) -> str:
    """A hint at the known name most similar to `name`; empty if there is none."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


@cache
def _adapter(kind: Any, name: str) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(kind, include_extras=True)[name])


def _validated(adapter: TypeAdapter[Any], value: Any, texts: bool) -> Any:
    """A value validated strictly by its type: neither a boolean nor a text is a number."""
    if isinstance(value, bool) and not texts:
        return adapter.validate_python(value, strict=True)
    if texts:
        return adapter.validate_strings(value)
    try:
        text = json.dumps(value)
    except TypeError:  # already a Python value, such as a path
        return adapter.validate_python(value)
    return adapter.validate_json(text, strict=True)


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(one["msg"] for one in error.errors(include_url=False))
    return str(error)
