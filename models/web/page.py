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


class Extractor(Protocol):
    """What makes a page's text of its HTML; `main_text_only`: not of all of it."""

    @property
    def name(self) -> str: ...

    @property
    def main_text_only(self) -> bool: ...

    def extract(self, page: Page) -> PageText:
        """The readable text of `page`; empty where it has none."""
        ...
