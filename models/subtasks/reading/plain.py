"""Whether a sentence says that something is so."""

import re

LONGEST = 1000  # characters; what is longer is no sentence, and takes long to look through
# A sentence with one of these says that something is not so, or not yet, or only said to be so.
NOT_PLAINLY = frozenset(
    """
    alleged allegedly almost although cannot claimed could denied deny despite except expected
    failed false falsely if intended may might must nearly neither never no nor not plan planned
    plans possibly probably proposed refused reportedly rumored rumoured scheduled should supposed
    unless will without would
    """.split()
)


def is_plain(sentence: str) -> bool:
    """Whether `sentence` neither denies nor doubts; "May" is a month."""
    said = {word if word == "May" else word.lower() for word in re.findall(r"[A-Za-z]+", sentence)}
    return not said & NOT_PLAINLY and "n't" not in sentence and "n\u2019t" not in sentence
