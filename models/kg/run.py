"""Run a look-up over the KG API: link the thing, fetch what is asked of it, read it."""

from dataclasses import dataclass
from datetime import datetime

from models.kg.linking import Asked, Client
from models.kg.open_facts import open_fact
from models.kg.schema import Attribute
from utils.deadline import Deadline
from utils.errors import ApiGarbage


@dataclass(frozen=True, slots=True)
class Lookup:
    """One attribute of the one thing that `text` names; None: of an entity of the open domain.

    `filler` are the words of `text` that ask for the attribute and name nothing.
    """

    attribute: Attribute | None
    text: str
    filler: frozenset[str] = frozenset()

    def __str__(self) -> str:
        name = f"{self.attribute.domain}.{self.attribute.name}" if self.attribute else "open"
        return f"{name}({self.text!r})"


@dataclass(frozen=True, slots=True)
class Fact:
    """What the KG says: `value` of `attribute` of `entity`."""

    entity: str
    attribute: str
    value: str

    def __str__(self) -> str:
        return f"{self.entity}: {self.attribute} is {self.value}"


def run(lookup: Lookup, client: Client, now: datetime | None, deadline: Deadline) -> list[Fact]:
    """The facts that answer `lookup`, seen from `now`, the question's time; none where the KG
    does not know.

    Raises:
        ApiError: a call failed, or gave a record of a form that the API does not promise.
        DeadlineExceeded: no time was left for a call.
    """
    try:
        return _run(lookup, client, now, deadline)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # the records come from outside: one of the wrong shape is the API's failure, like no reply
        raise ApiGarbage(f"{lookup}: a record has an unexpected form: {error!r}") from error


def _run(
    lookup: Lookup, client: Client, now: datetime | None, deadline: Deadline
) -> list[Fact]:
    if lookup.attribute is None:
        found = open_fact(lookup.text, client, deadline)
        return [Fact(*found)] if found else []
    attribute = lookup.attribute
    facts = []
    for linked in attribute.link(Asked(lookup.text, now, lookup.filler), client, deadline):
        record = linked.record
        if attribute.endpoint:
            query = record if isinstance(record, int) else linked.name
            record = client.call(attribute.endpoint, deadline=deadline, query=query)
        value = attribute.read(record) if record is not None else None
        if value is not None:
            facts.append(Fact(linked.name, attribute.name, value))
    return facts
