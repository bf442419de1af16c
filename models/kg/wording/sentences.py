"""Verbalises outcomes as English sentences that are understood without the program.

A sentence states the value, its subject, the row that it is from, its unit and its date. It also
names unknown values next to known ones, and states how many were left out.
"""

from collections import Counter
from collections.abc import Sequence
from string import Formatter
from typing import Any

from models.kg.execution.arithmetic import CALCULATIONS
from models.kg.execution.fetch.infobox import label_of, unit_of
from models.kg.execution.fetch.protocol import OF, Row
from models.kg.execution.outcome import Operand, Outcome, Share
from models.kg.execution.plan import (
    CalculationSource,
    FetchSource,
    Filter,
    PlannedValues,
    PlanStep,
)
from models.kg.execution.row_operations import COMPARISONS, REDUCTIONS, compare, values_in_row
from models.kg.language.ast import (
    Column,
    InvalidStatement,
    NameList,
    Query,
    Statement,
    uses_before,
)
from models.kg.schema.codes import name_of
from models.kg.schema.functions import Function, Key, Type
from models.kg.schema.operations import Arithmetic, Op, Reduce
from models.kg.wording.plurals import is_plural, plural_of
from models.kg.wording.value_text import first_names, joined, key_value_text, ratio_text, span_text
from utils.text import find_run, words

SHOWN = 60  # values of a list; its full length is stated
_SUMMARY_LENGTH = 400  # characters of an entity's summary
_MOST_KEYS = 40  # of a row that is shown whole
_MOST_MEMBERS = 10  # of a list in such a row
_DATE_TYPES = (Type.DATE, Type.YEAR)
_EXTREMES_OF_DATES = {Reduce.MIN: "earliest", Reduce.MAX: "latest"}
_COMPARISONS_OF_DATES = {
    Op.GT: "is after",
    Op.LT: "is before",
    Op.GE: "is not before",
    Op.LE: "is not after",
}


def with_sentences(
    statements: Sequence[Statement], outcomes: Sequence[Outcome]
) -> list[tuple[Outcome, str]]:
    """The outcomes of statements that have a sentence, each with it: none for an empty statement,
    and for one that only fetches rows for the next one."""
    pairs = []
    earlier_summaries: set[str] = set()
    following_statements = [*statements[1:], None]
    for statement, following, outcome in zip(
        statements, following_statements, outcomes, strict=True
    ):
        if not isinstance(statement, (Query, InvalidStatement)):
            continue
        is_used = following is not None and uses_before(following)
        only_fetches = isinstance(statement, Query) and statement.key is None and is_used
        if not only_fetches:
            pairs.append((outcome, sentence(outcome, earlier_summaries)))
    return pairs


def sentence(outcome: Outcome, earlier_summaries: set[str] | None = None) -> str:
    """One statement's result: what was requested of which entity, and the KG's answer.

    Summaries of entities are added to `earlier_summaries`, and left out if they are in it.
    """
    if outcome.step is not None and isinstance(outcome.step.source, CalculationSource):
        return _calculation_sentence(outcome, outcome.step.source.op)
    if outcome.step is not None:
        summaries = set() if earlier_summaries is None else earlier_summaries
        return _Sentence(outcome, outcome.step, summaries).text()
    if outcome.errors:
        return f"This was not looked up: {'; '.join(map(str, outcome.errors))}."
    return "The knowledge graph has nothing on this."


