"""Prompts of pairs, and samples as a trainer reads them: token ids, labels on the answer alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from models.batch_input import read_query_time
from models.kg.language.grammar import constraint_text
from models.llm.chat import Chat
from models.llm.protocol import Constraint, ConstraintKind, Message, Prompt
from models.llm.special_tokens import Neutraliser
from models.records import Domain, Question, Task
from models.runtime.request import PASSAGES
from models.subtasks.kg_text.programs import QUERY_TOKENS, TEMPERATURE
from models.subtasks.kg_text.query_prompt import load_examples, query_prompt
from training.recipe import Recipe
from training.records import Pair, Sample, Turns, turns_of
from utils.progress import shown

IGNORED = -100  # the label of a token on which there is no loss


@dataclass(frozen=True, slots=True)
class Encoded:
    """One sample's tokens; a label is its token, or `IGNORED` in the prompt."""

    ids: tuple[int, ...]
    labels: tuple[int, ...]

    @property
    def answer_tokens(self) -> int:
        """The number of tokens with a loss."""
        return sum(label != IGNORED for label in self.labels)


def pair_prompt(pair: Pair, recipe: Recipe) -> tuple[Message, ...]:
    """The prompt for a pair's question, made by the function that makes it for db3's `write_query`.

    An example that is the question itself is not shown.
    """
    question = Question(pair.id, pair.question, read_query_time(pair.query_time), Task.KG_WEB)
    template, values, passages = query_prompt(
        question,
        Domain(pair.domain),
        form=recipe.query_prompt,
        examples=[example for example in load_examples() if example.question != pair.question],
        keep=recipe.examples,
    )
    if PASSAGES in template.fields:
        values[PASSAGES] = "\n\n".join(passages)
    return template.render(values)


def samples_of(pairs: Iterable[Pair], recipe: Recipe) -> list[Sample]:
    """The training samples of pairs."""
    return [
        Sample(pair.id, turns_of(pair_prompt(pair, recipe)), pair.program, pair.source)
        for pair in pairs
    ]


def query_prompts(
    pairs: Sequence[Pair],
    recipe: Recipe,
    adapter: str | None,
    *,
    max_tokens: int = QUERY_TOKENS,
    constrained: bool = True,
    copied: bool = False,
    samples: int = 1,
) -> list[Prompt]:
    """The prompts for the programs of `pairs`; `constrained` by the grammar of the language.

    `copied`: arguments are words of the question. Of several `samples`, all are drawn.
    """
    prompts = []
    for pair in pairs:
        constraint = None
        if constrained:
            text = constraint_text(copied_from=pair.question if copied else None)
            constraint = Constraint(ConstraintKind.GRAMMAR, text)
        messages = pair_prompt(pair, recipe)
        prompt = Prompt(
            messages,
            adapter,
            max_tokens=max_tokens,
            n=samples,
            temperature=TEMPERATURE if samples > 1 else 0.0,
            constraint=constraint,
        )
        prompts.append(prompt)
    return prompts


def encode(sample: Sample, chat: Chat) -> Encoded:
    """The tokens of the prompt as the running engine reads it, then the answer and the end of the
    turn; only these two have labels."""
    tokenizer = chat.tokenizer
    prompt = chat.ids(Prompt(sample.messages))
    text = Neutraliser(chat.special)(sample.answer)  # as in the prompt: it cannot end the turn
    answer = [*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
    return Encoded((*prompt, *answer), (*[IGNORED] * len(prompt), *answer))


def neutral_turns(turns: Turns, chat: Chat) -> list[dict[str, str]]:
    """A conversation as TRL takes it; its texts open no turn."""
    neutralise = Neutraliser(chat.special)
    return [{"role": role, "content": neutralise(text)} for role, text in turns]


def fits(sample: Sample, chat: Chat, max_tokens: int) -> bool:
    """Whether a prompt and its answer have at most `max_tokens` tokens."""
    return len(encode(sample, chat).ids) <= max_tokens


def encode_all(samples: Sequence[Sample], chat: Chat, max_tokens: int) -> list[Encoded]:
    """The samples that fit `max_tokens`."""
    fitting = []
    for sample in shown(samples, "prompts", len(samples)):
        encoded = encode(sample, chat)
        if len(encoded.ids) <= max_tokens:
            fitting.append(encoded)
    return fitting
