"""Predicts a question's attributes by an LLM with examples and several samples.

electricsheep §4.2: in-context learning with five demonstrations, and self-consistency: the category
that most samples name.
"""

from collections import Counter
from collections.abc import Sequence

from models.llm.protocol import Completion, Constraint, ConstraintKind
from models.prompts import load_prompt
from models.records import Domain
from models.runtime.rounds import Request

DOMAIN, DYNAMIC = "predict_domain", "predict_dynamic"  # the subtasks
STATIC_WORD, DYNAMIC_WORD = "static", "dynamic"
_CHOICES = {
    DOMAIN: tuple(str(domain) for domain in Domain),
    # in a tie the first one wins: a refusal costs less than a wrong answer
    DYNAMIC: (DYNAMIC_WORD, STATIC_WORD),
}
_MAX_TOKENS = 8


def requests(
    index: int, text: str, *, samples: int, temperature: float, seed: int | None
) -> list[Request]:
    """The two prompts of one question: its domain, and whether it is dynamic."""
    return [
        Request(
            index,
            subtask,
            load_prompt(f"electricsheep/{subtask}"),
            {"question": text},
            max_tokens=_MAX_TOKENS,
            temperature=temperature if samples > 1 else 0.0,
            n=samples,
            seed=seed,
            constraint=Constraint(ConstraintKind.CHOICE, "\n".join(choices)),
        )
        for subtask, choices in _CHOICES.items()
    ]


def domain_of(completion: Completion) -> Domain | None:
    """The domain that most samples name; None if no sample names one."""
    word = _winner(completion, _CHOICES[DOMAIN])
    return Domain(word) if word else None


def dynamic_of(completion: Completion) -> bool | None:
    """Whether most samples call the question dynamic; None if no sample is readable."""
    word = _winner(completion, _CHOICES[DYNAMIC])
    return None if word is None else word == DYNAMIC_WORD


def _winner(completion: Completion, choices: Sequence[str]) -> str | None:
    words = [s.text.strip().lower() for s in completion.samples if s.finished]
    votes = Counter(word for word in words if word in choices)
    return max(choices, key=lambda choice: votes[choice]) if votes else None
