"""Pools of values in the KG that questions may name.

They are read from the KG's SQLite file, which the official KG and ours both become
(mock_api/cache.py). `pools.toml` says where in it the values of each pool are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from mock_api.store import Store
from training.queries.tables import Pool, english_table, pool_table

Draw = dict[str, str]  # values by the places of a question that they fill
Pools = Mapping[str, Sequence[Draw]]


def pools(store: Store) -> dict[str, list[Draw]]:
    """The pools that are not empty, by name.

    A pool has each draw once, in a fixed order, so that a seed draws the same again.
    """
    draws_by_pool = {}
    for name, pool in pool_table().pools.items():
        draws = _distinct_in_order(_draws(store, pool))
        if draws:
            draws_by_pool[name] = draws
    return draws_by_pool


def _distinct_in_order(draws: Iterable[Draw]) -> list[Draw]:
    by_content = {}
    for draw in draws:
        content = tuple(sorted(draw.items()))
        by_content[content] = draw
    return [by_content[content] for content in sorted(by_content)]


def _draws(store: Store, pool: Pool) -> list[Draw]:
    draws = _rows_without_gaps(store, pool)
    for draw in draws:
        _write_as_people_do(draw, pool)
    if pool.shared is not None:
        draws = _shared_beginnings(draws, pool.shared)
    for draw in draws:
        _add_english(draw, pool)
    complete = [draw for draw in draws if all(draw.values())]
    return complete if pool.each is None else _with_each_word(complete, *pool.each)


def _rows_without_gaps(store: Store, pool: Pool) -> list[Draw]:
    sql = pool.sql.format(**pool_table().parts)
    places, rows = store.table(sql)
    draws = []
    for row in rows:
        values = ["" if value is None else str(value) for value in row]
        if all(value.strip() for value in values):
            draw = dict(zip(places, values, strict=True))
            draws.append(draw)
    return draws


def _write_as_people_do(draw: Draw, pool: Pool) -> None:
    for place, ending in pool.ending.items():
        draw[place] = re.sub(f"{ending}$", "", draw[place])
    for place in pool.small:
        words = draw[place].lower().split()
        draw[place] = " ".join(words)


def _shared_beginnings(draws: Sequence[Draw], place: str) -> list[Draw]:
    """The first two words at `place`, where several draws begin with them."""
    counts: Counter[str] = Counter()
    for draw in draws:
        words = draw[place].split()
        if len(words) > 1:
            beginning = " ".join(words[:2]).rstrip(":")
            counts[beginning] += 1
    return [{place: name} for name, count in counts.items() if count > 1]


def _add_english(draw: Draw, pool: Pool) -> None:
    """Add what values are called, and the time at which the question is asked."""
    words = english_table().words
    for place, kind in pool.say.items():
        value = draw[place]
        draw[place] = words[kind].get(value, "")
    if pool.label is not None and draw[pool.label]:
        draw["label"] = _words_of_key(draw[pool.label])
    if pool.yesterday:
        day = date.fromisoformat(draw["day"])
        next_day = day + timedelta(days=1)
        draw["query_time"] = f"{next_day:%m/%d/%Y}, 12:00:00 PT"


def _with_each_word(
    draws: Sequence[Draw], kind: str, value_place: str, word_place: str
) -> list[Draw]:
    """Every draw with every value of a list of words, and what that is called."""
    combined = []
    for draw in draws:
        for value, word in english_table().words[kind].items():
            new_draw = {**draw, value_place: value, word_place: word}
            combined.append(new_draw)
    return combined


def _words_of_key(key: str) -> str:
    """The words of a key, such as "full time employees" for "fullTimeEmployees".

    Empty for a key that is not an identifier: nobody would ask for it.
    """
    if not key.isidentifier():
        return ""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key)
    return spaced.replace("_", " ").lower()
