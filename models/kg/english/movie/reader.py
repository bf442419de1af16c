"""Questions about films, the people who make them, and the Oscars."""

from models.kg.english.movie import chains, compare, films, oscars, people, series
from models.kg.english.movie.things import views
from models.kg.english.names import Names
from models.kg.english.reading import Reading
from models.kg.linking.question import Asked

_READERS = (
    compare.read,
    chains.read,
    oscars.read,
    people.read,
    films.read,
)


def read(asked: Asked, names: Names) -> list[Reading]:
    """The readings of a question about films, the likeliest first."""
    of_a_series = list(series.read(asked, names))
    if of_a_series:
        return of_a_series
    found: dict[tuple[str, str], Reading] = {}
    for seen in views(asked, names):
        for reader in _READERS:
            for reading in reader(seen):
                found.setdefault((reading.program, repr(reading.compose)), reading)
    return list(found.values())
