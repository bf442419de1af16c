"""Names with words beside them that say who that is: "the brothers X and Y", "X's drummer Y"."""

from models.kg.english.music.words import ARTIST, Found, less

_SIDES = r"(?:older|younger|elder|big|little|twin|half|fellow|lead|bass|former|late|rock|pop)"
_ROLES = (
    r"(?:drummer|bassist|guitarist|pianist|keyboardist|frontman|frontwoman|leader|vocalist|singer"
    r"|producer|dj|founder|member|star)s?"
)
_KIN = r"(?:brother|sister|sibling|twin|cousin|bandmate)s?|wife|husband"
_APPOSED = rf"(?:{_SIDES} )*(?:{_KIN}|{_ROLES}) (?={ARTIST}\b)"
_OF_BAND = rf"(?:the )?{ARTIST} (?:{_SIDES} )*{_ROLES} (?={ARTIST}\b)"


def apposed(found: Found) -> Found:
    """The same less what is said before a name of who that is, which is true of it.

    Somebody told apart by a band is asked about, not the band.
    """
    of_band = found.rest.match(_OF_BAND)
    if of_band is not None:
        before = found.rest.plain[: of_band.start()].split().count(ARTIST)
        named = (*found.named[:before], *found.named[before + 1 :])
        return apposed(Found(named, less(found.rest, of_band)))
    match = found.rest.match(_APPOSED)
    return found if match is None else apposed(Found(found.named, less(found.rest, match)))
