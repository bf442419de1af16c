"""Pairs in an LLM's words, kept only if the question leads back to the same result.

The writer is shown the paraphrase alone, as the running system would show it; the program that it
writes must return exactly what the pair's own program returns.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from models.llm.cache import Calls
from models.llm.llms import LLMs
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

PARAPHRASE = "paraphrase"  # subtasks, for the settings
WRITE = "write_query"
_LIST_MARK = re.compile(r"^\s*(?:[-*\u2022]|\(?\d{1,2}[.):])\s*")
_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A pair in new words, and whether its question leads back to the pair's result."""

    pair: Pair
    leads_back: bool


@dataclass
class Paraphraser:
    """Words a batch of pairs anew, `count` times each at most.

    The engine of `paraphrase` words them, that of `write_query` leads them back.
    """

    llms: LLMs
    recipe: Recipe
    kg: Kg
    count: int = 3

    def __call__(self, pairs: Sequence[Pair]) -> list[Paraphrase]:
        """The pairs in new words."""
        reworded = self._reworded(pairs)
        llm, adapter = self.llms.of(WRITE)
        prompts = query_prompts(reworded, self.recipe, adapter)
        completions = llm.generate(prompts, deadline=Deadline.after(SECONDS))
        paraphrases = []
        for pair, completion in zip(reworded, completions, strict=True):
            leads_back = completion.finished and self.kg.same(
                completion.text, pair.program, pair.query_time
            )
            paraphrases.append(Paraphrase(pair, leads_back))
        return paraphrases

    def _reworded(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Pairs with new questions; questions in a held-out wording are left out."""
        llm, adapter = self.llms.of(PARAPHRASE)
        template = prompt("paraphrase")
        prompts = []
        for pair in pairs:
            messages = template.render({"question": pair.question, "count": str(self.count)})
            prompts.append(Prompt(messages, adapter, max_tokens=_TOKENS))
        completions = llm.generate(prompts, deadline=Deadline.after(SECONDS))
        reworded = []
        for pair, completion in zip(pairs, completions, strict=True):
            template_pair = replace(pair, source="paraphrase", intent=pair.id)
            questions = _listed_questions(completion.text)[: self.count]
            for number, question in enumerate(questions, start=1):
                if not held_out(question):
                    id = f"{pair.id}-{number}"
                    reworded.append(replace(template_pair, id=id, question=question))
        return reworded


def _listed_questions(text: str) -> list[str]:
    """The questions of a reply, one a line, without the marks of a list."""
    lines = [_LIST_MARK.sub("", line).strip(" \"'") for line in text.splitlines()]
    return [line for line in lines if line]


def make_paraphraser(calls: Calls, settings: Settings, kg: Path, count: int) -> Paraphraser:
    """A paraphraser over the KG at `kg`, with the engines of `settings`."""
    llms = remembering(settings, calls, [WRITE, PARAPHRASE])
    return Paraphraser(llms, read_recipe(WRITE), Kg(kg), count)


def distinct(pairs: Sequence[Pair], paraphrases: Iterable[Paraphrase]) -> tuple[list[Pair], int]:
    """The new pairs that lead back to the same result, and the number of new questions.

    A repeated question, or one of `pairs`, is ignored.
    """
    known_questions = {pair.question for pair in pairs}
    first_by_question: dict[str, Paraphrase] = {}
    for paraphrase in paraphrases:
        question = paraphrase.pair.question
        if question not in known_questions:
            first_by_question.setdefault(question, paraphrase)
    good = [each.pair for each in first_by_question.values() if each.leads_back]
    return good, len(first_by_question)
