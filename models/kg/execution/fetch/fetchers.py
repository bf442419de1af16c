"""The fetcher of each function of the language: one table over all domains."""

from models.kg.execution.fetch import finance, movie, music, sports
from models.kg.execution.fetch import open as open_domain
from models.kg.execution.fetch.protocol import Fetcher
from models.kg.schema.functions import Function
from models.records import Domain

FETCHERS: dict[Domain, dict[str, Fetcher]] = {
    Domain.MOVIE: movie.FETCHERS,
    Domain.MUSIC: music.FETCHERS,
    Domain.FINANCE: finance.FETCHERS,
    Domain.SPORTS: sports.FETCHERS,
    Domain.OPEN: open_domain.FETCHERS,
}


def fetcher_of(function: Function) -> Fetcher:
    """What fetches a function's rows."""
    return FETCHERS[function.domain][function.name]
