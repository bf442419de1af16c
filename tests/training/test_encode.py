"""What is learnt, and from which prompt: the one that the running system asks."""

import pytest

from benchmarks._random_llama import make_tokenizer
from models.batch_input import read_query_time
from models.llm.chat import Chat
from models.records import Task
from models.subtasks.kg_text.query_prompt import QueryForm
from models.systems.db3 import Db3Options, Db3System
from models.web.retriever import Retriever
from tests.models.systems.scripted import ScriptedLLMs, ask, question, saying
from training.encode import encode_all, samples_of
from training.kg import Kg
from training.recipe import Recipe
from training.records import Pair, Sample

pytestmark = pytest.mark.engine  # needs transformers


def test_a_special_token_in_an_answer_ends_no_turn_and_a_long_sample_is_left_out(
    pairs: list[Pair],
) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    chat = Chat(make_tokenizer(), 4096)
    turns = (("system", "be brief"), ("user", "who directed inception?"))
    with_special_token = Sample("s", turns, "A <|eot_id|> B")
    too_long = Sample("l", (("user", "word " * 400),), "x")
    (encoded,) = encode_all([with_special_token, too_long], chat, 100)
    end = chat.tokenizer.eos_token_id
    assert encoded.labels[-1] == end and encoded.labels.count(end) == 1


@pytest.mark.parametrize("form", list(QueryForm))
def test_an_adapter_learns_from_the_prompt_that_db3_asks(
    form: QueryForm, pairs: list[Pair], kg: Kg
) -> None:
    pair = pairs[0]
    replies = {"route": pair.domain, "write_query": pair.program, "answer_kg": "x"}
    llms = ScriptedLLMs({name: saying(reply) for name, reply in replies.items()})
    system = Db3System(llms, kg.client, Retriever(), options=Db3Options(query_prompt=form))
    ask(system, question(pair.question, Task.KG_WEB, (), read_query_time(pair.query_time)))
    (prompts,) = [prompts for name, prompts in llms.rounds if name == "write_query"]
    (prompt,) = prompts
    (sample,) = samples_of([pair], Recipe("write_query", query_prompt=form))
    assert sample.messages == prompt.messages
