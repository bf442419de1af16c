"""Values of infoboxes as plain text: dates as ISO, quantities with their units, lists as lists.

The API returns wiki markup either whole (`[[Paris|the city]]`, `{{convert|53|m}}`) or without bars
and brackets (`Paris the city,`, `{{convert 53 m}}`); a link is then its page's name, the text shown
if that differs, and a comma. Both forms are supported.
"""

import html
import re

import mwparserfromhell
from mwparserfromhell import nodes
from mwparserfromhell.parser import ParserError
from mwparserfromhell.wikicode import Wikicode

from models.kg.execution.fetch.templates import TWICE, iso, raised_text, read_template, shown

_LONGEST = 4_000  # characters of a value; real ones have up to 1,500
_DROPPED = frozenset(("ref", "math", "gallery", "timeline"))
_RAISED = "sup"
_LONGEST_BASE = 40  # characters before a raised text that are looked at
_BREAKS = frozenset(("br", "li", "p", "div", "ul", "ol", "table", "tr"))
# a template whose bars the API removed: no name has a line break or tag, so a bar was there
_HEAD = re.compile(r"(\{\{[^{}|\n<]{0,2000})(?=[\n<])")
_BRACES = re.compile(r"\{\{([^{}]*)\}\}")
_DEEPEST = 10
_MOST_WORK = 120_000  # characters times markup signs; real values take up to 48,000
_MARKUP = re.compile(r"[\[\]{}|<>]")
_FILE_LINK = re.compile(r"\s*(?:File|Image|Category):", re.I)
_FILE = re.compile(r"(?:File|Image):\S{1,200}?\.(?:svg|png|jpe?g|ogg)\S*", re.I)
# a link's comma: nobody writes a comma before what follows it
_LINK_END = re.compile(r",(?=\s*(?:[,;:)\n/.]|\(|$))")
# a link's comma before the letters that belong to its last word: "25,000 watt,s", "Khagan,-ruled"
_COMMA_IN_WORD = re.compile(r"(?<=[^\W\d_]),(?=(?:e?s|n|ns|ed|er|ers|ing)\b|-[a-z])")
# a link whose page's name ends with the text shown: "Area codes 614 and 380 614 and 380"
_SHOWN_AGAIN = re.compile(
    r"(?<=[\w.),] )(?P<shown>\w[^\s,;/()]{2,}|\w\S*(?: \S+){1,7}?) (?P=shown)(?=\s*(?:$|[,;:/()]))",
    re.I,
)
# the same with other signs between its numbers: "Area codes 213 and 323 213/323"
_NUMBERS_AGAIN = re.compile(r" (?P<shown>\d+(?:/\d+)+)$")
# before a line that is only a remark in brackets, and belongs to the previous one
_REMARK = re.compile(r"\n(?=\(.*\)$)", re.M)
_SECTION = re.compile(r"^(?:#|List of )[^\d()]*(?:\([^\d()]*\)[^\d()]*)*(?=\d)")
# A target with a disambiguation in brackets, followed by the text shown: "Ann Lee (poet) Ann Lee".
_DISAMBIGUATED = re.compile(r"\b([A-Z][\w.'’-]*(?: [\w.'’-]+){0,4}) \([^()]+\) \1(?!\w)")
# a person's party: "Ann Lee (Green Party (Ohio) G)"
_PARTY = re.compile(r",? \((?:[A-Z]\S+ )+Party\b(?: of [^()]*)?(?: \([^()]*\))?(?: \w{1,4})?\)")

PlainText = str | list[str]  # a list if it has several lines or members


def plain(value: str) -> PlainText:
    """`value` without markup.

    Empty if nothing is readable. Only the first `_LONGEST` characters are read; if a value would
    take the parser more than `_MOST_WORK`, only its words are.
    """
    text = _without_markup(_cleaned_source(value))
    for _ in range(_DEEPEST):  # templates that the parser does not recognise
        text, count = _BRACES.subn(lambda match: read_template(match[1]), text)
        if not count:
            break
    text = html.unescape(text).replace("\xa0", " ").replace("{{", "").replace("}}", "")
    text = re.sub(r"'{2,}", "", _FILE.sub("", text))
    readable_lines = []
    for line in text.split("\n"):
        tidy_line = _tidy(line)
        if re.search(r"[^\W_]", tidy_line):
            readable_lines.append(tidy_line)
    lines = _REMARK.sub(" ", "\n".join(readable_lines)).split("\n")
    return lines[0] if len(lines) == 1 else lines


