"""The text shown by wikitext templates: dates, quantities, lists, names.

`templates.toml` names the reader of each template.
"""

import re
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path

from dateutil import parser as date_parser
from pydantic import BaseModel

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
_FEET = ("ft", "foot", "feet")
_Reader = Callable[[str], str]


class _TemplateRow(BaseModel, frozen=True, extra="forbid"):
    """The names of some templates, and one way to make their text.

    Attributes:
        names: patterns.
        read: the name of a reader of the arguments.
        shows: the text itself.
        sign: what stands before the arguments.
    """

    names: tuple[str, ...]
    read: str | None = None
    shows: str | None = None
    sign: str | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        """The name at the beginning of a template."""
        return re.compile(rf"\s*(?:{'|'.join(self.names)})(?=[\s|]|$)", re.I)

    @property
    def reader(self) -> _Reader:
        """What makes the text from the arguments."""
        shows = self.shows
        if shows is not None:
            return lambda _: shows
        if self.sign is not None:
            return lambda arguments: f"{self.sign}{_unnamed(arguments)}"
        return _READERS[self.read or ""]


class _TemplateFile(BaseModel, frozen=True, extra="forbid"):
    """`templates.toml`."""

    template: tuple[_TemplateRow, ...]
    units: dict[str, str]


def read_template(text: str) -> str:
    """The text shown by a template, given its name and arguments separated by bars or, where the
    API removed them, blanks. An unknown template shows all unnamed arguments."""
    for pattern, read_arguments in _TEMPLATES:
        match = pattern.match(text)
        if match:
            return read_arguments(text[match.end() :].strip(" \t|"))
    if "|" in text:
        return _unnamed(text.partition("|")[2])
    return _unnamed(text.partition(" ")[2])


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
    if len(tokens) <= 2:
        return part
    first_word = tokens[0].strip(",")
    for place in range(len(tokens) - 1, 0, -1):
        if tokens[place].strip(",") == first_word and not tokens[place - 1].endswith(","):
            return part[:start] + " ".join(tokens[place:])
    return part


# --- readers: from arguments to text


def _unnamed(arguments: str) -> str:
    """All arguments without a name."""
    return _OPTION.sub("", arguments).replace("|", " ").strip()


def _unnamed_in_one_line(arguments: str) -> str:
    return " ".join(_unnamed(arguments).split())


def _after_first(arguments: str) -> str:
    """All arguments but the first, which is a language code or a size."""
    return _unnamed(re.sub(r"^[^\s|]+", "", _OPTION.sub("", arguments).strip(" |")))


def _first(arguments: str) -> str:
    return _unnamed(arguments).split(" ")[0]


def _date(arguments: str) -> str:
    text = _unnamed_in_one_line(arguments)
    day = _DAY.search(text)
    if day:
        return iso(day.group())
    match = _DATE_ARGUMENTS.search(text)
    if not match:
        return text
    year, *rest = [int(number) for number in match.groups() if number]
    month = rest[0] if rest else 1
    day_of_month = rest[1] if len(rest) > 1 else 1
    try:
        date(year, month, day_of_month)
    except ValueError:
        return str(year)
    return "-".join([f"{year:04}", *(f"{number:02}" for number in rest)])


def _quantity_text(arguments: str) -> str:
    """A number and its unit, without the conversion and its options."""
    text = _unnamed_in_one_line(arguments)
    match = _QUANTITY.match(text)
    if not match:
        return text
    number = match["number"].replace(" xx ", " × ")
    unit = match["unit"] or ""
    quantity = f"{number} {_FILE.units.get(unit, unit)}"
    if unit in _FEET and match["inches"]:
        quantity += match["inches"]
    return quantity.strip()


def _height(arguments: str) -> str:
    quantities = re.findall(r"\b(m|cm|ft|in)\s*=\s*([\d.]+)", arguments)
    return " ".join(f"{number} {unit}" for unit, number in quantities)


def _marriage(arguments: str) -> str:
    """A name, and the years in brackets."""
    text = _unnamed_in_one_line(arguments)
    begins = _WHEN.search(text)
    name_end = begins.start() if begins else len(text)
    name = shown(text[:name_end].strip(" ,")) or "unnamed"
    years = "–".join(re.findall(r"\b\d{4}\b", text[name_end:])[:2])
    return f"\n{name} ({years})\n" if years else f"\n{name}\n"


def _list(arguments: str) -> str:
    """A list's members, one per line."""
    text = _STYLE.sub("", arguments)
    if re.search(r"(?m)^\s*[*•]", text) or "\n" in text.strip():
        lines = text.replace("|", "\n")
    elif "|" in text:
        lines = "\n".join(_OPTION.sub("", part) for part in text.split("|"))
    else:
        text = re.sub(r",(?=\s*\()", "", _OPTION.sub("", text))
        lines = re.sub(r",\s+(?![^()]*\))", "\n", text)
    return f"\n{lines}\n"


def _release(arguments: str) -> str:
    """Releases of a game, one per line: the date, then the region unless it is worldwide."""
    text = " ".join(arguments.replace("|", " ").split())
    releases = []
    for region, when in _REGION_AND_DATE.findall(text):
        day = iso(when.strip(" ,"))
        releases.append(day if region == "WW" else f"{day} ({region})")
    if not releases:
        return text
    lines = "\n".join(releases)
    return f"\n{lines}\n"


def _rounded(arguments: str) -> str:
    """The first argument, rounded to as many places as the second says."""
    numbers = re.findall(r"-?\d+(?:\.\d+)?", arguments)
    if not numbers:
        return ""
    places = 0
    if len(numbers) > 1 and "." not in numbers[1]:
        places = int(numbers[1])
    return f"{round(float(numbers[0]), places):,.{max(places, 0)}f}"


_READERS: dict[str, _Reader] = {
    "date": _date,
    "quantity": _quantity_text,
    "first": _first,
    "height": _height,
    "marriage": _marriage,
    "list": _list,
    "release": _release,
    "text": _unnamed,
    "after_first": _after_first,
    "rounded": _rounded,
}
_TOML = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
_FILE = _TemplateFile.model_validate(tomllib.loads(_TOML))
_TEMPLATES = tuple((row.pattern, row.reader) for row in _FILE.template)
