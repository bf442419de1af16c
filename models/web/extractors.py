"""The other HTML extractors, and the fallback from one to the next."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from models.records import Page
from models.web.decoding import (
    BLOCK_END,
    MAX_HTML_CHARS,
    MAX_SOURCE_CHARS,
    NO_CHARACTER,
    TABLE,
    blocks,
    decode,
    encodable,
    is_binary,
    repair_text,
    title_of,
    without_unseen,
)
from models.web.html import SelectolaxExtractor, assemble, plain_scripts, tables_apart
from models.web.page import Extractor, PageText
from models.web.settings import Extraction, WebSettings

LinesOf = Callable[[str], list[str]]  # from HTML to lines of text
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


class HtmlReader:
    """Reads a page by the first extractor that does not fail or return no text.

    An empty result is accepted from an extractor of all text, but not from one of the main text
    only. A page that no extractor can read has no text. Failures are counted by the extractor's
    name. At most `max_chars` of a page's HTML are read, without comments, scripts and drawings, and
    of its text returned. A PDF, an archive or an image has no text.
    """

    def __init__(self, extractors: Sequence[Extractor], max_chars: int = MAX_HTML_CHARS) -> None:
        self._extractors = extractors
        self._max_chars = max_chars

    def read(self, page: Page, counts: Counter[str]) -> PageText:
        """The text of `page`; adds `broke:NAME` and `empty:NAME` to `counts`.

        NAME is an extractor's, or `binary page` or `page too long`.

        Raises:
            MemoryError: the page needs more memory than is available.
        """
        no_text = PageText(encodable(page.name), "")
        if is_binary(page.html):
            counts["broke:binary page"] += 1
            return no_text
        html = page.html
        if len(html) > self._max_chars:
            html = without_unseen(html[:MAX_SOURCE_CHARS])
        if len(html) > self._max_chars or len(page.html) > MAX_SOURCE_CHARS:
            counts["broke:page too long"] += 1
        page = replace(page, html=html[: self._max_chars])
        if not page.html.strip():
            return no_text
        for extractor in self._extractors:
            name = extractor.name
            try:
                text = extractor.extract(page)
            except MemoryError:
                raise
            except Exception:  # noqa: BLE001  (a third party's parser, and there is a next one)
                counts[f"broke:{name}"] += 1
                continue
            if text.text:
                return text.cut(self._max_chars)
            counts[f"empty:{name}"] += 1
            if not extractor.main_text_only:
                return text
        return no_text


@dataclass(frozen=True, slots=True)
class LibraryExtractor:
    """The text that a library extracts; with `tables`, followed by the page's tables and facts.

    Selectolax takes the tables out of the page before the library reads it.
    """

    name: Extraction
    lines_of: LinesOf
    tables: bool
    main_text_only: bool = False

    def extract(self, page: Page) -> PageText:
        """The readable text of `page`; empty if it has none."""
        html = decode(page.html)
        tables: list[list[str]] = []
        facts: list[str] = []
        if self.tables:
            html, tables, facts = tables_apart(html)
        else:
            html = plain_scripts(html)
        html = visible(NO_CHARACTER.sub("\ufffd", html))
        title = title_of(html) or page.name
        lines = self.lines_of(html)
        if not self.tables or (self.main_text_only and not any(lines)):
            return PageText(encodable(title), "\n".join(lines))
        marks = [TABLE] * len(tables)
        return assemble(title, BLOCK_END.join([*lines, *marks]), tables, facts)


def make_reader(settings: WebSettings) -> HtmlReader:
    """A reader that tries the extractors of `settings` in order."""
    extractors = [_make_extractor(name, settings.tables) for name in settings.extractors]
    return HtmlReader(extractors, settings.max_html_chars)


def _make_extractor(name: Extraction, tables: bool) -> Extractor:
    match name:
        case Extraction.SELECTOLAX:
            return SelectolaxExtractor(tables=tables)
        case Extraction.BEAUTIFULSOUP:
            return LibraryExtractor(name, _beautifulsoup(), tables)
        case Extraction.TRAFILATURA:
            return LibraryExtractor(name, _trafilatura(), tables, main_text_only=True)
        case Extraction.HTML2TEXT:
            return LibraryExtractor(name, _html2text(), tables)


def _beautifulsoup() -> LinesOf:
    """All text, by BeautifulSoup over `html.parser` (db3, section 2.2)."""
    from bs4 import BeautifulSoup

    def lines_of(html: str) -> list[str]:
        soup = BeautifulSoup(_BLOCK.sub(BLOCK_END, html), "html.parser")
        for node in soup(["title", "noscript", "template"]):
            node.extract()
        return [line for line in blocks(repair_text(soup.get_text())) if line]

    return lines_of


def _trafilatura() -> LinesOf:
    """The main text, by trafilatura, without tables (electricsheep, section 4.1)."""
    from trafilatura import extract

    def lines_of(html: str) -> list[str]:
        text = extract(html, include_tables=False, include_comments=False)
        return _tidy_lines(text or "")

    return lines_of


def _html2text() -> LinesOf:
    """All text as Markdown, by html2text with the options of bumblebee7 (section 5.2.1)."""
    from html2text import HTML2Text

    def lines_of(html: str) -> list[str]:
        parser = HTML2Text(bodywidth=0)
        parser.ignore_links = True
        parser.ignore_images = True
        parser.google_doc = True
        # html2text takes quadratic time on long white space
        return _tidy_lines(parser.handle(_LONG_SPACE.sub("\n\n", html)))

    return lines_of


def visible(html: str) -> str:
    """`html` without comments, declarations, scripts, styles, and a tag left open at its end.

    Python's parser fails on some of these.
    """
    html = _UNSEEN.sub("", html).replace("<!", "< !").replace("<?", "< ?")
    end = html.rfind(">") + 1
    return html[:end] + html[end:].replace("<", " ")


def _tidy_lines(text: str) -> list[str]:
    """The lines of `text` without repeated empty ones and runs of white space."""
    lines = [" ".join(line.split()) for line in repair_text(text).split("\n")]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip().split("\n")
