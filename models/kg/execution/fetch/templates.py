"""The text shown by wikitext templates: dates, quantities, lists, names.

`templates.toml` names the reader of each template.
"""

import re
import tomllib
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path

from dateutil import parser as date_parser
from pydantic import BaseModel

from models.english.calendar_words import MONTHS
from models.english.quantity_words import any_of

_MONTH = rf"(?:{any_of(MONTHS)})\.?"
_DAY = re.compile(rf"(?:{_MONTH} \d{{1,2}},? \d{{4}}|\d{{1,2}} {_MONTH},? \d{{4}})", re.I)
# A date in words, in ISO format, or as the arguments "2001 5 4" of a template.
_NUMBERS = r"(?:(?: +|-)(?P<m>\d{1,2})(?![\d.])(?:(?: +|-)(?P<d>\d{1,2})(?![\d.]))?)?"
_DATE = re.compile(
    rf"(?P<day>{_DAY.pattern}|\d{{4}} {_MONTH} \d{{1,2}}(?!\d))"
    rf"|(?P<month>\b{_MONTH},? \d{{4}}|\d{{4}} {_MONTH})(?!\d)"
    rf"|(?<![\d.,])(?P<y>\d{{3,4}}){_NUMBERS}(?![\d.])",
    re.I,
)
_OPTION = re.compile(r"(?<![^\s|])[\w-]+\s*=\s*(?:\"[^\"]*\"|[^\s|]*)")
_NUMBER = r"[-+−–]?\d[\d,]*(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"(?P<number>{_NUMBER}(?: (?:xx?|by|to|and|-|–) {_NUMBER})*)"
    rf"(?: (?P<unit>[^\s\d-]\S*))?(?P<inches> {_NUMBER} in\b)?"
)
_REGION = r"[A-Z]{2,3}(?:/[A-Z]{2,3})*"
_REGION_AND_DATE = re.compile(rf"\b({_REGION})\s+(.+?)(?=\s+{_REGION}\s|$)")
_STYLE = re.compile(
    r"(?m)^\s*(?:\w*style\w*|list_style_type|title|class|bullets)\s*=.*?(?=\||$)"
    r"|(?<!\S)\w*style\w*\s*=\s*\S+"
)
_FORMATNUM = re.compile(r"\s*formatnum:", re.I)  # a parser function, called like a template
_FEET = ("ft", "foot", "feet")
_ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
_INTEGER = re.compile(r"[-−–+]?\d{1,3}")
_BASES = ("2", "10")  # of powers
_PLAIN_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_MOST_PLACES = 6
_MOST_DIGITS = 30  # of a number that is calculated with
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
    text = _FORMATNUM.sub("formatnum|", text, count=1)
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


# Words before the second of two names that begin alike.
_JOINING = frozenset("and & or of to from by with the in on for vs".split())
# Names that are one word twice.
TWICE = frozenset(
    "baden bora boutros cha duran knock mahi pago sing sirhan talk tuk tut wagga walla yo".split()
)


def shown(part: str) -> str:
    """The shown text of a link whose bars and brackets the API removed: its page's name is before
    that text, and recognised by its first word ("Irish language Irish").

    The last such word counts, unless it is after a comma, joined to what is before ("John Hughes
    and John Candy"), or the second half of a name ("Pago Pago").
    """
    lead = re.match(r"[\s,;:()]*", part)
    start = lead.end() if lead else 0
    tokens = part[start:].split()
    if len(tokens) <= 2:
        return part
    first_word = tokens[0].strip(",")
    for place in range(len(tokens) - 1, 0, -1):
        before = tokens[place - 1]
        is_again = tokens[place].strip(",") == first_word and not before.endswith(",")
        is_name = before.lower() in _JOINING or (place == 1 and first_word.lower() in TWICE)
        if is_again and not is_name:
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
    """The first date; of several, a day rather than a year."""
    text = _unnamed_in_one_line(arguments)
    matches = list(_DATE.finditer(text))
    if not matches:
        return text
    days = [match for match in matches if match["day"]]
    return _iso_of_match((days or matches)[0])


