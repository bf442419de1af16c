"""Which values fit a type of the schema."""

from datetime import datetime

from models.kg.codes import is_code
from models.kg.language.functions import Type
from models.kg.operators import as_number
from models.kg.periods import PeriodError, resolve

_SOME_TIME = datetime(2024, 3, 1)  # whether a phrase of time is understood does not depend on it
_FLAGS = frozenset(("true", "false", "yes", "no"))


def fits(kind: Type, value: object, codes: str = "") -> bool:
    """Whether `value`, a literal of a program, can be of `kind`; what is no literal may be."""
    if not isinstance(value, (str, int, float)):
        return True
    match kind:
        case Type.DATE:
            return not why_no_time(str(value))
        case Type.NUMBER:
            return as_number(value) is not None
        case Type.YEAR:
            return as_number(value) is not None or not why_no_time(str(value))
        case Type.FLAG:
            return str(value).lower() in _FLAGS or is_code(codes, str(value))
    return True


def why_no_time(text: str) -> str:
    """Why a text is no time; empty where it is one."""
    try:
        resolve(text, _SOME_TIME)
    except PeriodError as error:
        return str(error)
    return ""
