"""The benchmark's KG baseline: an LLM extracts domain and arguments, rules make the calls.

electricsheep §4.5 shipped it, and dragonrangers used it, too. The model writes JSON under the
schema of `KINDS`: which things to look up, and for which facts. Rules (`baseline.toml`) turn that
into a program of the query language; its results go into the prompt as sentences.
"""

import calendar
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from pydantic import TypeAdapter, ValidationError

from models.english.days import DAY, Period
from models.english.periods import PeriodError, resolve
from models.kg import ProgramResult
from models.kg.language.parse import MAX_LENGTH
from models.kg.language.printer import quoted
from models.llm.llms import LLMs
from models.llm.protocol import Constraint, ConstraintKind
from models.prompts import load_prompt
from models.records import Domain, Question
from models.runtime.case import Case
from models.runtime.request import CaseT, Reply, Request
from models.runtime.rounds import Rounds
from models.subtasks.kg_text.bounded import shortened
from models.subtasks.kg_text.programs import run_programs
from models.subtasks.kg_text.protocol import KgText
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.typed import read_record

SUBTASK = "name_arguments"
PROMPT = "kg_baseline/name_arguments"
MAX_LOOKUPS = 3
MAX_NAMES = 4
MAX_WANTED = 4
_NAME_CHARS = 80
_MAX_TOKENS = 200
_FACT_CHARS = 900

# The values of placeholders in statements if the model gave no time, without and with the
# question's time.
_UNTIMED = {"all": "None", "latest": '"latest"'}
_FROM_NOW = {"week": '"last 7 days"', "today": '"today"', "coming": '"next 31 days"'}
_OF_THING = ("name", "number", "nobody", "fact")
_EACH_YEAR = "each_year"
_OF_TIME = ("time", "range", "year", "years", _EACH_YEAR, "charts")
_PLACEHOLDERS = {*_OF_THING, *_OF_TIME, *_UNTIMED, *_FROM_NOW}
_MOST_YEARS = 70  # of {each_year}: there have been fewer Grammy ceremonies
_RECENT_YEARS = 10  # of {each_year} if the model gave no time
_MOST_CHARTS = 53  # of {charts}: those of a year


def _placeholders(statement: str) -> list[str]:
    """The names in braces in a statement of `baseline.toml`."""
    return [name for _, name, _, _ in Formatter().parse(statement) if name is not None]


@dataclass(frozen=True, slots=True)
class LookupKind:
    """A kind of thing that can be looked up: a row of `baseline.toml`.

    Attributes:
        domain: that it belongs to.
        name: unique within the domain.
        facts: for each fact, the statements that give it.
        usual: the facts if the model wants none.
        any_fact: the statements for any other fact.
        also: statements that always follow.
    """

    domain: Domain
    name: str
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    usual: tuple[str, ...] = ()
    any_fact: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for fact in self.usual:
            if fact not in self.facts:
                raise ValueError(f"{self.name} has no fact {fact!r}")
        for statement in self._all_statements():
            for name in _placeholders(statement):
                if name not in _PLACEHOLDERS:
                    raise ValueError(f"{{{name}}} has no meaning in {statement}")

    def _all_statements(self) -> Iterator[str]:
        for statements in self.facts.values():
            yield from statements
        yield from self.any_fact
        yield from self.also

    def rows(self, wanted: Sequence[str]) -> list[tuple[str, str]]:
        """The statements for the facts `wanted`, each with its fact; "" for those of `also`."""
        rows = []
        for fact in wanted or self.usual:
            for statement in self.facts.get(fact, self.any_fact):
                rows.append((fact, statement))
        for statement in self.also:
            rows.append(("", statement))
        return rows


def read_kinds(file: Path) -> dict[tuple[Domain, str], LookupKind]:
    """The kinds in a TOML file like `baseline.toml`, by domain and name.

    Raises:
        SettingsError: a row has an unknown field, fact or placeholder.
    """
    kinds = {}
    for row in tomllib.loads(file.read_text(encoding="utf-8"))["kind"]:
        kind = read_record(LookupKind, row, file.name)
        kinds[kind.domain, kind.name] = kind
    return kinds


KINDS = read_kinds(Path(__file__).with_suffix(".toml"))


