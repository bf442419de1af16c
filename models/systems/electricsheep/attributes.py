"""Which questions are dynamic: by an LLM with several samples, or by SVM (§4.2)."""

from models.runtime.batch import Batch
from models.runtime.request import Request
from models.runtime.trace import Step
from models.subtasks.attributes import votes
from models.subtasks.attributes.svm import LinearPredictor
from models.systems.electricsheep.options import ElectricSheepOptions
from utils.errors import CragError


def dynamic_by_vote(batch: Batch, options: ElectricSheepOptions, part: float) -> list[int]:
    """The dynamic questions by in-context learning and self-consistency, in one round that may
    take the share `part` of the time left."""
    requests: list[Request] = []
    for i, question in enumerate(batch.questions):
        requests += votes.requests(
            i,
            question.text,
            samples=options.votes,
            temperature=options.temperature,
            seed=options.seed,
        )
    categories: list[dict[str, str | None]] = [{} for _ in batch.questions]  # by subtask
    for request, completion in batch.ask(requests, batch.share(part)):
        category = votes.category(request.subtask, completion)
        categories[request.index][request.subtask] = category
    dynamic = []
    for index, by_subtask in enumerate(categories):
        dynamism = by_subtask[votes.DYNAMIC]
        confidence = {}
        if dynamism is not None:
            confidence["dynamic"] = float(dynamism == votes.DYNAMIC_WORD)
        text = ", ".join(category or "unknown" for category in by_subtask.values())
        batch.ledger.note_step(index, Step("attributes", {}, text, confidence=confidence))
        if dynamism == votes.DYNAMIC_WORD:
            dynamic.append(index)
    return dynamic


def dynamic_by_svm(batch: Batch, predictor: LinearPredictor) -> list[int]:
    """The dynamic questions by SVM; none if the SVM fails."""
    texts = [question.plain for question in batch.questions]
    try:
        predictions = predictor.predict(texts)
    except CragError as error:
        for index in range(len(texts)):
            batch.ledger.note_failure(index, error, "attributes")
        return []
    dynamic = []
    for index, prediction in enumerate(predictions):
        domain = f"{prediction.domain} ({prediction.domain_sure:.2f})"
        dynamism = f"dynamic ({prediction.dynamic_chance:.2f})"
        step = Step(
            "attributes",
            {"question": texts[index]},
            f"{domain}, {dynamism}",
            confidence={"domain": prediction.domain_sure, "dynamic": prediction.dynamic_chance},
        )
        batch.ledger.note_step(index, step)
        if prediction.dynamic:
            dynamic.append(index)
    return dynamic
