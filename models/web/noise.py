"""Which elements of a page are noise: navigation, notices, forms, and what stays hidden.

Each kind of element is in doubt for a reason of its own, and stays if it holds what the page is
about: some servers wrap a whole page in a form, a navigation that is not closed holds all that
follows, and scripts reveal what is hidden at first.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from models.web.metadata import LD_JSON, facts_of

# Elements without readable text, whatever their content.
_NO_TEXT = frozenset("script style noscript template svg iframe select".split())
_BESIDE_THE_TEXT = ("nav", "footer", "aside")  # menus, credits, links to other pages
_BUTTON = "button"
_FORMS = 'form,[id*="cookie" i],[class*="cookie" i],[id*="consent" i],[class*="consent" i]'
# Words of the id or class of a notice, and what its text says.
_NOTICE_NAMES = frozenset("cookie cookies consent gdpr ccpa".split())
_NOTICE = re.compile(
    r"\b(?:use[sd]?|using|accept|store|manage|allow|reject|set)\b.{0,80}\bcookies?\b"
    r"|\bcookies?\b.{0,80}\b(?:polic|setting|preference|notice|accept|reject|choice)"
    r"|\bcookies?\s*(?:\.|$)|\bprivacy\b|\bconsent\b|^\s*we use\b",
    re.I | re.S,
)
# Words of the id or class of what a click opens over the page.
_OVERLAY_NAMES = frozenset(
    "modal popup popover overlay tooltip dropdown menu submenu dialog lightbox newsletter subscribe"
    " login signup nav navbar drawer sidebar offcanvas toast snackbar".split()
)
# The classes of what lists a page's sources, parts and neighbours in MediaWiki.
_LISTS_OF_LINKS = frozenset(
    "references reflist navbox vertical-navbox toc catlinks mw-editsection".split()
)
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_REACT_STREAM = re.compile(r"[SPB]:\w+")  # ids of what React sends late, hidden, to move it
_MOST_IN_DOUBT = 2000  # elements of a page; each one's text is measured
_SMALL = 1000  # characters; a longer form or notice has more than its own text
# Parts of the page's text from which a form or notice is the page; with a heading or a paragraph.
_MOST_OF_PAGE = 0.8
_HALF = 0.5
_FEW_LINKS = 0.3  # part of the text that is in links
_LABELLED = re.compile(r"\b[A-Z][a-z]+(?: [a-z]+){0,2}: ?\S")  # "Born: 4 May 1950"
PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:[€£¥₹]|(?:USD|EUR|GBP)\b)")
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6 dt summary".split())
_BLOCKS = frozenset("div section article p main ul ol dl dd li details blockquote".split())
_SENTENCE = re.compile(r"\w+ \w+ .{0,300}?[.!?](?:\s|$|\")", re.S)
_DECLARATION = re.compile(r"(?:^|;)\s*(display|visibility)\s*:\s*([\w-]+)", re.I)
_NOT_SHOWN = frozenset(("none", "hidden", "collapse"))
# One selector for all of these, since each pass over a page takes time.
_IN_DOUBT = ",".join(
    [
        *sorted(_NO_TEXT),
        "nav,footer,button",
        'aside:not([class*="infobox"])',
        '[role="navigation"]',
        *(f".{name}" for name in sorted(_LISTS_OF_LINKS)),
        "[hidden]",
        '[style*="display" i]',
        '[style*="visibility" i]',
    ]
)


def remove_noise(tree: LexborHTMLParser) -> list[str]:
    """Remove elements without readable text from `tree`; returns the facts in them."""
    nodes = tree.css(_IN_DOUBT)
    scripts = [node.text() for node in nodes if _is_json_ld(node)]
    metas = [node.attributes for node in tree.head.css("meta")] if tree.head else []
    facts = facts_of(scripts, metas)
    in_doubt: list[LexborNode] = []
    for node in reversed(nodes):  # inner ones first: a removed element has no children
        if node.tag in _NO_TEXT:
            node.decompose()
        elif node.tag not in ("html", "body") and len(in_doubt) < _MOST_IN_DOUBT:
            in_doubt.append(node)
    if tree.body is None:
        return facts
    _remove(in_doubt, tree.body, _is_noise)
    forms = [node for node in reversed(tree.css(_FORMS)) if _is_form_or_notice(node)]
    if forms and not _are_the_page_together(forms, _length(tree.body)):
        _remove(forms, tree.body, _is_mere_form)
    for node in tree.css(_BUTTON):
        node.unwrap(delete_empty=True)
    return facts


def _remove(
    nodes: Sequence[LexborNode], body: LexborNode, is_noise: Callable[[LexborNode, int], bool]
) -> None:
    """Remove those of `nodes` that are noise, by the length of the page's text."""
    page_length = _length(body) if nodes else 0
    for node in nodes:
        if is_noise(node, page_length):
            node.decompose()


