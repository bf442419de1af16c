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

from models.kg.execution.fetch.templates import iso, read_template, shown

_LONGEST = 4_000  # characters of a value; real ones have up to 1,500
_DROPPED = frozenset(("ref", "math", "sup", "gallery", "timeline"))
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
_LINK_END = re.compile(r",(?=\s*(?:[,;:)\n]|\(|$))")
# before a line that is only a remark in brackets, and belongs to the previous one
_REMARK = re.compile(r"\n(?=\(.*\)$)", re.M)
_SECTION = re.compile(r"^(?:#|List of )\D*(?=\d)")
# A target with a disambiguation in brackets, followed by the text shown: "Ann Lee (poet) Ann Lee".
_TOLD_APART = re.compile(r"\b([A-Z][\w.'’-]*(?: [\w.'’-]+){0,4}) \([^()]+\) \1(?!\w)")
# a person's party: "Ann Lee (Green Party (Ohio) G)"
_PARTY = re.compile(r",? \((?:[A-Z]\S+ )+Party\b(?: of [^()]*)?(?: \([^()]*\))?(?: \w{1,4})?\)")

Value = str | list[str]


def plain(value: str) -> Value:
    """`value` without markup; a list if it has several lines or members.

    Empty if nothing is readable. Only the first `_LONGEST` characters are read; if a value would
    take the parser more than `_MOST_WORK`, only its words are.
    """
    rows = (" ".join(row.split()) for row in value[:_LONGEST].split("\n"))
    source = "\n".join(filter(None, rows))
    source += "}}" * (source.count("{{") - source.count("}}"))  # the API truncates some values
    try:
        text = _MARKUP.sub(" ", source) if _work(source) > _MOST_WORK else _parsed(source)
    except (ParserError, RecursionError):
        text = _MARKUP.sub(" ", source)
    for _ in range(_DEEPEST):  # templates that the parser does not recognise
        text, count = _BRACES.subn(lambda match: read_template(match[1]), text)
        if not count:
            break
    text = html.unescape(text).replace("\xa0", " ").replace("{{", "").replace("}}", "")
    text = re.sub(r"'{2,}", "", _FILE.sub("", text))
    kept = [line for line in map(_tidy, text.split("\n")) if re.search(r"[^\W_]", line)]
    lines = _REMARK.sub(" ", "\n".join(kept)).split("\n")
    return lines[0] if len(lines) == 1 else lines


def _parsed(source: str) -> str:
    return _text_of(mwparserfromhell.parse(_HEAD.sub(r"\1|", source), skip_style_tags=True))


def _work(value: str) -> int:
    """The parser's work on a value, which it may read again at each markup sign."""
    return len(value) * sum(map(value.count, "<{[&|*#:;\n"))


def _text_of(code: Wikicode | None) -> str:
    """The text that markup shows, with a line for each line break and list member."""
    return "".join(map(_node, code.nodes)) if code is not None else ""


def _node(node: nodes.Node) -> str:
    if isinstance(node, nodes.Template):
        arguments = (_text_of(p.value) if not p.showkey else f"{p.name}={_text_of(p.value)}"
                     for p in node.params)  # fmt: skip
        return read_template("|".join((_text_of(node.name).strip(), *arguments)))
    if isinstance(node, nodes.Wikilink):
        if _FILE_LINK.match(str(node.title)):
            return ""
        return _text_of(node.text if node.text is not None else node.title)
    if isinstance(node, nodes.ExternalLink):
        return _text_of(node.title if node.brackets else node.url)
    if isinstance(node, nodes.HTMLEntity):
        return node.normalize()
    if isinstance(node, nodes.Tag):
        name = str(node.tag).lower()
        if name in _DROPPED:
            return ""
        if node.wiki_markup:
            return f"{node.wiki_markup}{_text_of(node.contents)}"
        return f"\n{_text_of(node.contents)}" if name in _BREAKS else f" {_text_of(node.contents)} "
    return "" if isinstance(node, (nodes.Comment, nodes.Argument)) else str(node)


def _tidy(line: str) -> str:
    line = re.sub(r"^[\s*•:;|]+", "", line)
    line = _SECTION.sub("", re.sub(r"[ \t]+", " ", line))
    parts = [shown(part.strip()) for part in _LINK_END.split(line)]
    line = re.sub(r"\s+([,;:)])", r"\1", " ".join(part for part in parts if part))
    line = _PARTY.sub("", _TOLD_APART.sub(r"\1", line))
    line = re.sub(r",(?:\s*,)+", ",", line).replace("( ", "(").replace("()", "")
    return iso(line.strip(" ,;"))
