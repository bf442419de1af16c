"""The other ways from HTML to text, and the order in which one stands in for another."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from models.ranking.optional import need
from models.records import Page
from models.web.html import SelectolaxExtractor, assemble, extract
from models.web.page import Extractor, PageText
from models.web.raw import BLOCK_END, TABLE, encode, mend, too_deep, without_tags
from models.web.settings import Extraction
from utils.errors import MissingPackageError

# The slow ones read this much of a page in a second at most; the rest of a longer page is dropped.
SLOW_CHARS = 1_500_000
_BLANK_LINES = re.compile(r"\n{3,}")


class Reader:
    """Reads a page by the first extractor that neither breaks nor comes back empty.

    A page that no extractor can read is empty; each break is counted by the extractor's name.
    """

    def __init__(self, extractors: Sequence[Extractor]) -> None:
        self._extractors = extractors

    def read(self, page: Page, counts: Counter[str]) -> PageText:
        """The text of `page`; adds `broke:NAME` and `empty:NAME` to `counts`."""
        text = PageText(page.name, "")
        if not page.html.strip():
            return text
        for extractor in self._extractors:
            name = type(extractor).__name__.removesuffix("Extractor").lower()
            try:
                text = extractor.extract(page)
            except (ImportError, MissingPackageError):
                raise
            except Exception:  # noqa: BLE001  (a third party's parser, and there is a next one)
                counts[f"broke:{name}"] += 1
                continue
            if text.text:
                return text
            counts[f"empty:{name}"] += 1
        return text


class SoupExtractor:
    """BeautifulSoup over `html.parser`, all text (db3, section 2.2)."""

    def __init__(self, max_chars: int = SLOW_CHARS) -> None:
        self._soup = need("bs4", "beautifulsoup4").BeautifulSoup
        self._max_chars = min(max_chars, SLOW_CHARS)

    def extract(self, page: Page) -> PageText:
        html, plain = _shallow(page, self._max_chars)
        if plain is not None:
            return plain
        soup = self._soup(html, "html.parser")
        for node in soup(["script", "style", "noscript", "template"]):
            node.extract()
        name = " ".join(soup.title.get_text().split()) if soup.title else ""
        return PageText(mend(name) or page.name, _tidy(soup.get_text("\n")))


class TrafilaturaExtractor:
    """trafilatura's main text, without tables, which are read apart (electricsheep, 4.1)."""

    def __init__(self, max_chars: int = SLOW_CHARS) -> None:
        need("lxml_html_clean", "trafilatura lxml_html_clean")  # it forgets to ask for it
        self._trafilatura = need("trafilatura", "trafilatura lxml_html_clean")
        self._max_chars = min(max_chars, SLOW_CHARS)

    def extract(self, page: Page) -> PageText:
        html, plain = _shallow(page, self._max_chars)
        if plain is not None:
            return plain
        text = self._trafilatura.extract(html, include_tables=False, include_comments=False)
        found = _TITLE.search(html)
        name = " ".join(mend(found[1]).split()) if found else ""
        return PageText(name or page.name, _tidy(text or ""))


class Html2TextExtractor:
    """html2text with the options that bumblebee7 names (section 5.2.1)."""

    def __init__(self, max_chars: int = SLOW_CHARS) -> None:
        self._html2text = need("html2text", "html2text")
        self._max_chars = min(max_chars, SLOW_CHARS)

    def extract(self, page: Page) -> PageText:
        html, plain = _shallow(page, self._max_chars)
        if plain is not None:
            return plain
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
        found = _TITLE.search(html)
        name = " ".join(mend(found[1]).split()) if found else ""
        return PageText(name or page.name, _tidy(reader.handle(html)))


class WithTables:
    """Another extractor's text, and after it the tables that selectolax finds in the page."""

    def __init__(self, inner: Extractor) -> None:
        self._inner = inner

    def extract(self, page: Page) -> PageText:
        prose, ours = self._inner.extract(page), extract(page)
        tables = [ours.text[start:end] for start, end in ours.tables]
        if not tables:
            return prose
        marked = BLOCK_END.join([*prose.text.split("\n"), *[TABLE] * len(tables)])
        page_text = assemble(prose.title, marked, [table.split("\n") for table in tables], [])
        return replace(page_text, title=prose.title)


_CLASSES: dict[Extraction, type[Any]] = {
    Extraction.SELECTOLAX: SelectolaxExtractor,
    Extraction.BEAUTIFULSOUP: SoupExtractor,
    Extraction.TRAFILATURA: TrafilaturaExtractor,
    Extraction.HTML2TEXT: Html2TextExtractor,
}
_TITLE = re.compile(r"<title\b[^>]{0,200}>([^<]{1,1000})", re.I)


def make_reader(names: Sequence[Extraction], max_chars: int, *, tables: bool) -> Reader:
    """A reader by the first of `names`, then the next; those not installed may only come later.

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
        keeps_tables = name is Extraction.SELECTOLAX
        made.append(WithTables(extractor) if tables and not keeps_tables else extractor)
    return Reader(made)


def _shallow(page: Page, max_chars: int) -> tuple[str, PageText | None]:
    """The page's HTML, fit to be parsed; or, where it is nested too deep for that, its text."""
    raw = encode(page.html, max_chars)
    if too_deep(raw, slow=True):
        return "", assemble(page.name, without_tags(raw), [], [])
    return raw.decode("utf-8"), None


def _tidy(text: str) -> str:
    """`text` without empty lines in rows and without white space at its lines' ends."""
    lines = (line.strip() for line in mend(text).split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()
