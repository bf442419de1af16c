"""The other HTML extractors, and the fallback from one to the next."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from models.ranking.optional import need
from models.records import Page
from models.web.decoding import (
    BLOCK_END,
    MAX_HTML_CHARS,
    MAX_TITLE,
    NO_CHARACTER,
    TABLE,
    decode,
    encodable,
    is_blank,
    repair_text,
    title_of,
)
from models.web.html import SelectolaxExtractor, assemble, tables_apart
from models.web.page import Extractor, PageText
from models.web.settings import Extraction
from utils.errors import MissingPackageError

_BLOCK = re.compile(  # where a block begins or ends; other tags are inline
    r"(?=</?(?:address|article|aside|blockquote|br|caption|center|dd|div|dl|dt|fieldset|figcaption"
    r"|figure|footer|form|h[1-6]|header|hr|legend|li|main|nav|ol|option|p|pre|section|table|tbody"
    r"|td|tfoot|th|thead|tr|ul)\b)",
    re.I,
)
_BLANK_LINES = re.compile(r"\n{3,}")
_LONG_SPACE = re.compile(r"\n\s{50,}")
_UNSEEN = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(script|style)\b.*?(?:</\1\b[^>]*>?|\Z)|<[!?][^>]*>?",
    re.I | re.S,
)


class Reader:
    """Reads a page by the first extractor that does not fail or return no text.

    An empty result is accepted from an extractor of all text, but not from one of the main text
    only. A page that no extractor can read has no text. Failures are counted by the extractor's
    name.
    """

    def __init__(self, extractors: Sequence[Extractor]) -> None:
        self._extractors = extractors

    def read(self, page: Page, counts: Counter[str]) -> PageText:
        """The text of `page`; adds `broke:NAME` and `empty:NAME` to `counts`."""
        if is_blank(page.html):
            return PageText(encodable(page.name), "")
        for extractor in self._extractors:
            name = extractor.name
            try:
                text = extractor.extract(page)
            except (ImportError, MissingPackageError, MemoryError):
                raise
            except Exception:  # noqa: BLE001  (a third party's parser, and there is a next one)
                counts[f"broke:{name}"] += 1
                continue
            if text.text:
                return text
            counts[f"empty:{name}"] += 1
            if not extractor.main_text_only:
                return text
        return PageText(encodable(page.name), "")


class SoupExtractor:
    """BeautifulSoup over `html.parser`, all text (db3, section 2.2)."""

    name = Extraction.BEAUTIFULSOUP
    main_text_only = False

    def __init__(self, max_chars: int = MAX_HTML_CHARS) -> None:
        self._soup = need("bs4", "beautifulsoup4").BeautifulSoup
        self._max_chars = max_chars

    def extract(self, page: Page) -> PageText:
        html = _visible(page, self._max_chars)
        soup = self._soup(_BLOCK.sub(BLOCK_END, html), "html.parser")
        title = soup.title.get_text()[:MAX_TITLE] if soup.title else ""
        name = repair_text(" ".join(title.split()))
        for node in soup(["title", "noscript", "template"]):
            node.extract()
        return assemble(name or page.name, soup.get_text(), [], [])


class TrafilaturaExtractor:
    """trafilatura's main text, without tables, which are read separately (electricsheep, 4.1)."""

    name = Extraction.TRAFILATURA
    main_text_only = True

    def __init__(self, max_chars: int = MAX_HTML_CHARS) -> None:
        need("lxml_html_clean", "trafilatura lxml_html_clean")  # an undeclared dependency
        self._trafilatura = need("trafilatura", "trafilatura lxml_html_clean")
        self._max_chars = max_chars

    def extract(self, page: Page) -> PageText:
        html = _visible(page, self._max_chars)
        text = self._trafilatura.extract(html, include_tables=False, include_comments=False)
        return PageText(title_of(html) or encodable(page.name), _tidy(text or ""))


class Html2TextExtractor:
    """html2text with the options that bumblebee7 names (section 5.2.1)."""

    name = Extraction.HTML2TEXT
    main_text_only = False

    def __init__(self, max_chars: int = MAX_HTML_CHARS) -> None:
        self._html2text = need("html2text", "html2text")
        self._max_chars = max_chars

    def extract(self, page: Page) -> PageText:
        html = _visible(page, self._max_chars)
        reader = self._html2text.HTML2Text()
        reader.ignore_links = True
        reader.ignore_images = True
        reader.decode_errors = "ignore"
        reader.ignore_tables = False
        reader.bypass_tables = False
        reader.skip_internal_links = False
        reader.inline_links = True
        reader.body_width = 0
        reader.google_doc = True
        reader.google_list_indent = 36
        reader.ignore_anchors = True
        html = _LONG_SPACE.sub("\n\n", html)  # html2text takes quadratic time on these
        return PageText(title_of(html) or encodable(page.name), _tidy(reader.handle(html)))


@dataclass(frozen=True, slots=True)
class WithTables:
    """Another extractor's text, followed by the tables and facts that selectolax finds."""

    inner: Extractor
    max_chars: int

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def main_text_only(self) -> bool:
        return self.inner.main_text_only

    def extract(self, page: Page) -> PageText:
        rest, tables, facts = tables_apart(page, self.max_chars)
        prose = self.inner.extract(replace(page, html=rest))
        if self.main_text_only and not prose.text:
            return prose  # the next extractor adds the tables, too
        marked = BLOCK_END.join([*prose.text.split("\n"), *[TABLE] * len(tables)])
        return assemble(prose.title, marked, tables, facts)


class TablesAsText(SelectolaxExtractor):
    """selectolax's text, with tables as plain text."""

    def extract(self, page: Page) -> PageText:
        return replace(super().extract(page), tables=())


_CLASSES: dict[Extraction, type[Any]] = {
    Extraction.SELECTOLAX: SelectolaxExtractor,
    Extraction.BEAUTIFULSOUP: SoupExtractor,
    Extraction.TRAFILATURA: TrafilaturaExtractor,
    Extraction.HTML2TEXT: Html2TextExtractor,
}


def make_reader(names: Sequence[Extraction], max_chars: int, *, tables: bool) -> Reader:
    """A reader that tries `names` in order; only the first must be installed.

    Raises:
        MissingPackageError: the package of the first is not installed.
    """
    made: list[Extractor] = []
    for name in names:
        try:
            extractor: Extractor = _CLASSES[name](max_chars)
        except MissingPackageError:
            if not made:
                raise
            continue
        if name is Extraction.SELECTOLAX:
            made.append(extractor if tables else TablesAsText(max_chars))
        else:
            made.append(WithTables(extractor, max_chars) if tables else extractor)
    return Reader(made)


def _visible(page: Page, max_chars: int) -> str:
    """The page's HTML, for a parser written in Python."""
    return visible(NO_CHARACTER.sub("\ufffd", decode(page.html, max_chars)))


def visible(html: str) -> str:
    """`html` without comments, declarations, scripts, styles, and a tag left open at its end:
    Python's parser fails on some of these."""
    html = _UNSEEN.sub("", html).replace("<!", "< !").replace("<?", "< ?")
    end = html.rfind(">") + 1
    return html[:end] + html[end:].replace("<", " ")


def _tidy(text: str) -> str:
    """`text` without repeated empty lines, trailing white space and runs of white space."""
    lines = (" ".join(line.split()) for line in repair_text(text).split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()
