"""What statements gave, as short English sentences that a reader can check."""

from collections.abc import Sequence
from typing import Any

from models.kg.execute import Outcome
from models.kg.language.ast import Call, Condition, Query, Sort
from models.kg.operators import COMPARISONS, REDUCTIONS

SHOWN = 10  # members of a list; its true length is said
_MONEY = frozenset(("budget", "revenue", "open", "high", "low", "close"))
_PRICES = frozenset(("open", "high", "low", "close"))


def sentences(outcomes: Sequence[Outcome]) -> list[str]:
    """A sentence a statement, in order; statements about nothing give none."""
    return [
        sentence(outcome) for outcome in outcomes if isinstance(outcome.statement, Query)
    ]


def sentence(outcome: Outcome) -> str:
    """One statement's result: what was asked of which entity, and what the KG says."""
    query = outcome.statement
    if not isinstance(query, Query):
        return "The knowledge graph has nothing on this."
    subject = _subject(query, outcome.entities)
    partial = " (incomplete: a call failed or came too late)" if outcome.errors else ""
    if not outcome.values:
        return f"The knowledge graph does not know {subject}{partial}."
    verb = "is" if len(outcome.values) == 1 else "are"
    return f"{_capital(subject)} {verb} {_listed(query.key, outcome)}{partial}."


def _subject(query: Query, entities: Sequence[str]) -> str:
    what = f"the {_spoken(query.key)}" if query.key else "what is known"
    if query.reduce is not None:
        what = f"{REDUCTIONS[query.reduce].english} {what.removeprefix('the ')}"
    of = f" of {_joined(entities)}" if entities else ""
    if not entities and isinstance(query.source, Call):
        named = [str(value) for value in query.source.arguments if isinstance(value, str)]
        of = f" of {_joined(named)}" if named else ""
    order = ""
    if isinstance(query.source, Sort):
        way = "highest" if query.source.descending else "lowest"
        order = f", {way} {_spoken(query.source.key)} first,"
    conditions = " and ".join(_condition(condition) for condition in query.source.where)
    return f"{what}{of}{order}{f' where {conditions}' if conditions else ''}"


def _condition(condition: Condition) -> str:
    value = condition.value if isinstance(condition.value, (str, int, float)) else "that"
    return f"the {_spoken(condition.key)} {COMPARISONS[condition.op].english} {value}"


def _listed(key: str | None, outcome: Outcome) -> str:
    values = [value_text(key, value) for value in outcome.values[:SHOWN]]
    more = len(outcome.values) - SHOWN
    if more > 0:
        return f"{', '.join(values)} and {more} more ({len(outcome.values)} in all)"
    return _joined(values)


def value_text(key: str | None, value: Any) -> str:
    """A value with its unit, a number without needless digits, a row as its keys."""
    if isinstance(value, dict):
        known = {name: v for name, v in value.items() if v not in (None, "", [])}
        return "; ".join(f"{_spoken(name)} {v}" for name, v in list(known.items())[:SHOWN])
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        if key in _PRICES:
            return f"${value:,.2f}"
        if key in _MONEY:
            return f"${value:,.0f}"
        return f"{value:,}" if isinstance(value, int) else f"{round(value, 2):g}"
    return str(value)


def _spoken(key: str | None) -> str:
    return (key or "").replace("_", " ")


def _joined(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
