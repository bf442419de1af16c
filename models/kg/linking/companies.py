"""Finds companies in a question by their names or tickers.

Questions are often in lower case, so any word may be a ticker. A word that is not explained by the
usual wording of questions about shares is tried first; an explained word is a ticker only where a
name is required, as in "the price of cost" or "low or hd".
"""

import re
from collections.abc import Collection, Iterator, Sequence

from models.kg.fetch.finance import FORMS, rank_of_share, split_name
from models.kg.linking.names import COMPANIES, NameFinder, joined
from models.kg.linking.question import Asked, Span, runs
from models.kg.linking.tickers import (
    Company,
    by_ticker,
    label_of,
    links_companies,
    places_of_names,
    stands_as_name,
)
from models.kg.match import THRESHOLD, likeness
from utils.text import FUNCTION_WORDS, words

_SHORTEST_MISSPELT = 6  # letters; a shorter name must match exactly
_SHORTEST_BEGINNING = 4  # letters of a beginning that may stand for a name
_LONGEST_KIND = 5  # words that state the kind of share: "class a common stock"
_KINDS = frozenset(
    "unit units warrant warrants right rights class preferred series adr ads common ordinary a b c"
    " d stock stocks share shares".split()
)


def find_companies(
    asked: Asked, names: NameFinder, cues: Collection[str], not_names: Collection[str]
) -> list[Company]:
    """The companies in order, without overlaps. `asked` has no time phrases. `not_names` are words
    that are unlikely to be names.

    Raises:
        ApiError: a search failed.
    """
    free = FUNCTION_WORDS | set(cues)
    known = [not word.text.isalnum() or word.text in free for word in asked.words]
    named = _by_name(asked, names, known, not_names)
    taken = {index for company in named for index in _indices(company.span)}
    open_words = [
        index
        for index, word in enumerate(asked.words)
        if not known[index] and index not in taken and word.text not in not_names
    ]
    tickers = by_ticker(asked, names, open_words)
    found = _only(asked, _apart(named, tickers))
    taken = {index for company in found for index in _indices(company.span)}
    must = list(places_of_names(asked, taken, known, anything=not found))
    if must:
        found += by_ticker(asked, names, must)
    if not found:
        found = _by_name(asked, names, [False] * len(known), not_names, whole=True)
    return _merged(sorted(found, key=lambda company: company.span.first), names)


def _indices(span: Span) -> range:
    return range(span.first, span.last)


def _stretches(known: Sequence[bool], asked: Asked, *, bridged: bool = True) -> Iterator[Span]:
    """The runs of unknown words; `bridged`: including function words between two of them."""
    start = end = -1
    for index, explained in enumerate(known):
        if explained:
            continue
        between = asked.words[end:index] if start >= 0 else ()
        near = len(between) < (3 if bridged else 1)
        if start >= 0 and near and all(w.text in FUNCTION_WORDS for w in between):
            end = index + 1
            continue
        if start >= 0:
            yield Span(start, end)
        start, end = index, index + 1
    if start >= 0:
        yield Span(start, end)


def _by_name(
    asked: Asked,
    names: NameFinder,
    known: Sequence[bool],
    not_names: Collection[str],
    *,
    whole: bool = False,
) -> list[Company]:
    """Companies whose name without its legal form occurs verbatim; else one with a similar name, or
    the only one that begins or ends with these words."""
    stretches = list(_stretches(known, asked))
    parts = list(_stretches(known, asked, bridged=False))
    count = len(asked.words)
    queries = dict.fromkeys(
        said
        for span in dict.fromkeys((*stretches, *parts))
        for wide in (span, Span(max(span.first - 1, 0), min(span.last + 1, count)))
        for plain in [_plain(asked, wide)]
        for said in (label_of(asked, wide), plain, plain.removesuffix("s"))
    )
    queries |= dict.fromkeys(joined(asked, stretches))
    if whole:
        queries = dict.fromkeys([asked.text])
    hits: dict[str, list[str]] = {}
    for _, found in zip(
        queries, names.call_many([(COMPANIES.endpoint, q) for q in queries]), strict=True
    ):
        for hit in found or []:
            full = str(hit)
            of_core = hits.setdefault(split_name(full)[0], [])
            if full not in of_core:
                of_core.append(full)
    plain = [word.text for word in asked.words]
    spans = [
        (span, core)
        for core in hits
        for span in runs(core.split(), plain)
        if not (all(known[index] for index in _indices(span)) and _ends(asked, span, hits[core]))
        and len(span) >= (2 if whole else 1)
        and core not in not_names
    ]
    found_at: list[tuple[Span, str]] = []
    for span, core in sorted(spans, key=lambda item: -len(item[0])):
        if not any(span.meets(other) for other, _ in found_at):
            found_at.append((span, core))
    for span in () if whole else dict.fromkeys((*stretches, *parts)):
        if not any(span.meets(other) for other, _ in found_at):
            found_at += _nearly(asked, span, hits, not_names)
    return [_company(asked, span, hits[core]) for span, core in found_at]


def _ends(asked: Asked, span: Span, names: Sequence[str]) -> bool:
    """Whether no name continues after the span as the question does: "City" of "City Holding"."""
    last = max(_follows(asked, span, name) for name in names)
    return last == span.last or asked.words[span.last].text in _PLAIN_KINDS