class _Sentence:
    """The sentence of an outcome, in parts."""

    def __init__(self, outcome: Outcome, step: PlanStep, earlier_summaries: set[str]) -> None:
        self._outcome = outcome
        self._step = step
        self._key = step.key
        self._earlier_summaries = earlier_summaries
        context = _RowContext(outcome, step)
        contexts: list[list[str]] = []  # without repetitions, a row stands for others, too
        if not step.distinct:
            contexts = [context.parts(row) for row in outcome.taken]
        self._shared_context = _shared_parts(contexts)
        self._own_contexts: list[list[str]] = []  # of each taken row, without the shared parts
        for parts in contexts:
            self._own_contexts.append([p for p in parts if p not in self._shared_context])

    def text(self) -> str:
        """The whole sentence, and those that qualify it."""
        outcome = self._outcome
        if outcome.errors and not outcome.values:
            subject = self._subject(many=False)
            return f"It is not known whether there is a {subject}: a call failed or came too late."
        parts = [self._known() if outcome.values else self._unknown()]
        if outcome.values and outcome.lacking and self._key:
            names = first_names(outcome.lacking)
            parts.append(f"The knowledge graph has no {self._key.spoken} for {names}.")
        for note in outcome.notes:
            parts.append(f"{note[:1].upper()}{note[1:]}.")
        if outcome.errors:
            parts.append("This may be incomplete: a call failed or came too late.")
        return " ".join(parts)

    def _known(self) -> str:
        if self._key is None and self._step.reduce is None:
            return self._whole_rows()
        is_span = self._key is not None and self._key.type is Type.SPAN
        many = len(self._outcome.values) > 1 and not is_span
        verb = "are" if many or self._has_plural_label() else "is"
        return f"The {self._subject(many=many)} {verb} {self._listed_values()}."

    def as_operand(self) -> str:
        """The subject and its value, as a part of another sentence."""
        return f"the {self._subject(many=False)} ({self._listed_values()})"

    def _has_plural_label(self) -> bool:
        """Whether the subject is a plural even for one value: "members"."""
        if self._key is None or self._step.reduce is Reduce.LEN:
            return False
        return is_plural(self._key.spoken)

    def _unknown(self) -> str:
        text = f"The knowledge graph has no {self._subject(many=False)}."
        summary = self._new_summary(self._outcome.rows[0]) if self._outcome.rows else ""
        return f"{text} {summary}" if summary else text

    def _new_summary(self, row: Row) -> str:
        """The summary of a row's entity; empty if an earlier sentence has it."""
        summary = _summary_of(row)
        if summary in self._earlier_summaries:
            return ""
        self._earlier_summaries.add(summary)
        return summary

    # --- the subject of the sentence

    def _subject(self, *, many: bool) -> str:
        """The label and its subject, with the rows in brackets: "release date of X (in 2024)"."""
        names = self._outcome.entities or self._outcome.requested
        subject = self._label(many=many)
        if names:
            subject += f" of {first_names(names)}"
        details = [
            *self._common_context(),
            _coverage(self._outcome.reduced_share),
            self._order(),
            _coverage(self._outcome.sorted_share),
            self._share(),
            *_conditions_in_words(self._step),
        ]
        details = [detail for detail in details if detail]
        if details:
            subject += f" ({', '.join(details)})"
        return subject

    def _label(self, *, many: bool) -> str:
        """What is read or aggregated: "highest close"."""
        label = self._key.spoken if self._key else self._step.function.row
        if self._step.distinct and (many or self._step.reduce is Reduce.LEN):
            label = f"different {label}"
        if self._step.function.any_key and label.endswith("ed"):
            label = f"date {label}"
        reduce = self._step.reduce
        if reduce is None:
            return plural_of(label) if many else label
        if reduce is Reduce.LEN:
            return label if label.startswith("number of") else f"number of {plural_of(label)}"
        english = REDUCTIONS[reduce].english
        if reduce is Reduce.MODE and many:
            label = plural_of(label)
        if self._key is not None and self._key.type in _DATE_TYPES:
            english = _EXTREMES_OF_DATES.get(reduce, english)
        return f"{english} {label.removeprefix(f'{english} ')}"

    def _other_arguments(self) -> list[str]:
        """The literal arguments that are not names, such as a day."""
        if not isinstance(self._step.source, FetchSource):
            return []
        texts = []
        parameters = self._step.function.parameters
        for parameter, argument in zip(parameters, self._step.source.arguments, strict=False):
            if parameter.is_name:
                continue
            values = argument.items if isinstance(argument, NameList) else (argument,)
            texts += [str(value) for value in values if isinstance(value, (str, int))]
        return texts

    def _common_context(self) -> list[str]:
        """The distinguishing values shared by all rows; for an aggregation of several rows, their
        range."""
        taken = self._outcome.taken
        if not taken:
            return self._other_arguments()
        if self._step.distinct:
            texts = self._other_arguments()
            return [text for text in texts if not self._is_named(text)]
        dates = sorted(str(row["date"]) for row in taken if row.get("date"))
        combines = self._step.reduce is not None and self._step.reduce is not Reduce.LEN
        if not combines or len(taken) == 1 or not dates:
            return self._shared_context
        first = dates[0]
        last = dates[-1]
        return [f"on {first}" if first == last else f"{first} to {last}"]

    def _is_named(self, text: str) -> bool:
        """Whether the names of the entities say `text`: "rank 1 of the Billboard chart"."""
        return any(find_run(words(text), words(name)) >= 0 for name in self._outcome.entities)

    def _order(self) -> str:
        key = self._step.sort
        if key is None:
            return ""
        if key.type in _DATE_TYPES:
            return "latest first" if self._step.descending else "earliest first"
        label = key.spoken.removeprefix("highest ").removeprefix("lowest ")
        return f"highest {label} first" if self._step.descending else f"lowest {label} first"

    def _share(self) -> str:
        """How many of the rows were taken, unless all were."""
        taken_count = len(self._outcome.taken)
        row_count = len(self._outcome.rows)
        return f"{taken_count} of {row_count}" if 0 < taken_count < row_count else ""

    # --- the values

    def _listed_values(self) -> str:
        outcome = self._outcome
        key = self._key
        if self._step.reduce is Reduce.LEN:
            return key_value_text(outcome.values[0], None)
        if self._step.reduce is Reduce.MODE:
            return self._most_frequent()
        if self._step.reduce is not None:
            return f"{key_value_text(outcome.values[0], key)}{self._holders()}"
        if key and key.type is Type.SPAN:
            return " and ".join(span_text(row.get(key.name)) for row in outcome.taken)
        texts: list[str] = []
        has_contexts = len(outcome.taken) > 1 and not self._step.distinct
        if has_contexts and key and key.type is not Type.LIST:
            texts = self._values_in_context(key)
        if not texts:
            texts = [key_value_text(value, key) for value in outcome.values]
        counted = []
        for text, count in Counter(texts).items():
            counted.append(f"{text} ({count} times)" if count > 1 else text)
        if len(counted) > SHOWN:
            return f"{', '.join(counted[:SHOWN])} ({SHOWN} of {len(counted)})"
        return joined(counted)

    def _most_frequent(self) -> str:
        """The most frequent values, and how often each occurs."""
        mode = self._outcome.values
        count = 0
        for row in self._outcome.taken:
            members = values_in_row(row, self._key)
            count += sum(compare(member, mode[0]) == 0 for member in members)
        names = joined([key_value_text(value, self._key) for value in mode])
        times = f"{count} times" if count > 1 else "once"
        return f"{names} ({times}{' each' if len(mode) > 1 else ''})"

    def _values_in_context(self, key: Key) -> list[str]:
        """Each value with what distinguishes its row."""
        texts = []
        for row, context in zip(self._outcome.taken, self._own_contexts, strict=True):
            text = ", ".join(key_value_text(value, key) for value in values_in_row(row, key))
            if not text:
                continue
            details = ", ".join(part for part in context if part != text)
            texts.append(f"{text} ({details})" if details else text)
        return texts

    def _holders(self) -> str:
        """The rows with the minimum or maximum."""
        if self._key is None or self._step.reduce not in (Reduce.MIN, Reduce.MAX):
            return ""
        if self._step.distinct:
            return ""
        extreme = self._outcome.values[0]
        holders = []
        for row, context in zip(self._outcome.taken, self._own_contexts, strict=True):
            if context and compare(row.get(self._key.name), extreme) == 0:
                holders.append(", ".join(context))
        return f" ({first_names(holders)})" if holders else ""

    def _whole_rows(self) -> str:
        """Whole rows, each as its keys."""
        taken = self._outcome.taken
        texts = []
        for row in taken[:SHOWN]:
            summary = self._new_summary(row)
            text = _whole_row(row, self._step)
            texts.append(f"{text} {summary}" if summary else text)
        head = first_names(self._outcome.entities)
        share = self._share()
        if share:
            head += f" ({share})"
        if len(texts) == 1:
            end = "" if texts[0].endswith((".", "…")) else "."
            return f"{head}: {texts[0]}{end}"
        lines = "; ".join(f"({number}) {text}" for number, text in enumerate(texts, 1))
        others = len(taken) - len(texts)
        if others:
            lines += f" and {others} more"
        return f"{head}: {lines}."


