"""The prompt that asks a model for a program of the query language (db3, section 3.2).

One function makes it, for the running system and for the data that its adapter is tuned on, so that
an adapter is asked just as it was taught.
"""

from collections.abc import Sequence
from enum import StrEnum

from models.kg.language.schema import schema_text
from models.prompts import Template, load_prompt
from models.records import Domain, Question
from models.subtasks.kg_text.examples import Example, most_alike


class QueryForm(StrEnum):
    """How much the prompt tells.

    `full`: schema, rules and examples, for any model, and for adapters tuned with them. `short`:
    the question alone, a tenth of the tokens, for adapters that learnt the language.
    """

    FULL = "full"
    SHORT = "short"


_WITHOUT_DOMAIN = 12  # examples, where the domain is not known
_PROMPTS = {QueryForm.FULL: "db3/write_query", QueryForm.SHORT: "db3/write_query_short"}


def query_prompt(
    question: Question,
    domain: Domain | None,
    *,
    form: QueryForm = QueryForm.FULL,
    examples: Sequence[Example] = (),
    keep: int = 0,
) -> tuple[Template, dict[str, str], list[str]]:
    """The template, the values of its places, and the examples for the place `{passages}`, those
    first that matter most where not all fit the model's context.

    Args:
        question: with its own time.
        domain: whose part of the schema, and of `examples`, is shown; None: all.
        form: how much is told.
        examples: pairs to show.
        keep: how many of them, those most like the question; 0: all of the domain's, in one order,
            so that the prompts of a domain begin alike and share a server's prefix cache.
    """
    values = {"question": question.text, "query_time": question.asked_when}
    if form is QueryForm.SHORT:
        return load_prompt(_PROMPTS[form]), values, []
    values["schema"] = schema_text(domain)
    shown = [example for example in examples if example.domain is domain]
    if keep or domain is None:
        shown = most_alike(question.text, domain, examples, keep or _WITHOUT_DOMAIN)
    return load_prompt(_PROMPTS[form]), values, [str(example) for example in shown]
