"""A page's text, and what makes one out of a search result."""

from dataclasses import dataclass
from typing import Protocol

from models.records import Page

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's title and its text, a block a line.

    `tables` are the (start, end) of the Markdown tables in `text`, in their order: each begins and
    ends at a line.
    """

    title: str
    text: str
    tables: tuple[Span, ...] = ()

    def cut(self, max_chars: int) -> "PageText":
        """This page, or the first `max_chars` of its text and the tables that stand in them."""
        if len(self.text) <= max_chars:
            return self
        kept = tuple(span for span in self.tables if span[1] <= max_chars)
        return PageText(self.title, self.text[:max_chars], kept)


class Extractor(Protocol):
    """What makes a page's text of its HTML; `main_text_only`: not of all of it."""

    @property
    def name(self) -> str: ...

    @property
    def main_text_only(self) -> bool: ...

    def extract(self, page: Page) -> PageText:
        """The readable text of `page`; empty where it has none."""
        ...
