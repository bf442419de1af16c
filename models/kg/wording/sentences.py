"""Verbalises outcomes as English sentences that are understood without the program.

A sentence states the value, its subject, the row that it is from, its unit and its date. It also
names unknown values next to known ones, and states how many were left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import Formatter
from typing import Any

from models.kg.english.quantities import as_number
from models.kg.execution.execute import OF, StatementResult, read
from models.kg.execution.fetch.infobox import label_of, unit_of
from models.kg.execution.fetch.protocol import Row
from models.kg.execution.operators import COMPARISONS, REDUCTIONS, compare
from models.kg.execution.plan import FetchSource, Filter, PlannedValues, PlanStep
from models.kg.language.ast import Column, InvalidStatement, NameList, Query, uses_before
from models.kg.schema.codes import in_words, name_of
from models.kg.schema.functions import Key, Type
from models.kg.schema.operations import Op, Reduce
from utils.text import words

SHOWN = 60  # values of a list; its full length is stated
_ENTITIES = 5  # entities that are named; the others are counted
_SUMMARY = 400  # characters of an entity's summary
_KEYS = 40  # keys of a row that is shown whole, and members of a list in it
_MEMBERS = 10
_CENTS_BELOW = 100_000  # dollars: prices have cents, budgets do not
_GROUPED_FROM = 10_000  # a smaller number may be a year
_OF_TIME = {Reduce.MIN: "earliest", Reduce.MAX: "latest"}
_OF_DATES = {
    Op.GT: "is after", Op.LT: "is before", Op.GE: "is not before", Op.LE: "is not after"
}  # fmt: skip
_HEAD = re.compile(r"(.+?)(?:(\s(?:of|per|in|for)\s)(.+))?$", re.S)  # the head noun of a label


def sentences(outcomes: Sequence[StatementResult]) -> list[str]:
    """A sentence per statement, in order; none for empty statements, and for those that only fetch
    rows for the next one."""
    return [text for _, text in told(outcomes)]


def told(outcomes: Sequence[StatementResult]) -> list[tuple[StatementResult, str]]:
    """The sentences, each with its outcome."""
    said = []
    for outcome, after in zip(outcomes, [*outcomes[1:], None], strict=True):
        statement = outcome.statement
        feeds = after is not None and uses_before(after.statement)
        only_feeds = isinstance(statement, Query) and feeds and statement.key is None
        if isinstance(statement, (Query, InvalidStatement)) and not only_feeds:
            said.append((outcome, sentence(outcome)))
    return said


def sentence(outcome: StatementResult) -> str:
    """One statement's result: what was requested of which entity, and the KG's answer."""
    if outcome.step is not None:
        return _Sentence(outcome, outcome.step).text()
    if outcome.errors:
        return f"This was not looked up: {'; '.join(map(str, outcome.errors))}."
    return "The knowledge graph has nothing on this."


class _Sentence:
    def __init__(self, outcome: StatementResult, step: PlanStep) -> None:
        self._outcome, self._step = outcome, step
        self._key = step.key
        contexts = [list(_context(row, step, outcome)) for row in outcome.taken]
        first = contexts[0] if contexts else []
        self._shared = [part for part in first if all(part in each for each in contexts)]
        self._apart = [[part for part in c if part not in self._shared] for c in contexts]

    def text(self) -> str:
        parts = [self._known() if self._outcome.values else self._unknown()]
        if self._outcome.values and self._outcome.lacking and self._key:
            whom = _some(self._outcome.lacking)
            parts.append(f"The knowledge graph has no {self._key.spoken} for {whom}.")
        parts += [f"{note[:1].upper()}{note[1:]}." for note in self._outcome.notes]
        if self._outcome.errors:
            parts.append("This may be incomplete: a call failed or came too late.")
        return " ".join(parts)

    def _known(self) -> str:
        if self._key is None and self._step.reduce is None:
            return self._rows()
        values = self._outcome.values
        many = len(values) > 1 and not (self._key and self._key.type is Type.SPAN)
        subject = self._subject(many=many)
        counted = self._step.reduce is Reduce.LEN
        plural = many or (not counted and self._key and _is_plural(self._key.spoken))
        return f"The {subject} {'are' if plural else 'is'} {self._listed()}."

    def _unknown(self) -> str:
        text = f"The knowledge graph has no {self._subject(many=False)}."
        row = self._outcome.rows[0] if self._outcome.rows else {}
        return " ".join([text, *_summary(row)])

    # --- the subject of the sentence

    def _subject(self, *, many: bool) -> str:
        """The label and its subject, with the rows in brackets: "release date of X (in 2024)"."""
        label = self._key.spoken if self._key else self._step.function.row
        if self._step.function.any_key and label.endswith("ed"):
            label = f"date {label}"
        reduce = self._step.reduce
        if reduce is Reduce.LEN:
            label = label if label.startswith("number of") else f"number of {_plural(label)}"
        elif reduce is not None:
            dated = self._key is not None and self._key.type in (Type.DATE, Type.YEAR)
            english = _OF_TIME.get(reduce) if dated else None
            english = english or REDUCTIONS[reduce].english
            label = f"{english} {label.removeprefix(f'{english} ')}"
        elif many:
            label = _plural(label)
        rows = [part for part in (*self._common(), self._order(), self._share()) if part]
        told = f" ({', '.join(rows)})" if rows else ""
        return f"{label}{self._of()}{told}{self._where()}"

    def _of(self) -> str:
        names = self._outcome.entities or [each for each, named in self._asked() if named]
        return f" of {_some(names)}" if names else ""

    def _asked(self) -> Iterator[tuple[str, bool]]:
        """The literal arguments, and whether each names an entity."""
        if not isinstance(self._step.source, FetchSource):
            return
        taken = self._step.function.parameters
        for parameter, argument in zip(taken, self._step.source.arguments, strict=False):
            each = argument.items if isinstance(argument, NameList) else (argument,)
            yield from ((str(a), bool(parameter.entity)) for a in each if isinstance(a, (str, int)))

    def _common(self) -> list[str]:
        """The distinguishing values shared by all rows; for an aggregation of several rows, their
        range."""
        taken, reduce = self._outcome.taken, self._step.reduce
        dates = sorted(str(row["date"]) for row in taken if row.get("date"))
        if reduce not in (None, Reduce.LEN) and len(taken) > 1 and dates:
            return [f"on {dates[0]}" if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"]
        if not taken:
            return [each for each, named in self._asked() if not named]
        return self._shared

    def _order(self) -> str:
        key = self._step.sort
        if key is None:
            return ""
        if key.type in (Type.DATE, Type.YEAR):
            return "latest first" if self._step.descending else "earliest first"
        way = "highest" if self._step.descending else "lowest"
        return f"{way} {key.spoken.removeprefix('highest ').removeprefix('lowest ')} first"

    def _where(self) -> str:
        conditions = " and ".join(_condition(f) for f in self._step.where)
        return f" where {conditions}" if conditions else ""

    def _share(self) -> str:
        taken, found = len(self._outcome.taken), len(self._outcome.rows)
        return f"{taken} of {found}" if 0 < taken < found else ""

    # --- the values

    def _listed(self) -> str:
        outcome, key = self._outcome, self._key
        if self._step.reduce is Reduce.LEN:
            return _value(outcome.values[0], None)
        if self._step.reduce is not None:
            return f"{_value(outcome.values[0], key)}{self._holders()}"
        if key and key.type is Type.SPAN:
            return " and ".join(map(_span, (row.get(key.name) for row in outcome.taken)))
        said = self._in_context() if len(outcome.taken) > 1 else None
        values = said or [_value(value, key) for value in outcome.values]
        values = [f"{text} ({n} times)" if n > 1 else text for text, n in Counter(values).items()]
        if len(values) > SHOWN:
            return f"{', '.join(values[:SHOWN])} ({SHOWN} of {len(values)})"
        return _joined(values)

    def _in_context(self) -> list[str] | None:
        """Each value with what distinguishes its row; None if rows contain lists."""
        key = self._key
        if key is None or key.type is Type.LIST:
            return None
        said = []
        for row, context in zip(self._outcome.taken, self._apart, strict=True):
            text = ", ".join(_value(value, key) for value in read(row, key))
            apart = [part for part in context if part != text]
            if text:
                said.append(f"{text} ({', '.join(apart)})" if apart else text)
        return said

    def _holders(self) -> str:
        """The rows with the minimum or maximum."""
        if self._step.reduce not in (Reduce.MIN, Reduce.MAX) or self._key is None:
            return ""
        rows = zip(self._outcome.taken, self._apart, strict=True)
        best, name = self._outcome.values[0], self._key.name
        said = [", ".join(apart) for row, apart in rows if compare(row.get(name), best) == 0]
        return f" ({_some([text for text in said if text])})" if any(said) else ""

    def _rows(self) -> str:
        """Whole rows, each as its keys."""
        shown = [_whole(row, self._step) for row in self._outcome.taken[:SHOWN]]
        share = self._share()
        head = f"{_some(self._outcome.entities)}{f' ({share})' if share else ''}"
        if len(shown) == 1:
            return f"{head}: {shown[0]}{'' if shown[0].endswith(('.', '…')) else '.'}"
        lines = "; ".join(f"({number}) {text}" for number, text in enumerate(shown, 1))
        more = len(self._outcome.taken) - len(shown)
        return f"{head}: {lines}{f' and {more} more' if more > 0 else ''}."


def _context(row: Row, step: PlanStep, outcome: StatementResult) -> Iterator[str]:
    """What distinguishes a row from others, without what the sentence states anyway."""
    said = {tuple(words(name)) for name in outcome.entities}
    if OF in row:
        said.add(tuple(words(str(row[OF]))))
        if not (step.function.gives and step.key and step.key.name == step.function.keys[0].name):
            yield str(row[OF])
    fixed = {f.key.name for f in step.where if f.op is Op.EQ and not isinstance(f.value, Column)}
    keys = {key.name: key for key in step.function.keys}
    for template in step.function.about:
        names = [name for _, name, _, _ in Formatter().parse(template) if name]
        values = {name: row.get(name) for name in names}
        own = step.key is not None and step.key.name in names
        if own or any(v in (None, "", []) for v in values.values()) or fixed.issuperset(names):
            continue
        if all(tuple(words(str(value))) in said for value in values.values()):
            continue
        part = template.format(**{n: _value(v, keys.get(n)) for n, v in values.items()})
        if not any(part in name for name in outcome.entities):
            yield part


def _whole(row: Row, step: PlanStep) -> str:
    """A row as its keys: those of the schema in order, then any others."""
    keys = {key.name: key for key in step.function.keys if not key.hidden}
    if step.function.any_key:
        others = (name for name in row if name not in keys)
        keys |= {n: Key(n, unit=unit_of(n), label=label_of(n)) for n in others}
    shown = []
    for key in keys.values():
        values = read(row, key)
        if not values or key.name in ("summary_text", OF):
            continue
        if key.type is Type.SPAN:
            text = _span(row[key.name])
        else:
            text = ", ".join(_value(each, key) for each in values[:_MEMBERS])
        cut = f" ({_MEMBERS} of {len(values)})" if len(values) > _MEMBERS else ""
        shown.append(f"{key.spoken} {text}{cut}")
    return " ".join(["; ".join(shown[:_KEYS]), *_summary(row)])


def _summary(row: Row) -> Iterator[str]:
    """The first sentences of an entity's summary."""
    text = str(row.get("summary_text") or "")
    if text:
        cut = text[:_SUMMARY]
        end = cut.rfind(". ")
        whole = len(text) <= _SUMMARY
        yield f"Its summary says: {text if whole else cut[: end + 1] if end > 0 else f'{cut}…'}"


