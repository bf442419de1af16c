"""The source of each function of the language: one table over all domains."""

from models.kg.fetch import finance, movie, music, sports
from models.kg.fetch import open as open_domain
from models.kg.fetch.protocol import Fetcher
from models.kg.language.functions import Function
from models.records import Domain

SOURCES: dict[Domain, dict[str, Fetcher]] = {
    Domain.MOVIE: movie.SOURCES,
    Domain.MUSIC: music.SOURCES,
    Domain.FINANCE: finance.SOURCES,
    Domain.SPORTS: sports.SOURCES,
    Domain.OPEN: open_domain.SOURCES,
}


def source_of(function: Function) -> Fetcher:
    """The source of a function's rows."""
    return SOURCES[function.domain][function.name]
