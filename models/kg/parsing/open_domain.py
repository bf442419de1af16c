"""Bases of open-domain entities: keys of infoboxes, by their wording."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from models.kg.english.quantities import as_number
from models.kg.execution.fetch.infobox import find_key, is_apparatus
from models.kg.lexicon.matching import Positions
from models.kg.lexicon.named_functions import functions
from models.kg.lexicon.relations import Relation
from models.kg.parsing.base import Base
from models.kg.parsing.spans import SUMMARY, Spans, Thing
from models.kg.schema.functions import Key
from utils.text import content_words

_DATE = re.compile(r"(?:1\d|20)\d\d|\d{4}-\d\d.*|.*[a-z] \d+, \d{4}.*")
_MEASURED = re.compile(r"[$€£]?\d[\d,.]*(?:%| [a-z(])")  # "937 miles"
_KINDS = ("date", "number", "text", "year")  # their words name half of many keys
_PARTS = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\d]+")


class OpenBases:
    """The bases of entities: by the facts in the lexicon, then by the words of keys."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans

    def of(
        self, thing: Thing, used: Positions, argument: Any, inner: Base | None = None
    ) -> Iterator[Base]:
        """All keys of an entity that the question names; `inner` gave the entity's name."""
        name = thing.name if inner is None else str(argument)
        facts = self._spans.page(name)
        known = [key for key, value in facts.items() if value not in (None, "", [])]
        named: set[str] = set()
        for base in self._by_fact(thing, facts, known, used, argument):
            named.add(base.key)
            yield from self._and_beyond(replace(base, inner=inner), facts)
        for base in self._by_label(thing, facts, known, used, argument):
            if base.key not in named:
                yield from self._and_beyond(replace(base, inner=inner), facts)

    def _by_fact(
        self, thing: Thing, facts: dict[str, Any], known: list[str], used: Positions, argument: Any
    ) -> Iterator[Base]:
        lexicon, match = self._spans.lexicon, self._spans.match
        for fact, phrases in lexicon.facts.items():
            more = [p for a in lexicon.adjectives if f"open.{fact}" in a.keys for p in a.phrases]
            own = match.find(phrases)
            hits = [u for u in (own or match.find(more)) if u - used]
            key = find_key(fact, known) if hits else None
            if key:
                anchor, said = max(map(len, hits)), used.union(*hits)
                kind = "date" if fact in lexicon.files["open"]["dates"] else _kind(facts[key])
                base = self._base(f"open.{fact}", key, kind, thing, said, anchor, argument)
                yield replace(base, implied=not own)

    def _by_label(
        self, thing: Thing, facts: dict[str, Any], known: list[str], used: Positions, argument: Any
    ) -> Iterator[Base]:
        """Keys with at least half of their own words in the question, and not only "year"."""
        stems, types = self._spans.stems, self._spans.lexicon.types
        kinds = {self._spans.lexicon.stemmer.stem(w) for kind in _KINDS for w in types[kind]}
        for key in known:
            if key == SUMMARY or is_apparatus(key):
                continue
            own = content_words(_PARTS.sub(" ", key))
            label = set(map(self._spans.lexicon.stemmer.stem, own))
            hits = [i for i in self._spans.content - used if stems[i] in label]
            anchor = len({stems[i] for i in hits})
            telling = anchor == len(label) or any(stems[i] not in kinds for i in hits)
            if anchor and anchor * 2 >= len(label) and telling:
                name = "open.label" if anchor == len(label) else "open.part of label"
                said = used | frozenset(hits)
                kind = _kind(facts[key])
                yield self._base(name, key, kind, thing, said, anchor, argument)

    def _base(
        self,
        id: str,
        key: str,
        kind: str,
        thing: Thing,
        used: Positions,
        anchor: int,
        argument: Any,
    ) -> Base:
        lexicon, row = self._spans.lexicon, functions().rows_of("get_open")[0]
        context = (*lexicon.files["open"]["context"]["thing"], *lexicon.types["thing"])
        many = kind == "list"
        relation = Relation(id, row, Key(key), "thing", kind, 0, (), context, countable=many)
        return Base(relation, thing, used, anchor, argument, key=key)

    def _and_beyond(self, base: Base, facts: dict[str, Any]) -> Iterator[Base]:
        """A base, and the bases of the entity that its value names."""
        yield base
        value = facts[base.key]
        telling = self._spans.content - base.used and not self._spans.form.then
        if base.inner is None and isinstance(value, str) and telling:
            name = self._spans.entity(value, base.thing.name)
            if name:
                yield from self.of(base.thing, base.used, name, base)


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "list"
    if _DATE.fullmatch(str(value)):
        return "date"
    return "number" if as_number(value) is not None or _MEASURED.match(str(value)) else "text"