def _iso_of_match(match: re.Match[str]) -> str:
    """A date as "2001-05-04", as far as it is known; an impossible one is only its year."""
    words = match["day"] or match["month"]
    if words:
        try:
            day = date_parser.parse(words, default=datetime(1, 1, 1)).date().isoformat()
        except (ValueError, OverflowError):
            return words
        return day if match["day"] else day[:7]
    numbers = [int(match[name]) for name in ("y", "m", "d") if match[name]]
    padded = [*numbers, 1, 1]
    try:
        date(padded[0], padded[1], padded[2])
    except ValueError:
        return match["y"]
    return "-".join([f"{numbers[0]:04}", *(f"{number:02}" for number in numbers[1:])])


def _date_range(arguments: str) -> str:
    """A start and an end: "2001-05-04 – 2001-06-01"."""
    text = _unnamed_in_one_line(arguments)
    return _span([_iso_of_match(match) for match in _DATE.finditer(text)]) or text


def _span(dates: Sequence[str]) -> str:
    """The first two dates as a span, with blanks around the dash unless they are years."""
    has_only_years = all(re.fullmatch(r"\d+", each) for each in dates)
    dash = "–" if has_only_years else " – "
    return dash.join(dates[:2])


def _film_dates(arguments: str) -> str:
    """Dates of release, one per line, each with the place that follows it."""
    text = _unnamed_in_one_line(arguments)
    matches = list(_DATE.finditer(text))
    if not matches:
        return text
    ends = [match.start() for match in matches[1:]]
    lines = []
    for match, end in zip(matches, [*ends, len(text)], strict=True):
        place = text[match.end() : end].strip(" ,")
        day = _iso_of_match(match)
        lines.append(f"{day} ({place})" if place else day)
    joined_lines = "\n".join(lines)
    return f"\n{joined_lines}\n"


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
    """A name, and the dates in brackets."""
    text = _unnamed_in_one_line(arguments)
    matches = list(_DATE.finditer(text))
    name_end = matches[0].start() if matches else len(text)
    name = shown(text[:name_end].strip(" ,")) or "unnamed"
    dates = _span([_iso_of_match(match) for match in matches])
    return f"\n{name} ({dates})\n" if dates else f"\n{name}\n"


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
    numbers: list[str] = re.findall(r"-?\d+(?:\.\d+)?", arguments)
    if not numbers:
        return ""
    if len(numbers[0]) > _MOST_DIGITS:
        return numbers[0]
    places = 0
    if len(numbers) > 1 and "." not in numbers[1]:
        places = _places(numbers[1])
    return f"{round(float(numbers[0]), places):,.{max(places, 0)}f}"


def _places(text: str) -> int:
    """How many decimal places a number states, within bounds; negative before the point."""
    number = float(text)  # infinite if it is too long
    return int(max(-_MOST_DIGITS, min(number, _MOST_PLACES)))


def _scientific(arguments: str) -> str:
    """A value without its uncertainty, but with its power of ten and its unit."""
    number = _first(arguments)
    if _option(arguments, "fmt") == "commas":
        number = _grouped(number)
    exponent = _option(arguments, "e")
    power = f"×10^{exponent}" if exponent else ""
    unit = _option(arguments, "u", "ul")
    per = _option(arguments, "up", "upl")
    if per:
        unit = f"{unit}/{per}"
    prefix = _option(arguments, "p")
    suffix = _option(arguments, "s")
    return f"{prefix}{number}{power}{suffix} {unit}".strip()


def _option(arguments: str, *names: str) -> str:
    """The value of the first option that is given by one of its names; else empty."""
    match = re.search(rf"(?<![^\s|])(?:{'|'.join(names)})\s*=\s*([^\s|]+)", arguments)
    return match[1] if match else ""


