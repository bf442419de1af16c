"""What the context of a question may hold, by which answers to it are measured."""

from enum import StrEnum


class Context(StrEnum):
    """What a context is to its question; the `note` of a sample.

    The right reply is the answer where the context CONTAINS it, and "invalid question" where it
    CONTRADICTS the question's premise, or where pages were found for a false premise. Else it is
    "i don't know".
    """

    CONTAINS = "contains the answer"
    LACKS = "lacks the answer"
    NAMESAKE = "is about a namesake"  # of pages: those of the most similar question
    CONTRADICTS = "contradicts the premise"
    EMPTY = "is empty"
