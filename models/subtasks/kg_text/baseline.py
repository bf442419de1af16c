"""The benchmark's KG baseline: an LLM extracts domain and arguments, rules make the calls.

electricsheep §4.5 shipped it, and dragonrangers used it, too. The model writes JSON under the
schema of `KINDS`: which things to look up, and for which facts. Rules (`baseline.toml`) make a
program of the query language of that; its results go into the prompt as sentences.
"""

import json
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from pydantic import TypeAdapter, ValidationError

from models.kg import ProgramResult
from models.kg.english.days import Period
from models.kg.english.periods import PeriodError, resolve
from models.kg.language.parser import MAX_LENGTH
from models.kg.language.printer import quoted
from models.kg.wording.sentences import with_sentences
from models.llm.factory import LLMs
from models.llm.protocol import Constraint, ConstraintKind
from models.prompts import load_prompt
from models.records import Domain, Question
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds
from models.subtasks.kg_text.programs import run_programs
from models.subtasks.kg_text.protocol import KgText
from utils.crag_api import KgClient
from utils.deadline import Deadline

SUBTASK = "name_arguments"
PROMPT = "kg_baseline/name_arguments"
MAX_LOOKUPS, MAX_NAMES, MAX_WANTED = 3, 4, 4
_NAME_CHARS = 80
_MAX_TOKENS = 200
_FACT_CHARS = 900


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing: statements by the fact that they give, or for `any` fact; see the file."""

    facts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    usual: str = ""
    any: Sequence[str] = ()
    also: Sequence[str] = ()


def _kinds() -> Iterator[tuple[tuple[Domain, str], Kind]]:
    file = Path(__file__).with_suffix(".toml")
    for row in tomllib.loads(file.read_text(encoding="utf-8"))["kind"]:
        yield (Domain(row.pop("domain")), row.pop("name")), Kind(**row)


KINDS = dict(_kinds())
# The values of names in statements, if no time was given.
_UNTIMED = {"all": "None", "latest": '"latest"'}
_FROM_NOW = {"week": '"last 7 days"', "today": '"today"', "coming": '"next 31 days"'}


@dataclass(frozen=True, slots=True)
class Named:
    """A lookup requested by the model: things of one kind, for the same facts."""

    domain: Domain
    kind: str
    names: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    time: str = ""

    def statements(self, now: datetime | None) -> Iterator[str]:
        """The statements of the query language that look it up, for a question asked at `now`."""
        kind = KINDS[self.domain, self.kind]
        rows = [
            (fact, statement)
            for fact in self.wanted or kind.usual.split()
            for statement in kind.facts.get(fact, kind.any)
        ]
        rows += [("", statement) for statement in kind.also]
        times = self._times(now)
        for name in self.names or (None,):
            for fact, statement in rows:
                values = {**times, "fact": quoted(fact)}
                values |= {"nobody": "None"} if name is None else {"name": quoted(name)}
                if name is not None and name.isdecimal():
                    values["number"] = name
                if all(used in values for _, used, _, _ in Formatter().parse(statement) if used):
                    yield statement.format(**values)

    def _times(self, now: datetime | None) -> dict[str, str]:
        """The values of the times' names in statements."""
        try:
            period = resolve(self.time, now) if self.time else None
        except PeriodError:
            period = None
        if period is None:
            found = _UNTIMED | (_FROM_NOW if now is not None else {})
            if self.domain is Domain.SPORTS and now is not None:
                found["time"] = '"last 31 days"'
            return found
        if period.edge is not None:
            return {"time": quoted(self.time)}
        if now is not None and self.domain is not Domain.SPORTS:
            period = Period(period.first, min(period.last, now.date()))
        if period.last < period.first:
            return {}
        first, last = period.first, period.last
        found = {"time": quoted(f"{first}")}
        if first != last:
            found["time"] = found["range"] = quoted(f"{first} to {last}")
        if first.year == last.year:
            found["year"] = str(first.year)
        return found


