"""Which questions are dynamic: by an LLM with several samples, or by SVM (§4.2)."""

from models.runtime.batch import Batch
from models.runtime.rounds import Request
from models.runtime.trace import Step
from models.subtasks.attributes import votes
from models.subtasks.attributes.svm import LinearPredictor
from models.systems.electricsheep.options import ElectricSheepOptions
from utils.errors import CragError


def voted(batch: Batch, options: ElectricSheepOptions, part: float) -> set[int]:
    """The dynamic questions by in-context learning and self-consistency, in one round."""
    samples, temperature, seed = options.votes, options.temperature, options.seed
    asked: list[Request] = []
    for i, question in enumerate(batch.questions):
        asked += votes.requests(
            i, question.text, samples=samples, temperature=temperature, seed=seed
        )
    said: list[dict[str, str | None]] = [{} for _ in batch.questions]
    for request, completion in batch.ask(asked, batch.share(part)):
        said[request.index][request.subtask] = votes.category(request.subtask, completion)
    for index, words in enumerate(said):
        made = ", ".join(word or "unknown" for word in words.values())
        dynamism = words[votes.DYNAMIC]
        sure = {} if dynamism is None else {"dynamic": float(dynamism == votes.DYNAMIC_WORD)}
        batch.ledger.note(index, Step("attributes", {}, made, confidence=sure))
    return {i for i, words in enumerate(said) if words[votes.DYNAMIC] == votes.DYNAMIC_WORD}


def classified(batch: Batch, predictor: LinearPredictor) -> set[int]:
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
