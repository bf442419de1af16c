"""How the rows of the table are written."""

from models.kg.language.functions import Key, Parameter, Type

DATE, NUMBER, YEAR, FLAG, LIST = Type.DATE, Type.NUMBER, Type.YEAR, Type.FLAG, Type.LIST


def key(
    name: str,
    kind: Type = Type.TEXT,
    synonyms: str = "",
    aliases: str = "",
    unit: str = "",
    label: str = "",
) -> Key:
    return Key(name, kind, tuple(aliases.split()), tuple(synonyms.split()), unit, label)


def keys(names: str, kind: Type = Type.TEXT) -> tuple[Key, ...]:
    return tuple(Key(name, kind) for name in names.split())


def take(name: str, synonyms: str = "", kind: Type = Type.TEXT) -> Parameter:
    return Parameter(name, kind, False, tuple(synonyms.split()))


def may_take(name: str, synonyms: str = "", kind: Type = Type.TEXT) -> Parameter:
    return Parameter(name, kind, True, tuple(synonyms.split()))
