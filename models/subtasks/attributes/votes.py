"""Predicts a question's attributes by an LLM with examples and several samples.

electricsheep §4.2: in-context learning with five demonstrations, and self-consistency: the category
that most samples name.
"""

from collections import Counter

from models.llm.protocol import Completion, Constraint, ConstraintKind
from models.prompts import load_prompt
from models.records import Domain
from models.runtime.request import CaseT, Request

# The subtasks.
DOMAIN = "predict_domain"
DYNAMIC = "predict_dynamic"

TEMPERATURE = 0.7  # of electricsheep's samples; the paper states none
SEED = 0  # of electricsheep's samples: any one, so that a run can be repeated
_SAMPLES = 5  # of a prediction; the paper states no number
DYNAMIC_WORD = "dynamic"
_CHOICES = {
    DOMAIN: tuple(map(str, Domain)),
    # in a tie the first one wins: a refusal costs less than a wrong answer
    DYNAMIC: (DYNAMIC_WORD, "static"),
}
_MAX_TOKENS = 8


def requests(case: CaseT) -> list[Request[CaseT]]:
    """The two prompts of one question: its domain, and whether it is dynamic."""
    return [
        Request(
            case,
            subtask,
            load_prompt(f"electricsheep/{subtask}"),
            {"question": case.question.text},
            max_tokens=_MAX_TOKENS,
            temperature=TEMPERATURE,
            n=_SAMPLES,
            seed=SEED,
            constraint=Constraint(ConstraintKind.CHOICE, "\n".join(choices)),
        )
        for subtask, choices in _CHOICES.items()
    ]


def category(subtask: str, completion: Completion) -> str | None:
    """The category that most samples name; None if no sample names one."""
    choices = _CHOICES[subtask]
    votes: Counter[str] = Counter()
    for sample in completion.samples:
        word = sample.text.strip().lower()
        if sample.finished and word in choices:
            votes[word] += 1
    if not votes:
        return None
    return max(choices, key=lambda choice: votes[choice])
