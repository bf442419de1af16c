"""From a question to the programs of the KG query language that may answer it."""

from collections.abc import Iterator
from typing import Protocol

from models.kg.english.finance.reader import read as read_finance
from models.kg.english.movie.reader import read as read_movie
from models.kg.english.music.reader import read as read_music
from models.kg.english.names import Client, Names
from models.kg.english.open.reader import read as read_open
from models.kg.english.reading import Reader, Reading
from models.kg.english.sports.reader import read as read_sports
from models.kg.linking.question import Asked
from models.records import Domain, Question
from utils.deadline import Deadline

# In the order in which they are tried where the domain cannot be told: the strictest first.
READERS: dict[Domain, Reader] = {
    Domain.SPORTS: read_sports,
    Domain.MOVIE: read_movie,
    Domain.MUSIC: read_music,
    Domain.FINANCE: read_finance,
    Domain.OPEN: read_open,
}
# Nobody asks so much at once; a longer text is made to hurt: readers take time by its square.
MOST_CHARS, MOST_WORDS = 600, 80


class QueryWriter(Protocol):
    def write(
        self, question: Question, domain: Domain | None, client: Client, deadline: Deadline
    ) -> Iterator[Reading]:
        """The readings that may answer `question`, the likeliest first; none where none may.

        Each is looked for when it is asked for: it takes searches of the KG.

        Raises:
            ApiError: a search of the KG failed.
            DeadlineExceeded: no time was left for one.
        """
        ...


class PatternQueryWriter:
    """Reads a question by patterns of English, without weights (see `models/kg/english`)."""

    def write(
        self, question: Question, domain: Domain | None, client: Client, deadline: Deadline
    ) -> Iterator[Reading]:
        if len(question.text) > MOST_CHARS:
            return
        asked = Asked.of(question.text, question.asked_at)
        if len(asked.words) > MOST_WORDS:
            return
        names = Names(client, deadline)
        first = [domain] if domain is not None else []
        domains = dict.fromkeys([*first, *READERS])
        for each in domains:
            yield from READERS[each](asked, names)
