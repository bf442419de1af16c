"""Words by which questions about music ask, misspelt."""

from functools import cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

_WORDS = frozenset(
    """
    active album albums artist artists award awards birth birthdate birthday birthplace billboard
    broke chart composed composer country current currently death disband disbanded earlier
    earliest established form formation formed founded first grammy grammys group groups latest
    later length longer make member members most musician musicians nationality newest number
    oldest older original originally origin originate performed performing position published
    rapper received recent recently recorded release released releases singer singers single singles
    song songs songwriter start started together track tracks until where which winner winners
    write writer written wrote younger youngest
    """.split()
)
_SHORTEST = 5  # letters; a shorter word that is nearly alike is another one
_LONG = 8  # letters; in so long a word two may be wrong


@cache
def meant(word: str) -> str | None:
    """The word by which music is asked for that a word, which is none, nearly is; None if none."""
    if len(word) < _SHORTEST or word in _WORDS:
        return None
    most = 1 + (len(word) >= _LONG)
    found = process.extract(word, _WORDS, scorer=OSA.distance, score_cutoff=most, limit=None)
    # a letter is rather left out than put in, and the first one is seldom wrong
    likely = [(wrong, -len(right), right) for right, wrong, _ in found if right[0] == word[0]]
    return min(likely)[-1] if likely else None
