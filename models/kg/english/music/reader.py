"""Questions about music."""

from models.kg.english.music import artist, awards, chart, hops, song, works
from models.kg.english.music.words import respelled
from models.kg.english.names import Names
from models.kg.english.reading import Reading
from models.kg.linking.question import Asked

_READERS = (works, artist, song)


def read(asked: Asked, names: Names) -> list[Reading]:
    """The readings of the question as it is spelled, else as it may be meant."""
    readings = _read(asked, names)
    if readings:
        return readings
    right = respelled(asked)
    return _read(right, names) if right is not None else []


def _read(asked: Asked, names: Names) -> list[Reading]:
    """The readings of all parts that make something of the question; of a chart or an award, which
    no other part knows, only theirs."""
    if chart.is_about(asked):
        return chart.read(asked, names)
    named = hops.named(asked, names)
    readings = _read(named, names) if named is not None else []
    if readings:
        return readings
    if awards.is_about(asked):
        return awards.read(asked, names)
    return [reading for reader in _READERS for reading in reader.read(asked, names)]