def _calculation_sentence(outcome: Outcome, op: Arithmetic) -> str:
    """The result of a calculation, with the values that it is made of."""
    parts = []
    if outcome.values:
        text = f"{_calculation_text(outcome, op)} is {_result_text(outcome, op)}."
        start = 1 if text.startswith("(") else 0
        parts.append(f"{text[:start]}{text[start].upper()}{text[start + 1 :]}")
    else:
        reasons = _missing_operands(outcome)
        if not reasons:
            reasons = [f"There is no result of {_calculation_text(outcome, op)}."]
        parts += ["Nothing could be calculated.", *dict.fromkeys(reasons)]
    for note in outcome.notes:
        parts.append(f"{note[:1].upper()}{note[1:]}.")
    if outcome.errors:
        parts.append("This may be incomplete: a call failed or came too late.")
    return " ".join(parts)


def _calculation_text(outcome: Outcome, op: Arithmetic) -> str:
    left, right = map(_operand_text, outcome.operands)
    if outcome.values and isinstance(outcome.values[0], str):
        return f"the time between {left} and {right}"
    return f"{left} {CALCULATIONS[op].english} {right}"


def _result_text(outcome: Outcome, op: Arithmetic) -> str:
    """The result with its unit; a ratio also as a percentage."""
    value = outcome.values[0]
    if op is Arithmetic.RATIO:
        return ratio_text(value)
    return key_value_text(value, outcome.step.key if outcome.step else None)


