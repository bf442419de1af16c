"""How English asks for what a table or an infobox calls otherwise."""

from utils.text import stem

# A question's word -> words of the label that it may mean.
_MEANS = {
    "born": "birth",
    "built": "construction",
    "city": "place location",
    "country": "place location",
    "created": "creator author",
    "designed": "designer architect",
    "died": "death",
    "founded": "founder foundation established",
    "high": "height elevation",
    "husband": "spouse",
    "invented": "inventor",
    "long": "length duration",
    "made": "manufacturer developer",
    "married": "spouse",
    "meters": "m metres",
    "metres": "m meters",
    "located": "location",
    "painted": "artist painter",
    "tall": "height",
    "wife": "spouse",
    "won": "winner champion",
    "written": "author writer",
    "wrote": "author writer",
}
MEANINGS = {
    stem(word): frozenset({stem(word), *map(stem, others.split())})
    for word, others in _MEANS.items()
}


def meanings(stemmed: str) -> frozenset[str]:
    """The stems that a question's word, given as its stem, may mean: itself first of all."""
    return MEANINGS.get(stemmed, frozenset((stemmed,)))
