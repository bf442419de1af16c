"""The words of the query language, and their synonyms in models' output (`words.toml`)."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from models.kg.language.ast import Op, Reduce

# These follow a call in brackets, as keys do, so no key may have such a name.
REDUCTIONS: Mapping[str, Reduce] = MappingProxyType({str(reduce): reduce for reduce in Reduce})
OPERATORS: Mapping[str, Op] = MappingProxyType({**{str(op): op for op in Op}, "ne": Op.NE})


def fold(text: str) -> str:
    """`text` without case, blanks, "_" and "-", in which spellings of one name differ."""
    return text.casefold().replace("_", "").replace(" ", "").replace("-", "")


_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _meant(section: str) -> Mapping[str, str]:
    """The folded words of a section, with their meanings."""
    rows = _DATA[section].items()
    return MappingProxyType({fold(word): name for name, words in rows for word in words.split()})


OPERATOR_WORDS: Mapping[str, Op] = MappingProxyType(
    {**{word: Op(name) for word, name in _meant("operators").items()}, **OPERATORS}
)
REDUCE_WORDS: Mapping[str, Reduce] = MappingProxyType(
    {word: Reduce(name) for word, name in _meant("reductions").items()}
)
CONSTANTS = _meant("constants")
OTHERS = _meant("others")  # "sorted" -> "sort", "desc" -> "descending"
CHARACTERS: Mapping[str, str] = MappingProxyType(
    {given: read for read, some in _DATA["characters"].items() for given in some}
)
