"""Samples for the router: a question and the word for its topic (db3, section 2.3)."""

from collections.abc import Iterable, Iterator

from evaluation.dataset import Example
from models.records import Domain, Task
from models.runtime.case import Case
from models.systems.db3 import Db3Options, route_request, topic_of
from training.records import Sample, question_of, turns_of

SUBTASK = "route"


def route_samples(examples: Iterable[Example], options: Db3Options) -> Iterator[Sample]:
    """The samples of the questions whose domain is known, with the prompt of a system with
    `options`."""
    for example in examples:
        if example.domain not in tuple(Domain):
            continue
        request = route_request(Case(question_of(example, Task.KG_WEB)), options)
        topic = topic_of(Domain(example.domain))
        yield Sample(
            id=example.id,
            turns=turns_of(request.template.render(request.values)),
            answer=topic,
            note=topic,
            question=example.query,
            golds=(topic,),
            subtask=SUBTASK,
        )
