"""The prompt for a program of the query language (db3, section 3.2).

The running system and the training data of its adapter use the same function, so that an adapter
sees the prompt it was trained with.
"""

from collections.abc import Sequence
from enum import StrEnum

from models.kg.language.schema import schema_text
from models.prompts import Template, load_prompt
from models.records import Domain, Question
from models.subtasks.kg_text.examples import FewShotExample, most_alike


class QueryForm(StrEnum):
    """How much the prompt contains.

    `full`: schema, rules and examples, for any model, and for adapters trained with them. `short`:
    the question only, a tenth of the tokens, for adapters that have learned the language.
    """

    FULL = "full"
    SHORT = "short"


_WITHOUT_DOMAIN = 12  # examples, if the domain is unknown
_PROMPTS = {QueryForm.FULL: "db3/write_query", QueryForm.SHORT: "db3/write_query_short"}


def query_prompt(
    question: Question,
    domain: Domain | None,
    *,
    form: QueryForm = QueryForm.FULL,
    examples: Sequence[FewShotExample] = (),
    keep: int = 0,
) -> tuple[Template, dict[str, str], list[str]]:
    """The template, its values, and the examples for `{passages}`, the most important first in case
    not all fit the model's context.

    Args:
        question: with its own time.
        domain: whose part of the schema, and of `examples`, is shown; None: all.
        form: how much the prompt contains.
        examples: pairs to show.
        keep: how many of them, the most similar ones; 0: all of the domain, in a fixed order, so
            that the prompts of a domain share a server's prefix cache.
    """
    values = question.values
    if form == QueryForm.SHORT:
        return load_prompt(_PROMPTS[form]), values, []
    values["schema"] = schema_text(domain)
    shown = [example for example in examples if example.domain is domain]
    if keep or domain is None:
        shown = most_alike(question.text, domain, examples, keep or _WITHOUT_DOMAIN)
    return load_prompt(_PROMPTS[form]), values, [str(example) for example in shown]
