"""Which questions are dynamic: by an LLM with several samples, or by SVM (§4.2)."""

from models.runtime.batch import Batch
from models.runtime.trace import Step
from models.subtasks.attributes import votes
from models.subtasks.attributes.svm import AttributePredictor
from models.systems.electricsheep.options import ElectricSheepOptions
from utils.errors import CragError


def voted(batch: Batch, options: ElectricSheepOptions, part: float) -> set[int]:
    """The dynamic questions by in-context learning and self-consistency, in one round."""
    asked = [
        request
        for i, question in enumerate(batch.questions)
        for request in votes.requests(
            i,
            question.text,
            samples=options.votes,
            temperature=options.temperature,
            seed=options.seed,
        )
    ]
    completions = batch.ask(asked, batch.share(part))
    dynamic: set[int] = set()
    pairs = zip(completions[::2], completions[1::2], strict=True)
    for index, (by_domain, by_pace) in enumerate(pairs):
        verdict = votes.dynamic_of(by_pace)
        domain = votes.domain_of(by_domain)
        word = "unknown" if verdict is None else "dynamic" if verdict else "static"
        made = f"{domain or 'unknown'}, {word}"
        sure = {} if verdict is None else {"dynamic": float(verdict)}
        batch.ledger.note(index, Step("attributes", {}, made, confidence=sure))
        if verdict:
            dynamic.add(index)
    return dynamic


def classified(batch: Batch, predictor: AttributePredictor) -> set[int]:
    """The dynamic questions by SVM; none if the SVM fails."""
    texts = [question.text for question in batch.questions]
    try:
        found = predictor.predict(texts)
    except CragError as error:
        for index in range(len(texts)):
            batch.ledger.failed(index, error, "attributes")
        return set()
    for index, one in enumerate(found):
        made = f"{one.domain} ({one.domain_sure:.2f}), dynamic ({one.dynamic_chance:.2f})"
        sure = {"domain": one.domain_sure, "dynamic": one.dynamic_chance}
        batch.ledger.note(
            index, Step("attributes", {"question": texts[index]}, made, confidence=sure)
        )
    return {index for index, one in enumerate(found) if one.dynamic}
