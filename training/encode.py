"""Samples as a trainer reads them: token ids, and labels on the answer alone."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from models.batch import read_query_time
from models.llm.chat import Chat
from models.llm.protocol import Message, Prompt
from models.llm.special_tokens import Neutraliser
from models.records import Domain, Question, Task
from models.runtime.rounds import PASSAGES
from models.subtasks.kg_text.examples import Example, load_examples
from models.subtasks.kg_text.query_prompt import QueryForm, query_prompt
from training.recipe import Recipe
from training.records import Pair, Sample

IGNORED = -100  # the label of a token on which there is no loss


@dataclass(frozen=True, slots=True)
class Encoded:
    """One sample's tokens; a label is its token, or `IGNORED` in the prompt."""

    ids: tuple[int, ...]
    labels: tuple[int, ...]


def pair_prompt(pair: Pair, recipe: Recipe, examples: Sequence[Example]) -> tuple[Message, ...]:
    """The turns that db3 asks `write_query` for a pair's question, by the function that asks it.

    An example that is the question itself is not shown.
    """
    others = [example for example in examples if example.question != pair.question]
    template, values, shown = query_prompt(
        Question(pair.id, pair.question, read_query_time(pair.query_time), Task.KG_WEB),
        Domain(pair.domain),
        form=QueryForm(recipe.query_prompt),
        examples=others,
        keep=recipe.examples,
    )
    if PASSAGES in template.fields:
        values[PASSAGES] = "\n\n".join(shown)
    return template.render(values)


def samples_of(pairs: Iterable[Pair], recipe: Recipe) -> list[Sample]:
    """What there is to be learnt of pairs."""
    examples = load_examples()
    return [
        Sample(
            pair.id,
            tuple((turn.role, turn.text) for turn in pair_prompt(pair, recipe, examples)),
            pair.program,
            pair.source,
        )
        for pair in pairs
    ]


def encode(sample: Sample, chat: Chat) -> Encoded:
    """The tokens of the prompt as the running engine reads it, then of the answer and of the end of
    the turn; only these have labels."""
    messages = tuple(Message(role, text) for role, text in sample.turns)  # type: ignore[arg-type]
    prompt = chat.ids(Prompt(messages))
    tokenizer = chat.tokenizer
    plain = Neutraliser(chat.special)(sample.answer)  # as in the prompt: none ends the turn
    answer = tokenizer(plain, add_special_tokens=False)["input_ids"]
    answer = [*answer, tokenizer.eos_token_id]
    return Encoded((*prompt, *answer), (*[IGNORED] * len(prompt), *answer))


def encode_all(
    samples: Sequence[Sample], chat: Chat, max_tokens: int, show: Callable[[int], None]
) -> tuple[list[Encoded], int]:
    """The samples that fit `max_tokens`, and how many did not."""
    made = []
    for number, sample in enumerate(samples, start=1):
        made.append(encode(sample, chat))
        show(number)
    fitting = [one for one in made if len(one.ids) <= max_tokens]
    return fitting, len(made) - len(fitting)