@dataclass(frozen=True, slots=True)
class Lookup:
    """A lookup requested by the model: things of one kind, for the same facts.

    Attributes:
        domain, kind: a key of `KINDS`.
        names: of the things; none for some kinds.
        wanted: the facts.
        time: in the model's words; empty if it gave none.
    """

    domain: Domain
    kind: str
    names: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    time: str = ""

    def statements(self, now: datetime | None) -> Iterator[str]:
        """The statements of the query language that look it up, for a question asked at `now`."""
        rows = KINDS[self.domain, self.kind].rows(self.wanted)
        time_values = self._time_values(now)
        years = self._years(now)
        for name in self.names or (None,):
            name_values = _name_values(name)
            for fact, statement in rows:
                values = {**time_values, **name_values, "fact": quoted(fact)}
                placeholders = set(_placeholders(statement))
                each_year = years if _EACH_YEAR in placeholders else [""]
                for year in each_year:
                    all_values = {**values, _EACH_YEAR: year}
                    if all_values.keys() >= placeholders:
                        yield statement.format(**all_values)

    def _years(self, now: datetime | None) -> list[str]:
        """The values of `{each_year}`, in order."""
        period = self._period(now)
        if period is not None:
            first = period.first.year
            last = period.last.year if now is None else min(period.last.year, now.year)
            if period.edge is not None or first == last:
                return []
        elif now is not None:
            last = now.year
            first = last - _RECENT_YEARS
        else:
            return []
        first = max(first, last - _MOST_YEARS + 1)
        return [str(year) for year in range(first, last + 1)]

    def _time_values(self, now: datetime | None) -> dict[str, str]:
        """The values of the placeholders for times, except `{each_year}`."""
        of_games = self.domain is Domain.SPORTS
        period = self._period(now)
        if period is None:
            return self._untimed_values(now)
        if period.edge is not None:
            return {"time": quoted(self.time)}
        first = period.first
        last = period.last
        if now is not None and not of_games:
            last = min(last, now.date())
        if last < first:
            return {}
        values = {"time": quoted(f"{first}")}
        if first != last:
            days = quoted(f"{first} to {last}")
            values = {"time": days, "range": days}
            values["charts"] = _quoted_list(_chart_days(first, last))
        if first.year == last.year:
            values["year"] = str(first.year)
        else:
            values["years"] = f"ge(year, {first.year}), le(year, {last.year})"
        return values

    def _untimed_values(self, now: datetime | None) -> dict[str, str]:
        """The values of the placeholders for times if the model gave none."""
        values = dict(_UNTIMED)
        if now is None:
            return values
        today = now.date()
        values |= _FROM_NOW
        values["charts"] = _quoted_list(_chart_days(today - 7 * DAY, today))
        if self.domain is Domain.SPORTS:
            values["time"] = '"last 31 days"'
        return values

    def _period(self, now: datetime | None) -> Period | None:
        """The days of `time`; None if the model gave no time, or one that is not understood."""
        if not self.time:
            return None
        try:
            return resolve(self.time, now)
        except PeriodError:
            return None


def _chart_days(first: date, last: date) -> list[str]:
    """The first days up to `_MOST_CHARTS` of which there are charts in a period: Saturdays.

    If the period has none, the Saturday that ends its week.
    """
    saturday = first.toordinal() + (calendar.SATURDAY - first.weekday()) % 7
    end = min(max(last.toordinal(), saturday), date.max.toordinal())
    ordinals = range(saturday, end + 1, 7)[:_MOST_CHARTS]
    return [str(date.fromordinal(ordinal)) for ordinal in ordinals]


def _quoted_list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"


def _name_values(name: str | None) -> dict[str, str]:
    """The values of the placeholders for a thing's name; None: no thing was named."""
    if name is None:
        return {"nobody": "None"}
    values = {"name": quoted(name)}
    if name.isdecimal():
        values["number"] = name
    return values


_LOOKUP = TypeAdapter(Lookup)


@cache
def constraint() -> Constraint:
    """The JSON schema of the model's reply: `{"lookups": [...]}`."""
    text = {"type": "string", "maxLength": _NAME_CHARS}
    lookups = []
    for kind in KINDS.values():
        fact = _enum_schema(kind.facts) if kind.facts else text
        properties = {
            "domain": _enum_schema([kind.domain.value]),
            "kind": _enum_schema([kind.name]),
            "names": _array_schema(text, MAX_NAMES),
            "wanted": _array_schema(fact, MAX_WANTED),
            "time": text,
        }
        lookups.append(_object_schema(properties))
    schema = _object_schema({"lookups": _array_schema({"anyOf": lookups}, MAX_LOOKUPS)})
    return Constraint(ConstraintKind.JSON, json.dumps(schema))


