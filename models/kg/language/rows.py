"""How the rows of the table are written."""

from models.kg.language.functions import Entity, Key, Parameter, Type

DATE, NUMBER, YEAR, FLAG, LIST = Type.DATE, Type.NUMBER, Type.YEAR, Type.FLAG, Type.LIST


def key(
    name: str,
    kind: Type = Type.TEXT,
    synonyms: str = "",
    aliases: str = "",
    unit: str = "",
    label: str = "",
    *,
    entity: Entity | None = None,
    inverse: str = "",
    codes: str = "",
) -> Key:
    names = (tuple(aliases.split()), tuple(synonyms.split()))
    return Key(name, kind, *names, unit, label, entity=entity, inverse=inverse, codes=codes)


def keys(names: str, kind: Type = Type.TEXT) -> tuple[Key, ...]:
    return tuple(Key(name, kind) for name in names.split())


def hidden(names: str, kind: Type = Type.TEXT, label: str = "") -> tuple[Key, ...]:
    """Keys that can be read, and that no prompt lists."""
    return tuple(Key(name, kind, label=label, hidden=True) for name in names.split())


def take(
    name: str,
    synonyms: str = "",
    kind: Type = Type.TEXT,
    *,
    optional: bool = False,
    shared: bool = False,
    entity: Entity | None = None,
) -> Parameter:
    return Parameter(name, kind, optional, tuple(synonyms.split()), shared, entity)
