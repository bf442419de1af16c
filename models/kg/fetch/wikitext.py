"""Values of infoboxes as plain text: dates as ISO, quantities with their units, lists as lists.

The API's records hold wiki markup whole (`[[Paris|the city]]`, `{{convert|53|m}}`), and
with the bars and brackets gone (`Paris the city,`, `{{convert 53 m}}`), where a link is its page's
name, what the page shows for it, if that differs, and a comma. Both are read.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date

import mwparserfromhell
from dateutil import parser as date_parser
from mwparserfromhell.nodes import (
    Argument,
    Comment,
    ExternalLink,
    HTMLEntity,
    Node,
    Tag,
    Template,
    Wikilink,
)
from mwparserfromhell.parser import ParserError
from mwparserfromhell.wikicode import Wikicode

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DAY = re.compile(rf"(?:{_MONTH} \d{{1,2}},? \d{{4}}|\d{{1,2}} {_MONTH},? \d{{4}})", re.I)
_LONGEST = 20_000  # characters of a value
_DROPPED = frozenset(("ref", "math", "sup", "gallery", "timeline"))
_BREAKS = frozenset(("br", "li", "p", "div", "ul", "ol", "table", "tr"))
# a template whose bars the API has lost, where its name can be no name: a bar ends it there
_HEAD = re.compile(r"(\{\{[^{}|\n<]{0,2000})(?=[\n<])")
_BRACES = re.compile(r"\{\{([^{}]*)\}\}")
_DEEPEST = 10
_MOST_MARKS = 300
_MARKUP = re.compile(r"[\[\]{}|<>]")
_FILE_LINK = re.compile(r"\s*(?:File|Image|Category):", re.I)
_FILE = re.compile(r"(?:File|Image):\S{1,200}?\.(?:svg|png|jpe?g|ogg)\S*", re.I)
# a link's comma: nothing that a comma could stand before comes after it
_LINK_END = re.compile(r",(?=\s*(?:[,;:)\n]|\(|$))")
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
_SECTION = re.compile(r"^(?:#|List of )\D*(?=\d)")
_DATE_ARGUMENTS = re.compile(r"(?<![\d.])(\d{3,4})(?: +(\d{1,2})(?: +(\d{1,2}))?)?(?![\d.])")
_UNITS = {"e6m3": "million m3", "e9m3": "billion m3", "e3acre.ft": "thousand acre.ft",
          "sqm": "m2", "sqkm": "km2", "sqmi": "sq mi", "sqft": "sq ft"}  # fmt: skip
# The page of a unit -> the symbol that infoboxes show for it.
_UNIT_NAMES = {"hertz": "Hz", "kilohertz": "kHz", "megahertz": "MHz", "gigahertz": "GHz",
               "kilobyte": "KB", "megabyte": "MB", "gigabyte": "GB", "terabyte": "TB",
               "watt": "W", "kilowatt": "kW", "megawatt": "MW", "gigawatt": "GW",
               "kilometre": "km", "kilometer": "km", "metre": "m", "meter": "m",
               "kelvin": "K", "day": "d", "tonne": "t"}  # fmt: skip
# A target that brackets tell apart, and the same shown without: "Ann Lee (poet) Ann Lee".
_TOLD_APART = re.compile(r"\b([A-Z][\w.'’-]*(?: [\w.'’-]+){0,4}) \([^()]+\) \1(?!\w)")
_UNIT = re.compile(rf"(?<=\d )({'|'.join(_UNIT_NAMES)}) (\w+)\b", re.I)

Value = str | list[str]


def plain(value: str) -> Value:
    """`value` without markup; a list where it is one of several lines or members.

    Empty where nothing of it can be read. Only the first `_LONGEST` characters are read, and of a
    value with more than `_MOST_MARKS` signs of markup only the words: parsing time is quadratic in
    their number.
    """
    source = value[:_LONGEST]
    source += "}}" * (source.count("{{") - source.count("}}"))  # the API cuts some values short
    try:
        text = _MARKUP.sub(" ", source) if marks_in(source) > _MOST_MARKS else _parsed(source)
    except (ParserError, RecursionError):
        text = _MARKUP.sub(" ", source)
    for _ in range(_DEEPEST):  # what the parser takes for no template
        text, count = _BRACES.subn(lambda match: _template(match[1]), text)
        if not count:
            break
    text = html.unescape(text).replace("\xa0", " ").replace("{{", "").replace("}}", "")
    text = re.sub(r"'{2,}", "", _FILE.sub("", text))
    lines = [_tidy(line) for line in text.split("\n")]
    lines = list(_joined(line for line in lines if re.search(r"[^\W_]", line)))
    return lines[0] if len(lines) == 1 else (lines or "")


def _parsed(source: str) -> str:
    return _text_of(mwparserfromhell.parse(_HEAD.sub(r"\1|", source), skip_style_tags=True))


def marks_in(value: str) -> int:
    """How many signs of markup a value has."""
    return sum(value.count(mark) for mark in ("<", "{", "[", "&"))


def _text_of(code: Wikicode | None) -> str:
    """The text that markup shows, with a line for each of its breaks and members of lists."""
    return "".join(map(_node, code.nodes)) if code is not None else ""


def _node(node: Node) -> str:
    if isinstance(node, Template):
        arguments = (_text_of(p.value) if not p.showkey else f"{p.name}={_text_of(p.value)}"
                     for p in node.params)  # fmt: skip
        return _template("|".join((_text_of(node.name).strip(), *arguments)))
    if isinstance(node, Wikilink):
        if _FILE_LINK.match(str(node.title)):
            return ""
        return _text_of(node.text if node.text is not None else node.title)
    if isinstance(node, ExternalLink):
        return _text_of(node.title if node.brackets else node.url)
    if isinstance(node, HTMLEntity):
        return node.normalize()
    if isinstance(node, Tag):
        name = str(node.tag).lower()
        if name in _DROPPED:
            return ""
        if node.wiki_markup:
            return f"{node.wiki_markup}{_text_of(node.contents)}"
        return f"\n{_text_of(node.contents)}" if name in _BREAKS else f" {_text_of(node.contents)} "
    return "" if isinstance(node, (Comment, Argument)) else str(node)


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """The lines; one that is only a remark in brackets joins the line before it."""
    before = ""
    for line in lines:
        if before and line.startswith("(") and line.endswith(")"):
            before = f"{before} {line}"
            continue
        if before:
            yield before
        before = line
    if before:
        yield before


def _tidy(line: str) -> str:
    line = re.sub(r"^[\s*•:;|]+", "", line)
    line = _SECTION.sub("", re.sub(r"[ \t]+", " ", line))
    parts = [_shown(_UNIT.sub(_symbol, part.strip())) for part in _LINK_END.split(line)]
    line = re.sub(r"\s+([,;:)])", r"\1", " ".join(part for part in parts if part))
    line = _TOLD_APART.sub(r"\1", line)
    line = re.sub(r",(?:\s*,)+", ",", line).replace("( ", "(").replace("()", "")
    return _iso(line.strip(" ,;"))


def _shown(part: str) -> str:
    """What a page shows of a link that is its target's name and then the shown text.

    Told by the two beginning with one word ("Irish language Irish"), or by a target that is a list
    of what is shown ("List of mayors of Boise Mayor").
    """
    lead = re.match(r"[\s,;:()]*", part)
    start = lead.end() if lead else 0
    tokens = part[start:].split()
    begins = (
        _second_beginning(tokens)
        or _after_list(tokens)
        or _shorter(tokens, bracketed="(" in part[:start])
    )
    if begins:
        return part[:start] + " ".join(tokens[begins:])
    before = _words_before_link(tokens)
    return part[:start] + " ".join([*tokens[:before], tokens[-1]]) if before else part


def _second_beginning(tokens: Sequence[str]) -> int | None:
    """Where the first token stands again, not after a comma."""
    if len(tokens) < 3:
        return None
    first = tokens[0].strip(",")
    return next(
        (
            index
            for index in range(len(tokens) - 1, 0, -1)
            if tokens[index].strip(",") == first and not tokens[index - 1].endswith(",")
        ),
        None,
    )


def _symbol(match: re.Match[str]) -> str:
    """A unit that a link names and shows: "Kilohertz kHz" is "kHz"."""
    return match[2] if _UNIT_NAMES[match[1].lower()] == match[2] else match.group()


def _shorter(tokens: Sequence[str], *, bracketed: bool) -> int | None:
    """Where the shown text begins that is the target in lower case, or in brackets its initial:
    "Functional programming functional", "(Green Party G)"."""
    if len(tokens) < 3 or tokens[0] == "List":
        return None
    last, first = tokens[-1].strip(","), tokens[0]
    lower = last == first.lower() != first and all(token.islower() for token in tokens[1:])
    initial = bracketed and len(last) == 1 and first.startswith(last)
    return len(tokens) - 1 if lower or initial else None


def _after_list(tokens: Sequence[str]) -> int | None:
    """In "List of … X", where the first capital word stands that repeats one of the list's name."""
    if [token.lower() for token in tokens[:2]] != ["list", "of"]:
        return None
    return next(
        (
            index
            for index in range(3, len(tokens))
            if tokens[index][:1].isupper()
            and len(tokens[index]) > 3
            and any(word.lower().startswith(tokens[index].lower()) for word in tokens[2:index])
        ),
        None,
    )


def _words_before_link(tokens: Sequence[str]) -> int | None:
    """In "with Arup Group Arup", how many words stand before the target that repeats the last."""
    return next(
        (
            index
            for index in range(1, len(tokens) - 2)
            if tokens[index] == tokens[-1]
            and tokens[index - 1].islower()
            and all(token[:1].isupper() for token in tokens[index:])
        ),
        None,
    )


def _iso(text: str) -> str:
    """A text that is a whole date as ISO writes it; another one as it is."""
    if not _DAY.fullmatch(text):
        return text
    try:
        return date_parser.parse(text).date().isoformat()
    except (ValueError, OverflowError):
        return text


def _template(text: str) -> str:
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
        return _iso(day.group())
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
    return f"\n{_shown(name.strip(' ,')) or 'unnamed'}{f' ({years})' if years else ''}\n"


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
        _iso(when.strip(" ,")) + ("" if where == "WW" else f" ({where})") for where, when in found
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
