"""The benchmark's KG baseline: an LLM extracts domain and arguments, rules make the calls.

electricsheep §4.5 shipped it, and dragonrangers used it, too. The model writes JSON under the
schema of `KINDS`: which things to look up, and for which facts. A decision tree per domain
(`models/kg/baseline/`) finds each thing by the API's searches and calls the endpoints; the results
go into the prompt as text.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from models.kg.baseline import finance, movie, music, sports
from models.kg.baseline import open as open_domain
from models.kg.baseline.protocol import Growing, Grown, Lookup, Tree, grow
from models.kg.execute import Client
from models.llm.factory import LLMs
from models.llm.protocol import Constraint, ConstraintKind
from models.prompts import load_prompt
from models.records import Domain, Question
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds
from models.runtime.trace import Step
from models.subtasks.kg_text.protocol import KgText
from utils.deadline import Deadline

SUBTASK = "name_arguments"
PROMPT = "kg_baseline/name_arguments"
MAX_LOOKUPS, MAX_NAMES, MAX_WANTED = 3, 4, 4
_NAME_CHARS = 80
_MAX_TOKENS = 200

TREES: Mapping[Domain, Tree] = {
    Domain.FINANCE: finance.tree,
    Domain.MOVIE: movie.tree,
    Domain.MUSIC: music.tree,
    Domain.SPORTS: sports.tree,
    Domain.OPEN: open_domain.tree,
}
# What can be looked up: (domain, kind) -> the facts that may be requested; None: any text.
KINDS: Mapping[tuple[Domain, str], tuple[str, ...] | None] = {
    (Domain.FINANCE, "company"): tuple(finance.ENDPOINTS),
    (Domain.MOVIE, "movie"): tuple(movie.MOVIE_FACTS),
    (Domain.MOVIE, "person"): tuple(movie.PERSON_FACTS),
    (Domain.MOVIE, "year"): ("oscars",),
    (Domain.MUSIC, "artist"): tuple(music.ARTIST),
    (Domain.MUSIC, "song"): tuple(music.SONG),
    (Domain.MUSIC, "grammys"): tuple(music.GRAMMYS),
    (Domain.MUSIC, "chart_rank"): ("song",),
    (Domain.SPORTS, "soccer"): sports.SOCCER,
    (Domain.SPORTS, "nba"): ("games", "plays"),
    (Domain.OPEN, "entity"): None,
}


@dataclass(frozen=True, slots=True)
class Named:
    """A lookup requested by the model: things of one kind, for the same facts."""

    domain: Domain
    kind: str
    names: tuple[str, ...]
    wanted: tuple[str, ...] = ()
    time: str = ""

    def lookups(self, question: Question) -> list[Lookup]:
        """One lookup per name; one without a name if there is none."""
        return [
            Lookup(self.domain, self.kind, name, self.wanted, self.time, question.asked_at)
            for name in self.names or ("",)
        ]


@cache
def constraint() -> Constraint:
    """The JSON schema of the model's reply: `{"lookups": [...]}`."""

    def text(length: int) -> Mapping[str, Any]:
        return {"type": "string", "maxLength": length}

    def list_of(items: Mapping[str, Any], most: int) -> Mapping[str, Any]:
        return {"type": "array", "items": items, "maxItems": most}

    def record(properties: Mapping[str, Any]) -> Mapping[str, Any]:
        required = list(properties)
        closed = {"required": required, "additionalProperties": False}
        return {"type": "object", "properties": properties, **closed}

    kinds = [
        record(
            {
                "domain": {"type": "string", "enum": [domain.value]},
                "kind": {"type": "string", "enum": [kind]},
                "names": list_of(text(_NAME_CHARS), MAX_NAMES),
                "wanted": list_of(
                    {"type": "string", "enum": list(facts)} if facts else text(_NAME_CHARS),
                    MAX_WANTED,
                ),
                "time": text(_NAME_CHARS),
            }
        )
        for (domain, kind), facts in KINDS.items()
    ]
    schema = record({"lookups": list_of({"anyOf": kinds}, MAX_LOOKUPS)})
    return Constraint(ConstraintKind.JSON, json.dumps(schema))