def _cleaned_source(value: str) -> str:
    """The wikitext without blank lines; the braces that the API truncated are added."""
    lines = [" ".join(line.split()) for line in value[:_LONGEST].split("\n")]
    source = "\n".join(filter(None, lines))
    missing_braces = source.count("{{") - source.count("}}")
    return source + "}}" * missing_braces


def _without_markup(source: str) -> str:
    """The text that the parser reads; only the words if it cannot."""
    if _parser_work(source) <= _MOST_WORK:
        try:
            code = mwparserfromhell.parse(_HEAD.sub(r"\1|", source), skip_style_tags=True)
            return _text_of(code)
        except (ParserError, RecursionError):
            pass
    return _MARKUP.sub(" ", source)


def _parser_work(source: str) -> int:
    """The parser's work on a value, which it may read again at each markup sign."""
    return len(source) * sum(map(source.count, "<{[&|*#:;\n"))


def _text_of(code: Wikicode | None) -> str:
    """The text that markup shows, with a line for each line break and list member."""
    if code is None:
        return ""
    text = ""
    for node in code.nodes:
        if isinstance(node, nodes.Tag) and str(node.tag).lower() == _RAISED:
            before = text[-_LONGEST_BASE:].rstrip()
            text += raised_text(before, _text_of(node.contents))
        else:
            text += _text_of_node(node)
    return text


def _text_of_node(node: nodes.Node) -> str:
    match node:
        case nodes.Template():
            return _text_of_template(node)
        case nodes.Wikilink():
            if _FILE_LINK.match(str(node.title)):
                return ""
            return _text_of(node.title if node.text is None else node.text)
        case nodes.ExternalLink():
            return _text_of(node.title if node.brackets else node.url)
        case nodes.HTMLEntity():
            return node.normalize()
        case nodes.Tag():
            return _text_of_tag(node)
        case nodes.Comment() | nodes.Argument():
            return ""
        case _:
            return str(node)


def _text_of_template(template: nodes.Template) -> str:
    parts = [_text_of(template.name).strip()]
    for parameter in template.params:
        value = _text_of(parameter.value)
        parts.append(f"{parameter.name}={value}" if parameter.showkey else value)
    return read_template("|".join(parts))


def _text_of_tag(tag: nodes.Tag) -> str:
    name = str(tag.tag).lower()
    if name in _DROPPED:
        return ""
    contents = _text_of(tag.contents)
    if tag.wiki_markup:
        return f"{tag.wiki_markup}{contents}"
    return f"\n{contents}" if name in _BREAKS else f" {contents} "


def _tidy(line: str) -> str:
    """A line without list signs, targets of links, and punctuation that they leave behind."""
    line = re.sub(r"^[\s*•:;|]+", "", line)
    line = _COMMA_IN_WORD.sub("", re.sub(r"[ \t]+", " ", line))
    line = _SECTION.sub("", line)
    parts = [_shown_once(shown(part.strip())) for part in _LINK_END.split(line)]
    line = re.sub(r"\s+([,;:)/.])", r"\1", " ".join(filter(None, parts)))
    line = _PARTY.sub("", _DISAMBIGUATED.sub(r"\1", line))
    line = re.sub(r",(?:\s*,)+", ",", line).replace("( ", "(").replace("()", "")
    return iso(line.strip(" ,;"))


def _shown_once(part: str) -> str:
    """A link without the text shown, where its page's name ends with that."""
    numbers = _NUMBERS_AGAIN.search(part)
    if numbers and re.findall(r"\d+", part[: numbers.start()]) == numbers["shown"].split("/"):
        part = part[: numbers.start()]
    return _SHOWN_AGAIN.sub(
        lambda match: match[0] if match["shown"].lower() in TWICE else match["shown"], part
    )