def _nearly(
    asked: Asked, span: Span, hits: dict[str, list[str]], not_names: Collection[str]
) -> list[tuple[Span, str]]:
    said = [word.text for word in asked.words[span.first : span.last]]
    while len(said) > 1 and said[-1] in FORMS:
        said.pop()
    text = " ".join(said)
    scored = [(likeness(text, core), core) for core in hits]
    score, core = max(scored, default=(0.0, ""))
    if score >= THRESHOLD and len(text) >= _SHORTEST_MISSPELT:
        return [(span, core)]
    if len(text) < _SHORTEST_BEGINNING or text in not_names:
        return []
    said_alone = (text, text.removesuffix("s"))  # "costcos"
    begins = [c for c in hits if c.startswith(tuple(f"{t} " for t in said_alone))]
    begins = begins or [c for c in hits if c.endswith(f" {text}")]
    if not begins and len(said) > 1:  # a misspelt beginning
        starts = {core: " ".join(core.split()[: len(said)]) for core in hits}
        begins = [core for core, start in starts.items() if likeness(text, start) >= THRESHOLD]
    shortest = min(begins, key=len, default="")  # its notes have longer names
    return [(span, shortest)] if begins and all(c.startswith(shortest) for c in begins) else []


def _company(asked: Asked, span: Span, names: Sequence[str]) -> Company:
    """The company with the kind of share that the question states ("unit", "class c"), then with
    the most of the following words of the question in its name."""
    last = max(_follows(asked, span, name) for name in names)
    said: list[str] = []
    for word in asked.words[last : last + _LONGEST_KIND]:
        lone = len(word.text) == 1 and said[-1:] not in (["class"], ["series"])
        if lone or (word.text not in _KINDS and word.text not in FORMS):
            break  # "a" may be the article
        said.append(word.text)
    kind = [word for word in said if word not in FORMS and word not in _PLAIN_KINDS]

    def fits(name: str) -> tuple[int, int, int, float]:
        of_name = split_name(name)[1].split()
        shared = sum(_same_kind(word, of_name) for word in kind)
        follows = 0 if kind and not shared else _follows(asked, span, name)
        return -shared, -follows, rank_of_share(name), -likeness(asked.spelled(span), name)

    chosen = min(names, key=fits)
    last = _follows(asked, span, chosen)
    own = split_name(chosen)[1].split()
    for word in asked.words[last : last + _LONGEST_KIND]:
        if word.text in ("and", "the"):
            break
        if word.text in FORMS or (word.text not in _PLAIN_KINDS and _same_kind(word.text, own)):
            last += 1
        else:
            break
    whole = Span(span.first, last)
    return Company(chosen, label_of(asked, whole), whole)


def _follows(asked: Asked, span: Span, name: str) -> int:
    """The end of the question's words from `span` on that match the full name in order; parts in
    brackets are optional. At least the end of `span`."""
    best = span.last
    for full in (words(name), words(_IN_BRACKETS.sub(" ", name))):
        if full[:1] == ["the"]:
            del full[0]
        count = 0
        for word, own in zip(asked.words[span.first :], full, strict=False):
            if word.text != own:
                break
            count += 1
        best = max(best, span.first + count)
    return best


_IN_BRACKETS = re.compile(r"\([^()]*\)")
_PLAIN_KINDS = frozenset(("stock", "stocks", "share", "shares", "common", "ordinary"))


def _same_kind(word: str, kind: Sequence[str]) -> bool:
    return word in kind or word.removesuffix("s") in kind or f"{word}s" in kind


def _plain(asked: Asked, span: Span) -> str:
    return " ".join(word.text for word in asked.words[span.first : span.last])


def _apart(named: list[Company], tickers: list[Company]) -> list[Company]:
    """Names, and the tickers that do not overlap with a name."""
    return [*named, *(t for t in tickers if not any(t.span.meets(n.span) for n in named))]


def _only(asked: Asked, found: list[Company]) -> list[Company]:
    """Of several companies that nothing links, those in the position of a name: any English word
    may be a ticker ("did acme WRAP up"), and a name has priority over a ticker."""
    if links_companies(asked):
        return found
    tickers = [company for company in found if len(company.span) == 1 and company.name.isupper()]
    named = [company for company in found if company not in tickers]
    placed = [company for company in tickers if stands_as_name(asked, company.span)]
    meant = named or placed
    return [c for c in found if c in meant or _beside(c, meant)] if meant else found


def _beside(company: Company, others: Sequence[Company]) -> bool:
    """Whether it is in brackets after another: "acme widgets (acw)"."""
    return company.label.isupper() or any(
        other.span.last == company.span.first and company.name == other.name for other in others
    )


def _merged(found: list[Company], names: NameFinder) -> list[Company]:
    """Each company once, if its ticker follows its name: "acme widgets (acw)"."""
    kept: list[Company] = []
    for company in found:
        before = kept[-1] if kept else None
        if before and before.span.last == company.span.first:
            (ticker,) = names.call_many([("/finance/get_ticker_by_name", before.name)])
            if company.name in (ticker, before.name):
                whole = Span(before.span.first, company.span.last)
                kept[-1] = Company(before.name, before.label, whole)
                continue
        if all(company.name != other.name for other in kept):
            kept.append(company)
    return kept