def _condition(f: Filter) -> str:
    value = f.value
    if isinstance(value, Column):
        said = f"the {value.key.replace('_', ' ')}"
    elif isinstance(value, PlannedValues):
        said = "that"
    elif f.key.codes:
        said = name_of(f.key.codes, str(value))
    else:
        said = str(value) if value is None or isinstance(value, str) else _value(value, f.key)
    dated = f.key.type in (Type.DATE, Type.YEAR)
    compared = _OF_DATES.get(f.op) if dated else None
    return f"the {f.key.spoken} {compared or COMPARISONS[f.op].english} {said}"


def value_text(value: Any, unit: str = "") -> str:
    """A number with its unit and without needless digits; a boolean as a word; a text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (int, float)):
        return str(value)
    if unit == "fraction":
        return f"{value:.1%}"
    if unit == "$":
        cents = abs(value) < _CENTS_BELOW
        return f"{'-' if value < 0 else ''}${abs(value):,.2f}" if cents else f"${value:,.0f}"
    short = int(value) if float(value).is_integer() else round(value, 2)
    number = f"{short:,}" if unit or abs(short) >= _GROUPED_FROM else str(short)
    return f"{number}{unit}" if unit == "%" else f"{number} {unit}".rstrip()


def _value(value: Any, key: Key | None) -> str:
    """A value for a reader: with its unit, and codes in words."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {v}" for name, v in value.items() if v not in (None, "", []))
    if isinstance(value, list):
        return _joined([_value(each, key) for each in value])
    if key is not None and key.codes:
        return in_words(key.codes, value)
    if key is None or key.type is Type.YEAR:
        return value_text(value)
    if isinstance(value, str) and key.unit and as_number(value) is not None:
        return f"{value} {key.unit}"
    return value_text(value, key.unit)


def _span(value: Any) -> str:
    """A start and an end: "from 1993, with no known end"."""
    start, end = (*(value if isinstance(value, list) else [value]), None, None)[:2]
    if start is None:
        return f"until {end}, with no known start" if end else "unknown"
    return f"from {start} to {end}" if end else f"from {start}, with no known end"


def _plural(label: str) -> str:
    """The plural of a label; of "date of birth" the first noun's."""
    head, of, rest = _HEAD.match(label).groups("")  # type: ignore[union-attr]
    return f"{head if _is_plural(head) else _inflect().plural_noun(head)}{of}{rest}"


def _is_plural(label: str) -> bool:
    head = _HEAD.match(label)[1]  # type: ignore[index]
    return any(_inflect().singular_noun(word) for word in head.split())


@lru_cache(maxsize=1)
def _inflect() -> Any:
    import inflect

    return inflect.engine()


def _some(names: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    names = list(dict.fromkeys(names))
    if len(names) <= _ENTITIES:
        return _joined(names)
    others = len(names) - _ENTITIES
    return f"{', '.join(names[:_ENTITIES])} and {others} other{'s' if others > 1 else ''}"


def _joined(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
