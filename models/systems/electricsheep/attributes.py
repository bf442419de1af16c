"""Which questions are dynamic: by an LLM with several samples, or by SVM (§4.2)."""

from models.runtime.batch import Batch
from models.runtime.request import CaseT, Request
from models.runtime.trace import Step
from models.subtasks.attributes import votes
from models.subtasks.attributes.svm import LinearPredictor
from utils.errors import CragError


def dynamic_by_vote(batch: Batch[CaseT], part: float) -> list[CaseT]:
    """The dynamic questions by in-context learning and self-consistency, in one round that may
    take the share `part` of the time left."""
    requests: list[Request[CaseT]] = []
    for case in batch.cases:
        requests += votes.requests(case)
    categories: dict[CaseT, dict[str, str | None]] = {case: {} for case in batch.cases}
    for reply in batch.ask(requests, batch.share(part)):
        subtask = reply.request.subtask
        categories[reply.case][subtask] = votes.category(subtask, reply.completion)
    dynamic = []
    for case, by_subtask in categories.items():
        dynamism = by_subtask[votes.DYNAMIC]
        confidence = {}
        if dynamism is not None:
            confidence["dynamic"] = float(dynamism == votes.DYNAMIC_WORD)
        text = ", ".join(category or "unknown" for category in by_subtask.values())
        case.note_step(Step("attributes", {}, text, confidence=confidence))
        if dynamism == votes.DYNAMIC_WORD:
            dynamic.append(case)
    return dynamic


def dynamic_by_svm(batch: Batch[CaseT], predictor: LinearPredictor) -> list[CaseT]:
    """The dynamic questions by SVM; none if the SVM fails."""
    try:
        predictions = predictor.predict([case.question.plain for case in batch.cases])
    except CragError as error:
        for case in batch.cases:
            case.note_failure(error, "attributes")
        return []
    dynamic = []
    for case, prediction in zip(batch.cases, predictions, strict=True):
        domain = f"{prediction.domain} ({prediction.domain_sure:.2f})"
        dynamism = f"dynamic ({prediction.dynamic_chance:.2f})"
        step = Step(
            "attributes",
            {"question": case.question.plain},
            f"{domain}, {dynamism}",
            confidence={"domain": prediction.domain_sure, "dynamic": prediction.dynamic_chance},
        )
        case.note_step(step)
        if prediction.dynamic:
            dynamic.append(case)
    return dynamic
