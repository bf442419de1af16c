"""Pairs in an LLM's words, kept only if the question leads back to the same result.

The writer is shown the paraphrase alone, as the running system would show it; the program that it
writes must return exactly what the pair's own program returns.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from models.llm.cache import Calls
from models.llm.factory import LLMs
from models.llm.protocol import Prompt
from models.settings import Settings
from training.encode import query_prompts
from training.engines import SECONDS, remembering
from training.kg import Kg
from training.prompts import prompt
from training.queries.intents import held_out
from training.recipe import Recipe, read_recipe
from training.records import Pair
from utils.deadline import Deadline

PARAPHRASE, WRITE = "paraphrase", "write_query"  # subtasks, for the settings
_MARK = re.compile(r"^\s*(?:[-*\u2022]|\(?\d{1,2}[.):])\s*")
_TOKENS = 200


@dataclass
class Paraphraser:
    """Words a batch of pairs anew, `count` times each at most.

    The engine of `paraphrase` words them, that of `write_query` leads them back.
    """

    llms: LLMs
    recipe: Recipe
    kg: Kg
    count: int = 3

    def __call__(self, pairs: Sequence[Pair]) -> list[tuple[Pair, bool]]:
        """New pairs, and whether each leads back to its result."""
        offered = self._offered(pairs)
        llm, adapter = self.llms.of(WRITE)
        prompts = query_prompts(offered, self.recipe, adapter)
        wrote = llm.generate(prompts, deadline=Deadline.after(SECONDS))
        return [
            (pair, said.finished and self.kg.same(said.text, pair.program, pair.query_time))
            for pair, said in zip(offered, wrote, strict=True)
        ]

    def _offered(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Pairs in new questions; those in a held-out wording are left out."""
        llm, adapter = self.llms.of(PARAPHRASE)
        template = prompt("paraphrase")
        prompts = [
            Prompt(template.render({"question": p.question, "count": str(self.count)}), adapter,
                   max_tokens=_TOKENS)
            for p in pairs
        ]  # fmt: skip
        said = llm.generate(prompts, deadline=Deadline.after(SECONDS))
        offered = []
        for pair, completion in zip(pairs, said, strict=True):
            new = replace(pair, source="paraphrase", intent=pair.id)
            lines = [_MARK.sub("", line).strip(" \"'") for line in completion.text.splitlines()]
            questions = [line for line in lines if line][: self.count]
            offered += [
                replace(new, id=f"{pair.id}-{number}", question=question)
                for number, question in enumerate(questions, start=1)
                if not held_out(question)
            ]
        return offered


def make_paraphraser(calls: Calls, settings: Settings, kg: Path, count: int) -> Paraphraser:
    """Over the KG at `kg`, with the engines of `settings`."""
    llms = remembering(settings, calls)
    return Paraphraser(llms, read_recipe(WRITE), Kg(kg), count)


def distinct(pairs: Sequence[Pair], offered: Iterable[tuple[Pair, bool]]) -> tuple[list[Pair], int]:
    """The new pairs whose paraphrase leads back to the same result, and the number of new
    questions. A repeated question, or one of `pairs`, is ignored."""
    asked = {pair.question for pair in pairs}
    new: dict[str, tuple[Pair, bool]] = {}
    for pair, good in offered:
        if pair.question not in asked:
            new.setdefault(pair.question, (pair, good))
    return [pair for pair, good in new.values() if good], len(new)
