"""What is known of how sure an answer is, as figures by name, out of the steps that led to it.

The same function serves the fit and the use of a confidence model: `models/user_model.py` notes
what it gives as the last step of each trace, and `python -m training confidence` reads it there.
"""

from collections.abc import Sequence

from models.records import INVALID, Answer, Domain, Source
from models.subtasks.confidence import answer_key
from models.subtasks.route import KeywordRouter
from models.systems.trace import Step
from utils.text import find_run

STEP = "confidence"  # the step that bears the features
# The steps that say an answer, or reasons with one at their end.
_SAYING = frozenset(
    "answer_kg answer_web parametric external final think answer reason summarise".split()
)
_ROUTER = KeywordRouter()


def features_of(query: str, answer: Answer, steps: Sequence[Step]) -> dict[str, float]:
    """The features of `answer` to `query`; what no step tells is left out.

    What the steps themselves tell (`Step.sure`, the last one where several do: `likely`, `samples`,
    `coverage`, `parametric`, `external`, `final`, `domain`, `dynamic`), and:

    - `agreement`: the share of the steps that say an answer in whose text this one stands
    - `from_kg`, `from_web`, `invalid`: 1 where it is so
    - `about_DOMAIN`: 1 for the domain, if one, that the question's words point to
    """
    found = {name: value for step in steps for name, value in step.sure.items()}
    said = [step.made for step in steps if step.name in _SAYING and step.made.strip()]
    if said:
        key = list(answer_key(answer.text))
        found["agreement"] = sum(_holds(text, key) for text in said) / len(said)
    found["from_kg"] = float(answer.source is Source.KG)
    found["from_web"] = float(answer.source is Source.WEB)
    found["invalid"] = float(answer.text == INVALID)
    about = _ROUTER.route(query)
    return found | {f"about_{domain}": float(domain is about) for domain in Domain}


def _holds(text: str, key: list[str]) -> bool:
    return find_run(key, list(answer_key(text))) >= 0