def _is_noise(node: LexborNode, page_length: int) -> bool:
    tag = node.tag
    if tag == _BUTTON:
        return _is_mere_button(node, page_length)
    attributes = node.attributes
    if not _LISTS_OF_LINKS.isdisjoint((attributes.get("class") or "").split()):
        return node.css_first("p") is None and _length(node) < _MOST_OF_PAGE * page_length
    if tag in _BESIDE_THE_TEXT or attributes.get("role") == "navigation":
        return _is_hidden(attributes) or _is_beside_the_text(node, page_length)
    return _is_hidden(attributes) and _stays_hidden(node, page_length)


# ---- forms and notices


def _are_the_page_together(forms: Sequence[LexborNode], page_length: int) -> bool:
    return sum(map(_length, _outermost(forms))) >= _MOST_OF_PAGE * page_length


def _is_mere_form(node: LexborNode, page_length: int) -> bool:
    """Whether a form or notice is short and not the page."""
    if node.tag == "main" or not (node.tag == "form" or _says_notice(node)):
        return False
    length = _length(node)
    if length >= page_length:
        return False
    has_text = node.css_first("p,h1,h2") is not None
    return length < min(_SMALL, (_HALF if has_text else _MOST_OF_PAGE) * page_length)


def _is_form_or_notice(node: LexborNode) -> bool:
    """Whether an element is a form, or called a notice on cookies or consent."""
    is_notice = node.tag not in ("html", "body") and _has_name_of(node, _NOTICE_NAMES)
    return node.tag == "form" or is_notice


def _says_notice(node: LexborNode) -> bool:
    return _NOTICE.search(node.text()) is not None


# ---- what is hidden at first


def _is_hidden(attributes: Mapping[str, str | None]) -> bool:
    """Whether an element is not shown at first; of two declarations the last one counts."""
    if "hidden" in attributes:
        return True
    style = attributes.get("style") or ""
    shown = {name.lower(): value.lower() for name, value in _DECLARATION.findall(style)}
    return not _NOT_SHOWN.isdisjoint(shown.values())


def _stays_hidden(node: LexborNode, page_length: int) -> bool:
    """Whether no script reveals an element as a part of the text: it is the smaller part of the
    page and of its section, a part of a line or table (keys to sort by), has no sentence, or opens
    over the page."""
    length = _length(node)
    if length >= _HALF * page_length or _REACT_STREAM.fullmatch(node.id or ""):
        return False
    if length >= _SMALL and has_table(node):  # scripts show tables after sorting them
        return False
    if node.tag not in _BLOCKS or _has_name_of(node, _OVERLAY_NAMES):
        return True
    if _SENTENCE.search(node.text()) is None or _share_of_links(node, length) > _HALF:
        return True
    section = node.parent
    while section is not None and section.tag not in ("body", "html"):
        hidden = sum(_length(child) for child in section.iter() if _is_hidden(child.attributes))
        shown = _length(section) - hidden
        if shown > 0 and section.mem_id != node.mem_id:
            return max(hidden, length) < _HALF * _length(section)
        if section.tag in ("td", "th"):
            return True
        section = section.parent
    return True


# ---- what stands beside the text


def _is_beside_the_text(node: LexborNode, page_length: int) -> bool:
    """Whether a navigation, footer or aside holds neither the article, nor facts about it, nor who
    is quoted."""
    length = _length(node)
    if length >= _HALF * page_length and _share_of_links(node, length) < _HALF:
        return False
    parent = node.parent
    if node.tag == "footer" and parent is not None and parent.tag in ("blockquote", "figure"):
        return False
    if node.tag != "aside" or _share_of_links(node, length) > _FEW_LINKS:
        return True
    has_facts = node.css_first("dl,table") is not None or _LABELLED.search(node.text()) is not None
    return not has_facts


def _is_mere_button(node: LexborNode, page_length: int) -> bool:
    """Whether a button is no question of a list, no price, and not the page."""
    parent = node.parent
    if parent is not None and parent.tag in _HEADINGS:
        return False
    text = node.text()
    return PRICE.search(text) is None and len(text) < _HALF * page_length


# ---- about an element


def _has_name_of(node: LexborNode, names: frozenset[str]) -> bool:
    """Whether a word of an element's id or class is one of `names`."""
    name = f"{node.id or ''} {node.attributes.get('class') or ''}"
    return any(word.lower() in names for word in _WORD.findall(name))


def _share_of_links(node: LexborNode, length: int) -> float:
    """The part of an element's text that is in links."""
    return sum(map(_length, node.css("a"))) / length if length else 1.0


def _length(node: LexborNode) -> int:
    """The characters of the node's text, without the white space around its pieces."""
    return len(node.text(strip=True))


def _outermost(nodes: Sequence[LexborNode]) -> Iterator[LexborNode]:
    """Those of `nodes` that are in none of the others."""
    ids = {node.mem_id for node in nodes}
    for node in nodes:
        parent = node.parent
        while parent is not None and parent.mem_id not in ids:
            parent = parent.parent
        if parent is None:
            yield node


def has_table(node: LexborNode) -> bool:
    return node.tag == "table" or node.css_first("table") is not None


def _is_json_ld(node: LexborNode) -> bool:
    kind, _, _ = (node.attributes.get("type") or "").partition(";")
    return node.tag == "script" and kind.strip().lower() == LD_JSON