def _enum_schema(values: Iterable[str]) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(values)}


def _array_schema(items: Mapping[str, Any], most: int) -> Mapping[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}


def _object_schema(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def kinds_text() -> str:
    """The kinds that can be looked up, one per line, for the prompt."""
    lines = []
    for kind in KINDS.values():
        facts = ", ".join(kind.facts) or "any fact, in a word or two"
        lines.append(f"- {kind.domain}, {kind.name}: {facts}")
    return "\n".join(lines)


def lookup_request(case: CaseT) -> Request[CaseT]:
    """The prompt of one question."""
    return Request(
        case,
        SUBTASK,
        load_prompt(PROMPT),
        {**case.question.values, "kinds": kinds_text()},
        max_tokens=_MAX_TOKENS,
        constraint=constraint(),
    )


def read_lookups(text: str) -> list[Lookup]:
    """The lookups in the model's reply; entries that violate the schema are skipped.

    A server without constraints may return any text.
    """
    try:
        rows = json.loads(text)["lookups"][:MAX_LOOKUPS]
    except (ValueError, RecursionError, LookupError, TypeError):
        return []
    lookups = []
    for row in rows:
        lookup = _read_lookup(row)
        if lookup is not None:
            lookups.append(lookup)
    return lookups


def _read_lookup(row: Any) -> Lookup | None:
    """One entry of the reply, with the facts that its kind has; None if it has no valid kind."""
    try:
        lookup = _LOOKUP.validate_python(row)
    except ValidationError:
        return None
    kind = KINDS.get((lookup.domain, lookup.kind))
    if kind is None:
        return None
    names = _distinct_texts(lookup.names)
    wanted = _distinct_texts(lookup.wanted)
    if kind.facts:
        wanted = [fact for fact in wanted if fact in kind.facts]
    return replace(
        lookup,
        names=tuple(names[:MAX_NAMES]),
        wanted=tuple(wanted[:MAX_WANTED]),
        time=lookup.time.strip()[:_NAME_CHARS],
    )


def _distinct_texts(texts: Iterable[str]) -> list[str]:
    """The texts without blanks around them, cut to `_NAME_CHARS`; each once, none empty."""
    shortened = [text.strip()[:_NAME_CHARS] for text in texts]
    return [text for text in dict.fromkeys(shortened) if text]


def program_of(lookups: Sequence[Lookup], question: Question) -> str:
    """The program that looks up what the model named; empty if that is nothing."""
    statements: dict[str, None] = {}  # a set in order
    for lookup in lookups:
        statements |= dict.fromkeys(lookup.statements(question.asked_at))
    text = "; ".join(statements)
    if len(text) <= MAX_LENGTH:
        return text
    whole_statements, _, _ = text[:MAX_LENGTH].rpartition("; ")
    return whole_statements


def fact_sentences(result: ProgramResult) -> list[str]:
    """The sentences with facts, or with the absence of one where that is sure."""
    return [
        shortened(sentence, _FACT_CHARS)
        for outcome, sentence in result.evidence
        if outcome.informs or outcome.shows_absence
    ]


@dataclass(frozen=True)
class KgBaseline:
    """A `KgText` by the KG baseline: one LLM round, then the rules.

    `fallback`: used where the model named nothing that the KG has.
    """

    llms: LLMs
    client: KgClient
    fallback: KgText | None = None

    def gather(self, cases: Sequence[Case], deadline: Deadline) -> list[str]:
        """One sentence per fact, the most requested first."""
        replies = Rounds(self.llms).ask(list(map(lookup_request, cases)), deadline)
        programs = [(reply.case, _programs_in(reply)) for reply in replies]
        results = run_programs(programs, self.client, deadline)
        texts = ["\n".join(fact_sentences(result)) if result else "" for result in results]
        if self.fallback is None:
            return texts
        without = [case for case, text in zip(cases, texts, strict=True) if not text]
        others = iter(self.fallback.gather(without, deadline))
        return [text or next(others) for text in texts]


def _programs_in(reply: Reply[Case]) -> list[str]:
    """The program of the lookups in a reply, if it names any."""
    if not reply.completion.finished:
        return []
    program = program_of(read_lookups(reply.completion.text), reply.case.question)
    return [program] if program else []