def _operand_text(operand: Operand) -> str:
    """What a side of a calculation is, with its value."""
    if not isinstance(operand, Outcome):
        return str(operand)
    step = operand.step
    if step is None:
        return "an unknown value"
    if isinstance(step.source, CalculationSource):
        return f"({_calculation_text(operand, step.source.op)})"
    return _Sentence(operand, step, set()).as_operand()


def _missing_operands(outcome: Outcome) -> list[str]:
    """The sentences of the sides of a calculation that have no value, or several."""
    texts = []
    for operand in outcome.operands:
        if not isinstance(operand, Outcome):
            continue
        if len(operand.values) == 1 and not isinstance(operand.values[0], dict):
            continue
        texts += _missing_operands(operand) if operand.operands else [sentence(operand)]
        if len(operand.values) > 1:
            texts.append("A calculation needs one value on each side.")
    return texts


class _RowContext:
    """What distinguishes a row of an outcome from others, without what the sentence states
    anyway."""

    def __init__(self, outcome: Outcome, step: PlanStep) -> None:
        self._entities = outcome.entities
        self._step = step
        self._keys = {key.name: key for key in step.function.keys}
        self._stated_names = {tuple(words(name)) for name in outcome.entities}
        self._fixed_keys = set()  # by the conditions
        for condition in step.where:
            if condition.op is Op.EQ and not isinstance(condition.value, Column):
                self._fixed_keys.add(condition.key.name)
        self._templates = []
        for template in step.function.about:
            names = [name for _, name, _, _ in Formatter().parse(template) if name]
            reads_key = step.key is not None and step.key.name in names
            if not reads_key and not self._fixed_keys.issuperset(names):
                self._templates.append((template, names))

    def parts(self, row: Row) -> list[str]:
        """The entity of a row, and its distinguishing values."""
        parts = []
        stated_names = self._stated_names
        if OF in row:
            entity = str(row[OF])
            stated_names = {*stated_names, tuple(words(entity))}
            if not self._reads_the_name():
                parts.append(entity)
        for template, names in self._templates:
            values = {name: row.get(name) for name in names}
            if any(value in (None, "", []) for value in values.values()):
                continue
            if all(tuple(words(str(value))) in stated_names for value in values.values()):
                continue
            texts = {}
            for name, value in values.items():
                texts[name] = key_value_text(value, self._keys.get(name))
            part = template.format(**texts)
            if not any(part in name for name in self._entities):
                parts.append(part)
        return parts

    def _reads_the_name(self) -> bool:
        """Whether the value that is read is the entity's name."""
        function = self._step.function
        key = self._step.key
        return function.gives is not None and key is not None and key.name == function.keys[0].name


