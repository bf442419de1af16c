"""Bases of open-domain entities: keys of infoboxes, by their wording."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from models.english.quantities import as_number
from models.kg.execution.fetch.infobox import find_key, is_apparatus
from models.kg.lexicon.lexicon import Lexicon
from models.kg.lexicon.named_functions import functions
from models.kg.lexicon.positions import Positions
from models.kg.lexicon.relations import Relation, ValueUse, Wording
from models.kg.lexicon.types import OPEN_ENTITY, ValueType
from models.kg.parsing.base import Base
from models.kg.parsing.spans import SUMMARY, Spans, Thing
from models.kg.schema.functions import Key
from utils.text import content_words

_DATE = re.compile(r"(?:1\d|20)\d\d|\d{4}-\d\d.*|.*[a-z] \d+, \d{4}.*")
_MEASURED = re.compile(r"[$€£]?\d[\d,.]*(?:%| [a-z(])")  # "937 miles"
# Words for these types are in the names of half of all keys.
_COMMON_TYPES = (ValueType.DATE, ValueType.NUMBER, ValueType.TEXT, ValueType.YEAR)
_BRACKET_AT_END = re.compile(r"\s*\([^()]*\)$")
_BIRTH_RELATION = "open.birth_date"
_WORD_BREAKS = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\d]+")


class OpenBases:
    """The bases of entities: by the facts in the lexicon, then by the words of keys."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans

    def bases_of(self, thing: Thing) -> Iterator[Base]:
        """A base for each key of an entity that the question names."""
        yield from self._of_page(thing, thing.positions, thing.name, None)

    def _of_page(
        self, thing: Thing, explained: Positions, name: str, inner: Base | None
    ) -> Iterator[Base]:
        """The bases of the page `name`; `inner` gave the name, unless it is the thing's own."""
        page = self._spans.facts_of(name)
        keys = [key for key, value in page.items() if value not in (None, "", [])]
        keys_by_fact: set[str] = set()
        for base in self._by_fact(thing, page, keys, explained, name):
            keys_by_fact.add(base.key)
            yield from self._and_beyond(replace(base, inner=inner), page)
        for base in self._by_label(thing, page, keys, explained, name):
            if base.key not in keys_by_fact:
                yield from self._and_beyond(replace(base, inner=inner), page)

    def _by_fact(
        self,
        thing: Thing,
        page: Mapping[str, Any],
        keys: list[str],
        explained: Positions,
        name: str,
    ) -> Iterator[Base]:
        """Keys that hold a fact which phrases of the lexicon name."""
        lexicon = self._spans.lexicon
        for fact, phrases in lexicon.facts.items():
            places = self._spans.match.find(phrases)
            is_named = bool(places)
            if not is_named:
                places = self._spans.match.find(self._comparing_phrases(fact))
            places = [positions for positions in places if positions - explained]
            key = find_key(fact, keys) if places else None
            if key is None:
                continue
            kind = ValueType.DATE if fact in lexicon.date_facts else _type_of(page[key])
            length = max(map(len, places))
            words = explained.union(*places)
            base = self._base(f"open.{fact}", key, kind, thing, words, length, name)
            yield replace(base, implied=not is_named)

    def _comparing_phrases(self, fact: str) -> list[str]:
        phrases: list[str] = []
        for adjective in self._spans.lexicon.adjectives:
            if f"open.{fact}" in adjective.keys:
                phrases += adjective.phrases
        return phrases

    def _by_label(
        self,
        thing: Thing,
        page: Mapping[str, Any],
        keys: list[str],
        explained: Positions,
        name: str,
    ) -> Iterator[Base]:
        """Keys with at least half of their words in the question, and not only "year"."""
        stems = self._spans.stems
        common_stems = self._stems_of_common_types()
        for key in keys:
            if key == SUMMARY or is_apparatus(key):
                continue
            label = self._stems_of_key(key)
            positions = [i for i in self._spans.content - explained if stems[i] in label]
            length = len({stems[i] for i in positions})
            is_whole = length == len(label)
            tells = is_whole or any(stems[i] not in common_stems for i in positions)
            if length and length * 2 >= len(label) and tells:
                relation_id = "open.label" if is_whole else "open.part of label"
                words = explained.union(positions)
                kind = _type_of(page[key])
                yield self._base(relation_id, key, kind, thing, words, length, name)

    def _stems_of_key(self, key: str) -> set[str]:
        label = content_words(_WORD_BREAKS.sub(" ", key))
        return set(map(self._spans.lexicon.stemmer.stem, label))

    def _stems_of_common_types(self) -> set[str]:
        lexicon = self._spans.lexicon
        stems: set[str] = set()
        for kind in _COMMON_TYPES:
            stems.update(map(lexicon.stemmer.stem, lexicon.types[kind]))
        return stems

    def _base(
        self,
        relation_id: str,
        key: str,
        kind: ValueType,
        thing: Thing,
        explained: Positions,
        anchor: int,
        argument: str,
    ) -> Base:
        relation = fact_relation(self._spans.lexicon, relation_id, key, kind)
        return Base(relation, thing, explained, anchor, argument, key=key)

    def _and_beyond(self, base: Base, page: Mapping[str, Any]) -> Iterator[Base]:
        """A base, and the bases of the entity that its value names."""
        yield base
        asks_where = (
            self._spans.form.name == "where"
        )  # "where is X's wife from": all function words
        has_more_words = asks_where or bool(self._spans.content - base.explained)
        if base.inner is not None or not has_more_words or self._spans.form.has_time_clause:
            return
        value = _only_name(page[base.key])
        name = self._spans.entity(value, base.thing.name) if value else None
        if name:
            yield from self._of_page(base.thing, base.explained, name, base)


def fact_relation(lexicon: Lexicon, relation_id: str, key: str, kind: ValueType) -> Relation:
    """The relation that reads a key of an entity's page."""
    context = (*lexicon.page_context, *lexicon.types[OPEN_ENTITY])
    return Relation(
        relation_id,
        functions().rows_of("get_open")[0],
        Key(key),
        source=OPEN_ENTITY,
        target=kind,
        parameter_index=0,
        wording=Wording(phrases=(), needs=(), context=context),
        values=ValueUse(countable=kind is ValueType.LIST, is_birth=relation_id == _BIRTH_RELATION),
    )


def _only_name(value: Any) -> str:
    """The name in an infobox value: the whole text, the only member of a list, or what stands
    before a bracket, as in "Jane Roe (m. 2009)"; "" if there is none or several."""
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else None
    if not isinstance(value, str):
        return ""
    return _BRACKET_AT_END.sub("", value)


def _type_of(value: Any) -> ValueType:
    """The type of an infobox value, by its text."""
    if isinstance(value, list):
        return ValueType.LIST
    if _DATE.fullmatch(str(value)):
        return ValueType.DATE
    if as_number(value) is not None or _MEASURED.match(str(value)):
        return ValueType.NUMBER
    return ValueType.TEXT