@cache
def constraint() -> Constraint:
    """The JSON schema of the model's reply: `{"lookups": [...]}`."""
    text = {"type": "string", "maxLength": _NAME_CHARS}

    def choice(values: Iterable[str]) -> Mapping[str, Any]:
        return {"type": "string", "enum": list(values)}

    def list_of(items: Mapping[str, Any], most: int) -> Mapping[str, Any]:
        return {"type": "array", "items": items, "maxItems": most}

    def record(properties: Mapping[str, Any]) -> Mapping[str, Any]:
        closed = {"required": list(properties), "additionalProperties": False}
        return {"type": "object", "properties": properties, **closed}

    kinds = [
        record(
            {
                "domain": choice([domain.value]),
                "kind": choice([kind]),
                "names": list_of(text, MAX_NAMES),
                "wanted": list_of(choice(row.facts) if row.facts else text, MAX_WANTED),
                "time": text,
            }
        )
        for (domain, kind), row in KINDS.items()
    ]
    schema = record({"lookups": list_of({"anyOf": kinds}, MAX_LOOKUPS)})
    return Constraint(ConstraintKind.JSON, json.dumps(schema))


def kinds_text() -> str:
    """The kinds that can be looked up, one per line, for the prompt."""
    return "\n".join(
        f"- {domain}, {kind}: {', '.join(row.facts) or 'any fact, in a word or two'}"
        for (domain, kind), row in KINDS.items()
    )


def request(index: int, question: Question) -> Request:
    """The prompt of one question."""
    return Request(
        index, SUBTASK, load_prompt(PROMPT), {**question.values, "kinds": kinds_text()},
        max_tokens=_MAX_TOKENS, constraint=constraint(),
    )  # fmt: skip


def read(text: str) -> list[Named]:
    """The lookups in the model's reply; entries that violate the schema are skipped.

    A server without constraints may return any text.
    """
    try:
        rows = json.loads(text)["lookups"][:MAX_LOOKUPS]
    except (ValueError, RecursionError, LookupError, TypeError):
        return []
    return [named for row in rows if (named := _named(row)) is not None]


def _named(row: Any) -> Named | None:
    try:
        one = TypeAdapter(Named).validate_python(row)
    except ValidationError:
        return None
    kind = KINDS.get((one.domain, one.kind))
    if kind is None:
        return None
    wanted = [what for what in _texts(one.wanted) if not kind.facts or what in kind.facts]
    return replace(
        one,
        names=tuple(_texts(one.names)[:MAX_NAMES]),
        wanted=tuple(wanted[:MAX_WANTED]),
        time=one.time.strip()[:_NAME_CHARS],
    )


def _texts(texts: Iterable[str]) -> list[str]:
    return list(filter(None, dict.fromkeys(text.strip()[:_NAME_CHARS] for text in texts)))


def program_of(named: Sequence[Named], question: Question) -> str:
    """The program that looks up what the model named; empty if that is nothing."""
    statements = (each for one in named for each in one.statements(question.asked_at))
    text = "; ".join(dict.fromkeys(statements))
    return text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH].rpartition("; ")[0]


def found_by(result: ProgramResult) -> list[str]:
    """The sentences with facts, or with the absence of one where the KG is complete."""
    return [
        textwrap.shorten(text, _FACT_CHARS, placeholder=" …")
        for outcome, text in with_sentences(result.outcomes)
        if outcome.informs or outcome.complete
    ]


@dataclass(frozen=True)
class KgBaseline:
    """A `KgText` by the KG baseline: one LLM round, then the rules.

    `fallback`: used where the model named nothing that the KG has.
    """

    llms: LLMs
    client: KgClient
    fallback: KgText | None = None

    def gather(
        self,
        questions: Sequence[Question],
        indices: Sequence[int],
        deadline: Deadline,
        answers: Ledger,
    ) -> dict[int, str]:
        """One sentence per fact, the most requested first."""
        asked = [request(index, questions[index]) for index in indices]
        completions = Rounds(self.llms).ask(asked, deadline, answers)
        programs = {
            index: program
            for index, completion in zip(indices, completions, strict=True)
            if completion.finished
            if (program := program_of(read(completion.text), questions[index]))
        }
        said = run_programs(programs, questions, self.client, deadline, answers, found_by)
        texts = {index: "\n".join(sentences) for index, sentences in said.items()}
        if self.fallback is not None:
            without = [index for index in indices if index not in texts]
            texts |= self.fallback.gather(questions, without, deadline, answers)
        return texts
