"""What statements gave, as short English sentences that a reader can check."""

from collections.abc import Sequence
from typing import Any

from models.kg.execute import Outcome, needs_before
from models.kg.language.ast import Call, Condition, Query, Reduce, Sort
from models.kg.language.functions import Key, Type, functions
from models.kg.operators import COMPARISONS, REDUCTIONS

SHOWN = 10  # members of a list; its true length is said
_CENTS_BELOW = 100_000  # dollars: a price has cents, a budget none
_GROUPED_FROM = 10_000  # a smaller number may be a year


def sentences(outcomes: Sequence[Outcome]) -> list[str]:
    """A sentence a statement, in order. Statements about nothing give none, nor do those that only
    fetch rows for the next."""
    return [text for _, text in told(outcomes)]


def told(outcomes: Sequence[Outcome]) -> list[tuple[Outcome, str]]:
    """Those sentences, each with the outcome that it tells."""
    said = []
    for index, outcome in enumerate(outcomes):
        query, after = outcome.statement, outcomes[index + 1 : index + 2]
        feeds = any(needs_before(following.statement) for following in after)
        if isinstance(query, Query) and not (feeds and query.key is None):
            call = next(_calls(outcomes[: index + 1]), None)
            said.append((outcome, _Sentence(query, call, outcome).text()))
    return said


def sentence(outcome: Outcome) -> str:
    """One statement's result: what was asked of which entity, and what the KG says."""
    query = outcome.statement
    if not isinstance(query, Query):
        return "The knowledge graph has nothing on this."
    return _Sentence(query, next(_calls([outcome]), None), outcome).text()


def _calls(outcomes: Sequence[Outcome]) -> Any:
    """The calls of some statements, the last first."""
    for outcome in reversed(outcomes):
        if isinstance(outcome.statement, Query) and isinstance(outcome.statement.source, Call):
            yield outcome.statement.source


class _Sentence:
    """One statement's result; `call` is where its rows come from."""

    def __init__(self, query: Query, call: Call | None, outcome: Outcome) -> None:
        self._query, self._call, self._outcome = query, call, outcome
        self._key = self._key_of(query.key)

    def text(self) -> str:
        partial = " (incomplete: a call failed or came too late)" if self._outcome.errors else ""
        if not self._outcome.values:
            return f"The knowledge graph does not know {self._subject(many=False)}{partial}."
        many = len(self._outcome.values) > 1
        text = f"{self._subject(many=many)} {'are' if many else 'is'} {self._listed()}{partial}."
        return text[:1].upper() + text[1:]

    def _subject(self, *, many: bool) -> str:
        what = "what is known"
        reduce = self._query.reduce
        if self._query.key:
            many = many or reduce is Reduce.LEN
            label = self._key.spoken if self._key else _spoken(self._query.key)
            spoken = _plural(label) if many else label
            what = f"{_reduced(reduce)} {spoken}"
        elif reduce:
            what = f"{_reduced(reduce)} entries"
        return f"{what}{self._of()}{self._when()}{self._order()}{self._where()}"

    def _of(self) -> str:
        named: Sequence[str] = self._outcome.entities
        if not named and self._call:
            named = [str(value) for value in self._call.arguments if isinstance(value, str)]
        return f" of {_joined(named)}" if named else ""

    def _when(self) -> str:
        """The days that the values belong to, where a time was asked for."""
        call = self._call
        if call is None or self._query.key == "date":
            return ""
        taken = zip(functions().parameters_of(call.function), call.arguments, strict=False)
        times = [str(value) for taker, value in taken if taker.type is Type.DATE and value]
        if not times:
            return ""
        rows = self._outcome.rows if self._query.reduce else self._outcome.rows[:1]
        days = sorted(str(row["date"]) for row in rows if row.get("date"))
        if not days:
            return f" ({' to '.join(times)})"
        return f" on {days[0]}" if days[0] == days[-1] else f" from {days[0]} to {days[-1]}"

    def _order(self) -> str:
        source = self._query.source
        if not isinstance(source, Sort):
            return ""
        key = self._key_of(source.key)
        spoken = key.spoken if key else _spoken(source.key)
        return f", {'highest' if source.descending else 'lowest'} {spoken} first,"

    def _where(self) -> str:
        conditions = " and ".join(map(self._condition, self._query.source.where))
        return f" where {conditions}" if conditions else ""

    def _condition(self, condition: Condition) -> str:
        value = condition.value if isinstance(condition.value, (str, int, float)) else "that"
        key = self._key_of(condition.key)
        spoken = key.spoken if key else _spoken(condition.key)
        return f"the {spoken} {COMPARISONS[condition.op].english} {value}"

    def _listed(self) -> str:
        unit = self._key.unit if self._key and self._query.reduce is not Reduce.LEN else ""
        values = [value_text(value, unit) for value in self._outcome.values[:SHOWN]]
        more = len(self._outcome.values) - SHOWN
        if more > 0:
            return f"{', '.join(values)} and {more} more ({len(self._outcome.values)} in all)"
        return _joined(values)

    def _key_of(self, name: str | None) -> Key | None:
        return functions().keys_of(self._call.function).key(name) if self._call and name else None


def value_text(value: Any, unit: str = "") -> str:
    """A value with its unit, a number without needless digits, a row as its keys."""
    if isinstance(value, dict):
        known = {name: v for name, v in value.items() if v not in (None, "", [])}
        return "; ".join(f"{_spoken(name)} {v}" for name, v in list(known.items())[:SHOWN])
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (int, float)):
        return str(value)
    if unit == "$":
        return f"${value:,.2f}" if abs(value) < _CENTS_BELOW else f"${value:,.0f}"
    short = int(value) if float(value).is_integer() else round(value, 2)
    return f"{short:,} {unit}".rstrip() if unit or short >= _GROUPED_FROM else str(short)


def _reduced(reduce: Reduce | None) -> str:
    english = REDUCTIONS[reduce].english if reduce else "the"
    return f"{english} of" if reduce is Reduce.LEN else english


def _plural(label: str) -> str:
    if label.endswith("s"):
        return label
    return f"{label[:-1]}ies" if label.endswith("y") else f"{label}s"


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _joined(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