def _power_of_ten(arguments: str) -> str:
    exponent = _first(arguments)
    return f"×10^{exponent}" if exponent else ""


def _exponent(arguments: str) -> str:
    return raised_text("", _unnamed(arguments))


def raised_text(before: str, text: str) -> str:
    """How a raised text is written after the text `before` it: "10^6", "km^2", "4th".

    Letters and signs that refer to a footnote have no text, nor has a number after another one,
    unless that is a base of powers.

    >>> raised_text("5 × 10", "6"), raised_text("40 km", "2")
    ('^6', '^2')
    >>> raised_text("Baku", "a"), raised_text("12,000", "1")
    ('', '')
    """
    raised = text.strip()
    if raised.lower() in _ORDINAL_ENDINGS:
        return raised
    if not _INTEGER.fullmatch(raised):
        return ""
    number = re.search(r"[\d,.]*\d$", before)
    if number is not None and number.group() not in _BASES:
        return ""
    return f"^{raised.replace('−', '-').replace('–', '-')}"


def _grouped(arguments: str) -> str:
    """A number with commas between its thousands."""
    number = _first(arguments)
    if not _PLAIN_NUMBER.fullmatch(number):
        return number
    whole, point, decimals = number.partition(".")
    return f"{int(whole):,}{point}{decimals}"


def _fraction(arguments: str) -> str:
    """A fraction: "1/2" of "2" and of "1 2", "3 1/2" of "3 1 2"."""
    parts = _unnamed(arguments).split()
    if not parts:
        return ""
    if len(parts) == 1:
        return f"1/{parts[0]}"
    whole = f"{parts[-3]} " if len(parts) > 2 else ""
    return f"{whole}{parts[-2]}/{parts[-1]}"


def _percentage(arguments: str) -> str:
    """The first argument as a share of the second, with as many decimal places as the third says;
    of a single argument, that percentage."""
    parts = [part.replace(",", "") for part in _unnamed(arguments).split()]
    if not all(_PLAIN_NUMBER.fullmatch(part) for part in parts[:3]) or not parts:
        return _unnamed(arguments)
    if len(parts) == 1:
        return f"{parts[0]}%"
    if any(len(part) > _MOST_DIGITS for part in parts[:2]):
        return _unnamed(arguments)
    if float(parts[1]) == 0:
        return ""
    places = _places(parts[2]) if len(parts) > 2 else 0
    return f"{100 * float(parts[0]) / float(parts[1]):.{max(places, 0)}f}%"


def _duration(arguments: str) -> str:
    """Hours, minutes and seconds: "1 h 32 min", or as written if with colons."""
    parts = _unnamed(arguments).split()
    if any(":" in part for part in parts):
        return parts[0]
    numbers = [_option(arguments, "h"), _option(arguments, "m"), _option(arguments, "s")]
    if not any(numbers):
        numbers = parts[:3]
    texts = []
    for number, unit in zip(numbers, ("h", "min", "s"), strict=False):
        if number.strip("0"):
            texts.append(f"{number.lstrip('0')} {unit}")
    return " ".join(texts)


def _right_ascension(arguments: str) -> str:
    return _with_units(arguments, ("h", "m", "s"))


def _declination(arguments: str) -> str:
    return _with_units(arguments, ("°", "′", "″"))


def _with_units(arguments: str, units: Sequence[str]) -> str:
    """Numbers, each with its unit: "14h 15m 39.7s"."""
    parts = _unnamed(arguments).split()
    return " ".join(f"{part}{unit}" for part, unit in zip(parts, units, strict=False))


_READERS: dict[str, _Reader] = {
    "date": _date,
    "date_range": _date_range,
    "film_dates": _film_dates,
    "scientific": _scientific,
    "power_of_ten": _power_of_ten,
    "exponent": _exponent,
    "grouped": _grouped,
    "fraction": _fraction,
    "percentage": _percentage,
    "duration": _duration,
    "right_ascension": _right_ascension,
    "declination": _declination,
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
