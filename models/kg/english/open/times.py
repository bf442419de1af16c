"""Spans of time: how old somebody was, how long an office was held or a building took."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.kg.english.open.compose import Age
from models.kg.english.open.keys import first_key
from models.kg.english.open.rows import row_of
from models.kg.english.open.subjects import NAME, Subject, explained
from models.kg.english.open.values import day, years_between
from models.kg.english.reading import Reading
from models.kg.execute import Outcome
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_BEGINS = (
    "founded established foundation formation established_date inception created formed"
    " year_completed completion_date opened opening opened_date built released launch_date"
)
_WORK_BEGINS = "construction_began groundbreaking_date groundbreaking start_date construction_start"
_WORK_ENDS = "completion_date completed year_completed construction_end opening opened opened_date"
_HE = rf"(?:he|she|they|it|{NAME})"

# How a question asks for a span -> the keys that it begins with, and ends with (none: now).
_SPANS = (
    (rf"how old (?:was|is|were) (?:{NAME} )?.*when {_HE} (?:die[ds]?|passed away)"
     rf"|(?:what|which) age (?:was|did|at).*(?:die|death)|age (?:at|of) death"
     rf"|age at (?:the time of )?"
     rf"(?:his|her) death|how old was {NAME} at (?:the time of )?(?:his |her )?death"
     rf"|how old did {NAME} live to be|how long did {NAME} live|how many years did {NAME} live",
     "birth_date", "death_date"),
    (rf"(?:how old|what age) was {NAME} (?:when {_HE} (?:became|took office|was (?:elected"
     rf"|inaugurated"
     rf"|sworn in)|started|assumed|entered)|at (?:his|her) inauguration|(?:up)?on taking office)"
     rf"|at what age did {NAME} (?:become|take office|assume)",
     "birth_date", "term_start"),
    (rf"how (?:long|many years) (?:was|did|has|is) {NAME} (?:in office|serv\w+|in power|rul\w+"
     rf"|reign\w*"
     rf"|been|hold|held|lead|president|governor|the \w+|an? \w+|occupy)"
     rf"|length of xx (?:presidency|term"
     r"|tenure)|how long (?:was|did|is) xx (?:presidency|term|tenure|reign)",
     "term_start", "term_end"),
    (r"how (?:long|many years) (?:did|was|were).*(?:take|took|taken|spent|last).*(?:to|on|in)? ?"
     r"(?:buil\w+|construct\w*|complet\w*|finish\w*|erect\w*)"
     r"|how (?:long|many years) (?:did|was) (?:the )?(?:construction|building)|how (?:long"
     r"|many years)"
     rf" was {NAME} (?:being built|under construction)",
     _WORK_BEGINS, _WORK_ENDS),
    (r"(?:buil\w+|construct\w*|complet\w*|finish\w*|erect\w*|work)\b.* (?:took|take|takes|last\w*"
     r"|required?|needed|went on for) how (?:long|many years)"
     r"|how (?:long|many years) (?:\w+ ){0,3}(?:between|from) (?:\w+ ){0,3}(?:start|beginning"
     r"|groundbreaking|construction|work).* (?:to|and|until) (?:\w+ ){0,3}(?:open\w*|complet\w*"
     r"|finish\w*|end)"
     r"|how many years (?:of construction|(?:of|in) building)|(?:construction|building) "
     r"(?:time|period|duration)",
     _WORK_BEGINS, _WORK_ENDS),
    (rf"how (?:long|many years) has {NAME} (?:existed|been (?:around|open|operating|in (?:operation"
     r"|existence|business|service)|standing|published))",
     _BEGINS, ""),
    (r"how old|what age|age of|xx age", f"birth_date {_BEGINS}", "death_date"),
)  # fmt: skip


# Both ends of a work, where a question says them beside its length.
_ENDS = re.compile(
    r"\b(?:from (?:the )?)?(?:start|beginning|groundbreaking)"
    r"(?: of (?:the )?(?:construction|work))?"
    r" (?:to|until|through) (?:the |its )?(?:\w+ )?(?:opening|completion|finish|end)\b"
)


@dataclass(frozen=True, slots=True)
class Lasted:
    """The years from the first statement's date to the second's, in whole years where exact."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        days = [day(outcome.values[0]) if outcome.values else None for outcome in outcomes]
        if len(days) != 2 or not days[0] or not days[1]:
            return None
        exact = years_between(days[0], days[1])
        years = int(days[1][:4]) - int(days[0][:4]) if exact is None else exact
        return f"{years} years" if years > 0 else None


def times(asked: Asked, rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """Readings of a question for a span of time in the life of one entity; the first that fits."""
    for cue, begin_keys, end_keys in _SPANS:
        match = re.search(rf"\b(?:{cue})\b", rest)
        begin = first_key(about.facts, begin_keys.split()) if match else None
        end = first_key(about.facts, end_keys.split()) if match else None
        if not match or not begin:
            continue
        told = frozenset(match.group().split())
        if "term_start" in (begin, end):
            row = row_of(rest, "term_start", frozenset(), about.facts)
            number = row.number if row else ""
            told |= row.told if row else frozenset()
            begin = f"{begin}{number}" if begin == "term_start" else begin
            end = f"term_start{number}" if end == "term_start" else f"term_end{number}"
        outer = f"{rest[: match.start()]} {NAME} {rest[match.end() :]}"
        outer = _ENDS.sub(" ", outer) if end_keys == _WORK_ENDS else outer
        if not explained(outer, told, [about]):
            return
        lived = begin == "birth_date" or not end_keys
        program = f"ALL {call}[{quoted(begin)}]"
        now = asked.at.date() if asked.at else None
        if end and about.facts.get(end):
            compose = Age(None) if lived else Lasted()
            yield Reading(f"{program}; ALL {call}[{quoted(end)}]", compose)
        elif (
            end_keys == "death_date"
            and "how old" not in match.group()
            or begin != "birth_date"
            and end
        ):
            return
        else:
            yield Reading(program, Age(now, exact=begin == "birth_date"))
        return
