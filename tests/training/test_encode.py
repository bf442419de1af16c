"""What is learnt, and from which prompt: the one that the running system asks."""

import pytest

from models.batch import read_query_time
from models.llm.chat import Chat
from models.records import Task
from models.systems.db3 import Db3Options, Db3System
from models.web.retriever import Retriever
from tests.models.systems.scripted import ScriptedLLMs, ask, question, saying
from training.encode import encode_all, samples_of
from training.kg import Kg
from training.recipe import Recipe
from training.records import Pair, Sample
from training.small_base import make_tokenizer

pytestmark = pytest.mark.engine  # needs transformers


def test_a_special_token_in_an_answer_ends_no_turn_and_what_is_too_long_is_left_out(
    pairs: list[Pair],
) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    chat = Chat(make_tokenizer([pair.question for pair in pairs], 600), 4096)
    asked = (("system", "be brief"), ("user", "who directed inception?"))
    samples = [Sample("s", asked, "A <|eot_id|> B"), Sample("l", (("user", "word " * 400),), "x")]
    (fitting,) = encode_all(samples, chat, 100)
    end = chat.tokenizer.eos_token_id
    assert fitting.labels[-1] == end and fitting.labels.count(end) == 1


@pytest.mark.parametrize("form", ["full", "short"])
def test_the_adapter_is_taught_with_the_very_prompt_that_db3_asks(
    form: str, pairs: list[Pair], kg: Kg
) -> None:
    pair = pairs[0]
    replies = {"route": pair.domain, "write_query": pair.program, "answer_kg": "x"}
    llms = ScriptedLLMs({name: saying(reply) for name, reply in replies.items()})
    system = Db3System(llms, kg.client, Retriever(), options=Db3Options(query_prompt=form))
    ask(system, question(pair.question, Task.KG_WEB, (), read_query_time(pair.query_time)))
    (asked,) = [p for name, ps in llms.rounds if name == "write_query" for p in ps]
    (sample,) = samples_of([pair], Recipe("write_query", query_prompt=form))
    assert sample.messages == asked.messages
