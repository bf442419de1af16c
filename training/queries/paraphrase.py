"""Pairs asked in an LLM's words, kept only where the question leads back to what it asked for.

The writer is shown the paraphrase alone, as the running system would show it; the program that it
writes must return just what the pair's own program returns.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.kg.language.grammar import constraint_text
from models.llm.factory import LLMs
from models.llm.protocol import Constraint, ConstraintKind, Prompt
from models.subtasks.kg_text.examples import load_examples
from training.encode import pair_prompt
from training.evaluate import Show, generate
from training.prompts import prompt
from training.queries.check import Checker
from training.queries.intents import held_out
from training.recipe import Recipe
from training.records import Pair

PARAPHRASE, WRITE = "paraphrase", "write_query"  # subtasks, for the settings
_MARK = re.compile(r"^\s*(?:[-*\u2022]|\(?\d{1,2}[.):])\s*")
_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Paraphrased:
    """The pairs that were kept, and how many questions were offered for them."""

    pairs: list[Pair]
    offered: int


def paraphrase(
    pairs: Sequence[Pair],
    llms: LLMs,
    recipe: Recipe,
    checker: Checker,
    show: Show,
    *,
    count: int = 3,
) -> Paraphrased:
    """Up to `count` further pairs a pair, in the words of the engine of `paraphrase`, each led back
    by the engine of `write_query`. One that has a held-out wording is none."""
    offered = list(_offered(pairs, llms, count, show))
    grammar = Constraint(ConstraintKind.GRAMMAR, constraint_text())
    writer, adapter = llms.of(WRITE)
    examples = load_examples()
    prompts = [
        Prompt(pair_prompt(pair, recipe, examples), adapter, max_tokens=160, constraint=grammar)
        for pair in offered
    ]
    wrote = generate(writer, prompts, show)
    kept = [
        pair
        for pair, completion in zip(offered, wrote, strict=True)
        if completion.finished and checker.same(completion.text, pair.program, pair.query_time)
    ]
    return Paraphrased(kept, len(offered))


def _offered(pairs: Sequence[Pair], llms: LLMs, count: int, show: Show) -> list[Pair]:
    llm, adapter = llms.of(PARAPHRASE)
    template = prompt("paraphrase")
    prompts = [
        Prompt(template.render({"question": p.question, "count": str(count)}), adapter,
               max_tokens=_TOKENS)
        for p in pairs
    ]  # fmt: skip
    asked = {pair.question for pair in pairs}
    offered = []
    for pair, completion in zip(pairs, generate(llm, prompts, show), strict=True):
        lines = [_MARK.sub("", line).strip(" \"'") for line in completion.text.splitlines()]
        for number, line in enumerate([line for line in lines if line][:count], start=1):
            if line not in asked and not held_out(line):
                asked.add(line)
                offered.append(
                    replace(
                        pair,
                        id=f"{pair.id}-{number}",
                        question=line,
                        source="paraphrase",
                        intent=pair.id,
                    )
                )
    return offered
