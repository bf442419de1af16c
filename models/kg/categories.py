"""The Oscar's categories as people call them, and as the KG writes them, which changed in time."""

from utils.text import words

_ACTOR = ("actor in a leading role", "actor")
_ACTRESS = ("actress in a leading role", "actress")
_SUPPORTING = ("actor in a supporting role", "actress in a supporting role")
_ADAPTED = (
    "writing (adapted screenplay)",
    "writing (screenplay based on material previously produced or published)",
    "writing (screenplay based on material from another medium)",
    "writing (screenplay--based on material from another medium)",
    "writing (screenplay adapted from other material)",
    "writing (screenplay--adapted)",
)
_ORIGINAL = (
    "writing (original screenplay)",
    "writing (screenplay written directly for the screen)",
    "writing (screenplay--original)",
    "writing (story and screenplay--written directly for the screen)",
    "writing (story and screenplay)",
    "writing (screenplay written directly for the screen--based on factual material or on story"
    " material not previously published or produced)",
)
_SCORE = (
    "music (original score)",
    "music (original dramatic score)",
    "music (original musical or comedy score)",
    "music (original music score)",
    "music (music score of a dramatic or comedy picture)",
    "music (original score--for a motion picture [not a musical])",
)
_SONG = ("music (original song)", "music (song)", "music (song--original for the picture)")

_CATEGORIES: dict[str, tuple[str, ...]] = {
    "best actor": _ACTOR,
    "best actress": _ACTRESS,
    "best supporting actor": _SUPPORTING[:1],
    "best supporting actress": _SUPPORTING[1:],
    "best director": ("directing",),
    "best picture": (
        "best picture",
        "best motion picture",
        "outstanding picture",
        "outstanding production",
        "outstanding motion picture",
    ),
    "best animated feature": ("animated feature film",),
    "best animated feature film": ("animated feature film",),
    "best animated short": ("short film (animated)",),
    "best live action short": ("short film (live action)",),
    "best documentary feature": ("documentary (feature)",),
    "best documentary feature film": ("documentary (feature)",),
    "best documentary short": ("documentary (short subject)",),
    "best foreign language film": ("foreign language film", "international feature film"),
    "best international feature film": ("international feature film", "foreign language film"),
    "best original screenplay": _ORIGINAL,
    "best adapted screenplay": _ADAPTED,
    "best original score": _SCORE,
    "best original song": _SONG,
    "best cinematography": (
        "cinematography",
        "cinematography (color)",
        "cinematography (black-and-white)",
    ),
    "best film editing": ("film editing",),
    "best production design": (
        "production design",
        "art direction",
        "art direction (color)",
        "art direction (black-and-white)",
    ),
    "best costume design": (
        "costume design",
        "costume design (color)",
        "costume design (black-and-white)",
    ),
    "best makeup and hairstyling": ("makeup and hairstyling", "makeup"),
    "best visual effects": (
        "visual effects",
        "special visual effects",
        "special effects",
        "special achievement award (visual effects)",
    ),
    "best sound editing": ("sound editing", "sound effects editing"),
    "best sound mixing": ("sound mixing", "sound"),
    "best sound": ("sound", "sound mixing", "sound recording"),
    "honorary award": ("honorary award",),
    "irving g. thalberg memorial award": ("irving g. thalberg memorial award",),
    "jean hersholt humanitarian award": ("jean hersholt humanitarian award",),
    "acting": (*_ACTOR, *_ACTRESS, *_SUPPORTING),
    "writing": (*_ORIGINAL, *_ADAPTED),
    "music": (*_SCORE, *_SONG),
}


def _folded(name: str) -> str:
    return " ".join(words(name))


_KNOWN = {_folded(name): frozenset(map(_folded, written)) for name, written in _CATEGORIES.items()}
_PICTURE = _KNOWN["best picture"]


def same_category(given: str, asked: str) -> bool:
    """Whether `given`, as the KG writes it, is the category `asked`, by any of its names."""
    wanted, own = _folded(asked), _folded(given)
    if wanted in _PICTURE:
        return own in _PICTURE
    return own == wanted or own in _KNOWN.get(wanted, ())
