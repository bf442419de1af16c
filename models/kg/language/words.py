"""The words of the query language, and their synonyms in models' output (`words.toml`)."""

import tomllib
from pathlib import Path

from models.kg.schema.functions import fold
from models.kg.schema.operations import Op, Reduce

REDUCTIONS = {str(reduce): reduce for reduce in Reduce}
OPERATORS = {str(op): op for op in Op} | {"ne": Op.NE}


_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _meant(section: str) -> dict[str, str]:
    """The folded words of a section, with their meanings."""
    return {fold(word): name for name, words in _DATA[section].items() for word in words.split()}


OPERATOR_WORDS = {word: Op(name) for word, name in _meant("operators").items()} | OPERATORS
REDUCE_WORDS = {word: Reduce(name) for word, name in _meant("reductions").items()}
CONSTANTS = _meant("constants")
OTHERS = _meant("others")  # "sorted" -> "sort", "desc" -> "descending"
CHARACTERS: dict[str, str] = {
    given: read for read, some in _DATA["characters"].items() for given in some
}
