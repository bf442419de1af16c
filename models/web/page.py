"""A page's text, and the contract of the extractors that produce it."""

from dataclasses import dataclass, replace
from typing import Protocol

from models.records import Page

Span = tuple[int, int]  # start and end, in characters


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's title and its text, one line per block.

    Attributes:
        tables: the (start, end) of the Markdown tables in `text`, in order: each begins and ends
            at a line boundary.
        date: the day of its last change or publication, such as "2024-03-05"; empty if unknown.
    """

    title: str
    text: str
    tables: tuple[Span, ...] = ()
    date: str = ""

    @property
    def heading(self) -> str:
        """The title with the page's date."""
        return f"{self.title} ({self.date})".lstrip() if self.date else self.title

    def cut(self, max_chars: int) -> "PageText":
        """This page with at most `max_chars` of its text, and the tables within them."""
        if len(self.text) <= max_chars:
            return self
        tables = tuple(span for span in self.tables if span[1] <= max_chars)
        return replace(self, text=self.text[:max_chars], tables=tables)


class Extractor(Protocol):
    """Extracts a page's text from its HTML; `main_text_only`: it may skip other text."""

    @property
    def name(self) -> str: ...

    @property
    def main_text_only(self) -> bool: ...

    def extract(self, page: Page) -> PageText:
        """The readable text of `page`; empty if it has none."""
        ...
