"""The router's samples have the prompt that db3 asks, and the word that it reads."""

from evaluation.dataset import Example
from models.records import Domain
from models.systems.db3 import Db3Options
from training.routes import route_samples


def test_each_domain_has_its_word() -> None:
    examples = [Example(str(domain), "who is it?", "", domain=str(domain)) for domain in Domain]
    examples.append(Example("x", "what is it?", ""))  # of an unknown domain
    samples = list(route_samples(examples, Db3Options(prompt="short")))
    assert [sample.answer for sample in samples] == [
        "finance",
        "movie",
        "music",
        "sports",
        "other",
    ]
    assert samples[0].turns == (("system", "Name the topic."), ("user", "who is it?"))
    (long, *_) = route_samples(examples, Db3Options())
    assert "Reply with one word" in long.turns[1][1]