def _coverage(share: Share | None) -> str:
    """How many of the rows an order or an aggregation is over; empty for all of them."""
    if share is None or not share.is_partial:
        return ""
    if share.known == 0:
        return f"which none of {share.total} has"
    return f"over {share.known} of {share.total} that have one"


def _shared_parts(contexts: Sequence[Sequence[str]]) -> list[str]:
    """The parts that all contexts have, in the order of the first."""
    if not contexts:
        return []
    shared = []
    for part in contexts[0]:
        if all(part in parts for parts in contexts):
            shared.append(part)
    return shared


def _whole_row(row: Row, step: PlanStep) -> str:
    """A row as its keys but the summary: those of the schema in order, then any others."""
    texts = []
    for key in _keys_of_row(row, step.function):
        values = values_in_row(row, key)
        if not values or key.name in ("summary_text", OF):
            continue
        if key.type is Type.SPAN:
            text = span_text(row[key.name])
        else:
            text = ", ".join(key_value_text(value, key) for value in values[:_MOST_MEMBERS])
        if len(values) > _MOST_MEMBERS:
            text += f" ({_MOST_MEMBERS} of {len(values)})"
        texts.append(f"{key.spoken} {text}")
    return "; ".join(texts[:_MOST_KEYS])


def _keys_of_row(row: Row, function: Function) -> list[Key]:
    """The keys of a row that are shown."""
    keys = {key.name: key for key in function.keys if not key.hidden}
    if function.any_key:
        for name in row:
            if name not in keys:
                keys[name] = Key(name, unit=unit_of(name), label=label_of(name))
    return list(keys.values())


def _summary_of(row: Row) -> str:
    """The first sentences of an entity's summary; empty if it has none."""
    text = str(row.get("summary_text") or "")
    if not text:
        return ""
    if len(text) > _SUMMARY_LENGTH:
        text = _first_sentences(text[:_SUMMARY_LENGTH])
    return f"Its summary says: {text}"


def _first_sentences(text: str) -> str:
    """The whole sentences of a text that was cut; the text if its first one was."""
    end = text.rfind(". ")
    return text[: end + 1] if end > 0 else f"{text}…"


def _conditions_in_words(step: PlanStep) -> list[str]:
    """What the rows satisfy, for brackets: "where the job is Director and the year is 2001",
    "won"."""
    outcomes = []
    clauses = []
    for condition in step.where:
        is_literal = isinstance(condition.value, (str, int, float))
        if condition.key.type is Type.FLAG and condition.op is Op.EQ and is_literal:
            outcomes.append(_condition_value_in_words(condition, step.function))
        else:
            clauses.append(_condition_in_words(condition, step.function))
    if clauses:
        return [f"where {' and '.join(clauses)}", *outcomes]
    return outcomes


def _condition_in_words(condition: Filter, function: Function) -> str:
    if condition.value is None:
        adjective = "known" if condition.op is Op.NE else "unknown"
        return f"the {condition.key.spoken} is {adjective}"
    english = COMPARISONS[condition.op].english
    if condition.key.type in _DATE_TYPES:
        english = _COMPARISONS_OF_DATES.get(condition.op, english)
    return f"the {condition.key.spoken} {english} {_condition_value_in_words(condition, function)}"


def _condition_value_in_words(condition: Filter, function: Function) -> str:
    value: Any = condition.value
    if isinstance(value, Column):
        names = [key.spoken for key in function.keys if key.name == value.key]
        return f"the {names[0] if names else value.key.replace('_', ' ')}"
    if isinstance(value, PlannedValues):
        return "that"
    if condition.key.codes:
        return name_of(condition.key.codes, str(value))
    if isinstance(value, str):
        return value
    return key_value_text(value, condition.key)
