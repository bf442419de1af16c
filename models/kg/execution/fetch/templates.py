"""The text shown by wikitext templates: dates, quantities, lists, names.

`templates.toml` maps each template to its function.
"""

import re
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path

from dateutil import parser as date_parser

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DAY = re.compile(rf"(?:{_MONTH} \d{{1,2}},? \d{{4}}|\d{{1,2}} {_MONTH},? \d{{4}})", re.I)
_OPTION = re.compile(r"(?<![^\s|])[\w-]+\s*=\s*(?:\"[^\"]*\"|[^\s|]*)")
_NUMBER = r"[-+−–]?\d[\d,]*(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"(?P<number>{_NUMBER}(?: (?:xx?|by|to|and|-|–) {_NUMBER})*)"
    rf"(?: (?P<unit>[^\s\d-]\S*))?(?P<inches> {_NUMBER} in\b)?"
)
_WHEN = re.compile(rf"\b(?:{_MONTH} )?(?:\d{{1,2}},? )?(?:{_MONTH},? )?\d{{4}}\b")
_REGION = r"[A-Z]{2,3}(?:/[A-Z]{2,3})*"
_REGION_AND_DATE = re.compile(rf"\b({_REGION})\s+(.+?)(?=\s+{_REGION}\s|$)")
_STYLE = re.compile(
    r"(?m)^\s*(?:\w*style\w*|list_style_type|title|class|bullets)\s*=.*?(?=\||$)"
    r"|(?<!\S)\w*style\w*\s*=\s*\S+"
)
_DATE_ARGUMENTS = re.compile(r"(?<![\d.])(\d{3,4})(?: +(\d{1,2})(?: +(\d{1,2}))?)?(?![\d.])")
_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_UNITS = _DATA["units"]


def read_template(text: str) -> str:
    """The text shown by a template, given its name and arguments separated by bars or, where the
    API removed them, blanks. An unknown template shows all unnamed arguments."""
    for pattern, read in _TEMPLATES:
        match = pattern.match(text)
        if match:
            return read(text[match.end() :].strip(" \t|"))
    name, bar, arguments = text.partition("|")
    return _text(arguments if bar else name.partition(" ")[2])


def _text(arguments: str) -> str:
    return _OPTION.sub("", arguments).replace("|", " ").strip()


def _after_first(arguments: str) -> str:
    """All arguments but the first, which is a language code or a size."""
    return _text(re.sub(r"^[^\s|]+", "", _OPTION.sub("", arguments).strip(" |")))


def _first(arguments: str) -> str:
    return _text(arguments).split(" ")[0]


def _date(arguments: str) -> str:
    text = " ".join(_text(arguments).split())
    day = _DAY.search(text)
    if day:
        return iso(day.group())
    match = _DATE_ARGUMENTS.search(text)
    if not match:
        return text
    numbers = [int(number) for number in match.groups() if number]
    try:
        date(numbers[0], *(numbers[1:] + [1, 1])[:2])
    except ValueError:
        return str(numbers[0])
    return "-".join([f"{numbers[0]:04}", *(f"{number:02}" for number in numbers[1:])])


def _quantity(arguments: str) -> str:
    """A number and its unit, without the conversion and its options."""
    text = " ".join(_text(arguments).split())
    match = _QUANTITY.match(text)
    if not match:
        return text
    number, unit = match["number"].replace(" xx ", " × "), match["unit"] or ""
    inches = match["inches"] if unit in ("ft", "foot", "feet") and match["inches"] else ""
    return f"{number} {_UNITS.get(unit, unit)}{inches}".strip()


def _height(arguments: str) -> str:
    found = re.findall(r"\b(m|cm|ft|in)\s*=\s*([\d.]+)", arguments)
    return " ".join(f"{number} {unit}" for unit, number in found)


def _marriage(arguments: str) -> str:
    """A name, and the years in brackets."""
    text = " ".join(_text(arguments).split())
    begins = _WHEN.search(text)
    name, when = (text[: begins.start()], text[begins.start() :]) if begins else (text, "")
    years = "–".join(re.findall(r"\b\d{4}\b", when)[:2])
    return f"\n{shown(name.strip(' ,')) or 'unnamed'}{f' ({years})' if years else ''}\n"


def _list(arguments: str) -> str:
    """A list's members, one per line."""
    text = _STYLE.sub("", arguments)
    if re.search(r"(?m)^\s*[*•]", text) or "\n" in text.strip():
        return "\n" + text.replace("|", "\n") + "\n"
    if "|" in text:
        return "\n" + "\n".join(_OPTION.sub("", part) for part in text.split("|")) + "\n"
    text = re.sub(r",(?=\s*\()", "", _OPTION.sub("", text))
    return "\n" + re.sub(r",\s+(?![^()]*\))", "\n", text) + "\n"


def _release(arguments: str) -> str:
    """Releases of a game, one per line: the date, then the region unless it is worldwide."""
    text = " ".join(arguments.replace("|", " ").split())
    found = _REGION_AND_DATE.findall(text)
    said = [
        iso(when.strip(" ,")) + ("" if where == "WW" else f" ({where})") for where, when in found
    ]
    return "\n" + "\n".join(said) + "\n" if said else text


def _rounded(arguments: str) -> str:
    numbers = re.findall(r"-?\d+(?:\.\d+)?", arguments)
    if not numbers:
        return ""
    places = int(numbers[1]) if len(numbers) > 1 and "." not in numbers[1] else 0
    return f"{round(float(numbers[0]), places):,.{max(places, 0)}f}"


def _reader(row: dict[str, str]) -> Callable[[str], str]:
    if "shows" in row:
        return lambda _: row["shows"]
    if "sign" in row:
        return lambda arguments: f"{row['sign']}{_text(arguments)}"
    return _READERS[row["read"]]


_READERS: dict[str, Callable[[str], str]] = {
    "date": _date,
    "quantity": _quantity,
    "first": _first,
    "height": _height,
    "marriage": _marriage,
    "list": _list,
    "release": _release,
    "text": _text,
    "after_first": _after_first,
    "rounded": _rounded,
}
_TEMPLATES = tuple(
    (re.compile(rf"\s*(?:{row['names']})(?=[\s|]|$)", re.I), _reader(row))
    for row in _DATA["template"]
)


def iso(text: str) -> str:
    """A complete date in ISO format; any other text unchanged."""
    if not _DAY.fullmatch(text):
        return text
    try:
        return date_parser.parse(text).date().isoformat()
    except (ValueError, OverflowError):
        return text


def shown(part: str) -> str:
    """The shown text of a link whose bars and brackets the API removed: its page's name is before
    that text, and recognised by its first word ("Irish language Irish").

    The last such word counts, unless it is after a comma.
    """
    lead = re.match(r"[\s,;:()]*", part)
    start = lead.end() if lead else 0
    tokens = part[start:].split()
    first = tokens[0].strip(",") if len(tokens) > 2 else None
    found = [i for i, token in enumerate(tokens) if token.strip(",") == first]
    begins = max((i for i in found if i and not tokens[i - 1].endswith(",")), default=0)
    return part[:start] + " ".join(tokens[begins:]) if begins else part
