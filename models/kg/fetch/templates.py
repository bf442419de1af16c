"""What the templates of wikitext show: dates, quantities, lists, names."""

import re
from collections.abc import Callable
from datetime import date

from dateutil import parser as date_parser

from models.kg.fetch.links import shown

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
_UNITS = {"e6m3": "million m3", "e9m3": "billion m3", "e3acre.ft": "thousand acre.ft",
          "sqm": "m2", "sqkm": "km2", "sqmi": "sq mi", "sqft": "sq ft"}  # fmt: skip


def read_template(text: str) -> str:
    """What a template shows, given its name and arguments, with bars between or, where the API has
    lost them, blanks. Of one that is not known, all arguments without a name."""
    for pattern, read in _TEMPLATES:
        match = pattern.match(text)
        if match:
            return read(text[match.end() :].strip(" \t|"))
    name, bar, arguments = text.partition("|")
    return _text(arguments if bar else name.partition(" ")[2])


def _nothing(_: str) -> str:
    return ""


def _constant(text: str) -> Callable[[str], str]:
    return lambda _: text


def _text(arguments: str) -> str:
    return _OPTION.sub("", arguments).replace("|", " ").strip()


def _after_first(arguments: str) -> str:
    """All arguments but the first: a language's code, a size."""
    return _text(re.sub(r"^[^\s|]+", "", _OPTION.sub("", arguments).strip(" |")))


def _first(arguments: str) -> str:
    return _text(arguments).split(" ")[0]


def _date(arguments: str) -> str:
    text = " ".join(_OPTION.sub("", arguments).replace("|", " ").split())
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
    """A number and its unit; what it is converted to, and how, is left out."""
    text = " ".join(_OPTION.sub("", arguments).replace("|", " ").split())
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
    text = " ".join(_OPTION.sub("", arguments).replace("|", " ").split())
    begins = _WHEN.search(text)
    name, when = (text[: begins.start()], text[begins.start() :]) if begins else (text, "")
    years = "–".join(re.findall(r"\b\d{4}\b", when)[:2])
    return f"\n{shown(name.strip(' ,')) or 'unnamed'}{f' ({years})' if years else ''}\n"


def _list(arguments: str) -> str:
    """A list's members, one a line."""
    text = _STYLE.sub("", arguments)
    if re.search(r"(?m)^\s*[*•]", text) or "\n" in text.strip():
        return "\n" + text.replace("|", "\n") + "\n"
    if "|" in text:
        return "\n" + "\n".join(_OPTION.sub("", part) for part in text.split("|")) + "\n"
    text = re.sub(r",(?=\s*\()", "", _OPTION.sub("", text))
    return "\n" + re.sub(r",\s+(?![^()]*\))", "\n", text) + "\n"


def _release(arguments: str) -> str:
    """Releases of a game, one a line: the region behind its date, unless it is the world."""
    text = " ".join(arguments.replace("|", " ").split())
    found = _REGION_AND_DATE.findall(text)
    said = [
        iso(when.strip(" ,")) + ("" if where == "WW" else f" ({where})") for where, when in found
    ]
    return "\n" + "\n".join(said) + "\n" if said else text


def _currency(code: str) -> Callable[[str], str]:
    return lambda arguments: f"{code}{_text(arguments)}"


def _rounded(arguments: str) -> str:
    numbers = re.findall(r"-?\d+(?:\.\d+)?", arguments)
    if not numbers:
        return ""
    places = int(numbers[1]) if len(numbers) > 1 and "." not in numbers[1] else 0
    return f"{round(float(numbers[0]), places):,.{max(places, 0)}f}"


def _ordinal(arguments: str) -> str:
    number = _first(arguments)
    teen = number[-2:-1] == "1"
    return number + ("th" if teen else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1:], "th"))


_Read = Callable[[str], str]


def _rows(*rows: tuple[str, _Read]) -> tuple[tuple[re.Pattern[str], _Read], ...]:
    return tuple((re.compile(rf"\s*(?:{names})(?=[\s|]|$)", re.I), read) for names, read in rows)


# The names of templates and what becomes of their arguments; the first row that fits counts.
_TEMPLATES = _rows(
    (
        r"(?:birth|death|start|end|film|release|opening|founding|launch)[ _-]?(?:date|year)"
        r"(?: and (?:given )?(?:age|years ago))?\d?|bda|sda|dda|date|dts|start and end dates",
        _date,
    ),
    (r"convert|cvt", _quantity),
    (r"val|nts|formatnum", _first),
    (r"height", _height),
    (r"marriage|married", _marriage),
    (
        r"(?:indented |bulleted |unbulleted )?(?:plain ?|flat ?|collapsible |ordered )?list"
        r"|ubl|ublist|hlist|cslist|br entries|enum|tree list",
        _list,
    ),
    (r"vgrelease(?: new)?|video game release", _release),
    (
        r"flagicon(?: image)?|flagdeco|coord|listen|cite \w+|citation needed|cn|efn(?:-\w+)?|refn"
        r"|sfn\w*|note\w*|ref label|ipac-\w+|hidden \w+|\w+ ?list/end|map caption|un_\w+"
        r"|official (?:url|website)|\w+ color(?: \w+)*|radio relay|#\w+:|audio|respell|infobox.*"
        r"|medal|post-nominals"
        r"|(?:in|de)crease\w*|steady|color box|legend\d?|leftlegend|maplink\S*|rint|odlist",
        _nothing,
    ),
    (r"flag\w*|country ?data|fb", _text),
    (r"native[ _](?:name|phrase)|lang|transl(?:iteration)?|resize|lower|color", _after_first),
    (
        r"lang-\S+|nq|nowrap|nowr|nobold|small(?:er)?|big|green|center|awrap|bold|italics?|lit|url"
        r"|abbr|based on|awd|ill|sort|as of|ushr|amtk|stnlnk|track gauge|nbay|mlby|nasg|jct",
        _text,
    ),
    (r"circa|c\.", lambda arguments: f"c. {_text(arguments)}"),
    (r"snd|spaced ndash|ndash|dash", _constant(" – ")),
    (r"break|br|parabr|clear", _constant("\n")),
    (r"!|nbs\w*|spaces?|thinsp|wbr", _constant(" ")),
    (r"okina|hamza", _constant("ʻ")),
    (r"usa?", _constant("United States")),
    (r"us\$|usd", _currency("US$")),
    (r"cny|rmb", _currency("CN¥")),
    (r"inr|indian rupees?", _currency("₹")),
    (r"gbp|£", _currency("£")),
    (r"eur|€", _currency("€")),
    (r"jpy|¥", _currency("¥")),
    (r"round", _rounded),
    (r"ordinal", _ordinal),
)


def iso(text: str) -> str:
    """A text that is a whole date as ISO writes it; another one as it is."""
    if not _DAY.fullmatch(text):
        return text
    try:
        return date_parser.parse(text).date().isoformat()
    except (ValueError, OverflowError):
        return text