def kinds_text() -> str:
    """The kinds that can be looked up, one per line, for the prompt."""
    return "\n".join(
        f"- {domain}, {kind}: {', '.join(facts) if facts else 'any fact, in a word or two'}"
        for (domain, kind), facts in KINDS.items()
    )


def request(index: int, question: Question) -> Request:
    """The prompt of one question."""
    values = {
        "kinds": kinds_text(),
        "query_time": question.asked_when,
        "question": question.text,
    }
    return Request(
        index,
        SUBTASK,
        load_prompt(PROMPT),
        MappingProxyType(values),
        max_tokens=_MAX_TOKENS,
        constraint=constraint(),
    )


def read(text: str) -> list[Named]:
    """The lookups in the model's reply; entries that violate the schema are skipped.

    A server without constraints may return any text.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    rows = found.get("lookups") if isinstance(found, dict) else None
    named = [_named(row) for row in rows[:MAX_LOOKUPS]] if isinstance(rows, list) else []
    return [one for one in named if one is not None]


def _named(row: Any) -> Named | None:
    if not isinstance(row, dict):
        return None
    kinds = {(domain.value, kind): domain for domain, kind in KINDS}
    key = (str(row.get("domain")), str(row.get("kind")))
    if key not in kinds:
        return None
    facts = KINDS[kinds[key], key[1]]
    wanted = [what for what in _texts(row.get("wanted")) if facts is None or what in facts]
    time = row.get("time")
    return Named(
        kinds[key],
        key[1],
        tuple(_texts(row.get("names"))[:MAX_NAMES]),
        tuple(wanted[:MAX_WANTED]),
        time.strip()[:_NAME_CHARS] if isinstance(time, str) else "",
    )


def _texts(value: Any) -> list[str]:
    texts = value if isinstance(value, list) else []
    found = [text.strip()[:_NAME_CHARS] for text in texts if isinstance(text, str)]
    return list(dict.fromkeys(text for text in found if text))


def look_up(
    named: Mapping[int, Sequence[Named]],
    questions: Sequence[Question],
    client: Client,
    deadline: Deadline,
) -> dict[int, Grown]:
    """The KG facts for the requested lookups, by question; a batch's calls are made together."""
    trees: list[Growing] = []
    slots: list[int] = []
    for index, several in named.items():
        for one in several:
            for lookup in one.lookups(questions[index]):
                trees.append(TREES[one.domain](lookup))
                slots.append(index)
    found = {index: Grown() for index in named}
    for index, grown in zip(slots, grow(trees, client, deadline), strict=True):
        before = found[index]
        facts = tuple(dict.fromkeys((*before.facts, *grown.facts)))
        errors = {str(error): error for error in (*before.errors, *grown.errors)}  # each once
        found[index] = Grown(facts, tuple(errors.values()))
    return found


@dataclass(frozen=True)
class KgBaseline:
    """A `KgText` by the KG baseline: one LLM round, then the rules.

    `fallback`: used where the model named nothing that the KG has.
    """

    llms: LLMs
    client: Client
    fallback: KgText | None = None

    def gather(
        self,
        questions: Sequence[Question],
        indices: Sequence[int],
        deadline: Deadline,
        answers: Ledger,
    ) -> dict[int, str]:
        """One line per fact, the most requested first."""
        asked = [request(index, questions[index]) for index in indices]
        completions = Rounds(self.llms).ask(asked, deadline, answers)
        named = {
            index: read(completion.text) if completion.finished else []
            for index, completion in zip(indices, completions, strict=True)
        }
        start = deadline.clock()
        found = look_up(named, questions, self.client, deadline)
        seconds = deadline.clock() - start
        for index, grown in found.items():
            for error in grown.errors:
                answers.failed(index, error, "kg")
            given = {"lookups": "\n".join(map(str, named[index]))}
            answers.note(index, Step("kg", given, _text(grown), seconds))
        texts = {index: _text(grown) for index, grown in found.items() if grown.facts}
        without = [index for index in indices if index not in texts]
        if self.fallback is not None and without:
            texts |= self.fallback.gather(questions, without, deadline, answers)
        return texts


def _text(grown: Grown) -> str:
    return "\n".join(fact.text for fact in grown.facts)
