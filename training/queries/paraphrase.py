"""Pairs in an LLM's words, kept only if the question leads back to the same result.

The writer is shown the paraphrase alone, as the running system would show it; the program that it
writes must return exactly what the pair's own program returns.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from models.llm.factory import LLMs
from models.llm.protocol import Prompt
from training.encode import query_prompts
from training.engines import generate
from training.kg import Checker
from training.prompts import prompt
from training.queries.intents import held_out
from training.recipe import Recipe
from training.records import Pair

PARAPHRASE, WRITE = "paraphrase", "write_query"  # subtasks, for the settings
_MARK = re.compile(r"^\s*(?:[-*\u2022]|\(?\d{1,2}[.):])\s*")
_TOKENS = 200


def paraphrase(
    pairs: Sequence[Pair], llms: LLMs, recipe: Recipe, checker: Checker, *, count: int = 3
) -> tuple[list[Pair], int]:
    """Up to `count` further pairs a pair, and how many questions were offered for them.

    The engine of `paraphrase` words them, that of `write_query` leads them back. A question in a
    held-out wording is left out.
    """
    offered = _offered(pairs, llms, count)
    writer, adapter = llms.of(WRITE)
    wrote = generate(writer, query_prompts(offered, recipe, adapter), "programs")
    kept = [
        pair
        for pair, completion in zip(offered, wrote, strict=True)
        if completion.finished and checker.same(completion.text, pair.program, pair.query_time)
    ]
    return kept, len(offered)


def _offered(pairs: Sequence[Pair], llms: LLMs, count: int) -> list[Pair]:
    llm, adapter = llms.of(PARAPHRASE)
    template = prompt("paraphrase")
    prompts = [
        Prompt(template.render({"question": p.question, "count": str(count)}), adapter,
               max_tokens=_TOKENS)
        for p in pairs
    ]  # fmt: skip
    asked = {pair.question for pair in pairs}
    offered = []
    for pair, completion in zip(pairs, generate(llm, prompts, "paraphrases"), strict=True):
        lines = [_MARK.sub("", line).strip(" \"'") for line in completion.text.splitlines()]
        for number, line in enumerate([line for line in lines if line][:count], start=1):
            if line not in asked and not held_out(line):
                asked.add(line)
                id = f"{pair.id}-{number}"
                new = replace(pair, id=id, question=line, source="paraphrase", intent=pair.id)
                offered.append(new)
    return offered
