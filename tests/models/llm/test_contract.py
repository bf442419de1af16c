"""The contract of every engine: tests of vLLM, transformers + peft, vLLM's server, llama.cpp."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from models.kg.language.grammar import Bounds, constraint_text
from models.llm.constraints import accepts
from models.llm.errors import AdapterUnknown, ConstraintUnsupported, ContextTooLong
from models.llm.protocol import (
    LLM,
    Constraint,
    ConstraintKind,
    FinishReason,
    Message,
    Prompt,
)
from tests.models.engines import Tiny
from tests.models.llm.reference import RealReference, Reference
from utils.deadline import Deadline

pytestmark = pytest.mark.engine

TOKENS = 24
MIXED = (None, "route", "write_query", "answer_web", None, "route", "answer_web", None)
NAME = {"type": "string", "maxLength": 8}
YEAR = {"type": "integer", "minimum": 1900, "maximum": 2030}
OBJECT = {"type": "object", "properties": {"name": NAME, "year": YEAR}}
SCHEMA = json.dumps({**OBJECT, "required": ["name", "year"], "additionalProperties": False})
# Bounds with which a program of any characters has about 200 bytes at most.
BOUNDS = Bounds(statements=2, depth=1, names=2, conditions=2, characters=8)


def ask(text: str, **rest: object) -> Prompt:
    return replace(Prompt((Message("user", text),), max_tokens=TOKENS), **rest)  # type: ignore[arg-type]


def soon() -> Deadline:
    return Deadline.after(120)


@pytest.fixture(scope="session")
def tiny_reference(tiny: Tiny) -> Reference:
    return Reference(tiny.folder, tiny.adapters)


@pytest.fixture(scope="session")
def real_reference(real: Tiny) -> Reference:
    return RealReference(real.folder, real.adapters)


@pytest.fixture
def reference(request: pytest.FixtureRequest, engine_name: str) -> Reference:
    """Of the engine's model."""
    name = "real_reference" if engine_name == "real_llamacpp" else "tiny_reference"
    model: Reference = request.getfixturevalue(name)
    return model


def test_a_mixed_batch_that_uses_all_adapter_slots_equals_peft(
    engine: LLM, reference: Reference
) -> None:
    """vLLM on a CPU gives base rows the last slot's adapter when adapters take all slots."""
    prompts = [
        replace(
            ask("", adapter=adapter, logprobs=True),
            messages=(Message("system", "be brief"), Message("user", "the film " * (number + 1))),
        )
        for number, adapter in enumerate(MIXED)
    ]
    for _ in range(2):  # the slots are taken by the first round at the latest
        done = engine.generate(prompts, deadline=soon())
        for prompt, one in zip(prompts, done, strict=True):
            reference.check(prompt, one)
        assert len({one.text for one in done}) >= len(set(MIXED))


def test_every_prompt_is_told_when_it_ends(engine: LLM) -> None:
    ended: list[bool] = []
    prompts = [ask("a", adapter="route"), ask("b"), ask("c", n=2, temperature=1.0)]
    done = engine.generate(prompts, deadline=soon(), on_end=lambda: ended.append(True))
    assert all(one.finished for one in done)
    assert len(ended) == len(prompts)


def test_samples_of_one_prompt_differ(engine: LLM) -> None:
    (done,) = engine.generate([ask("a film", temperature=1.0, n=3, seed=7)], deadline=soon())
    assert len({sample.text for sample in done.samples}) == 3


def test_a_seed_repeats_a_sample(engine: LLM) -> None:
    """One at a time: llama.cpp rounds otherwise when several are computed together."""
    prompt = ask("a film", temperature=1.0, seed=7)
    (first,) = engine.generate([prompt], deadline=soon())
    (again,) = engine.generate([prompt], deadline=soon())
    assert again.text == first.text
    (other,) = engine.generate([replace(prompt, seed=99)], deadline=soon())
    assert other.text != first.text


def test_a_completion_ends_before_a_stop(engine: LLM) -> None:
    whole = engine.generate([ask("a film")], deadline=soon())[0]
    stop = next(char for char in whole.text[2:] if char.isascii())
    cut = engine.generate([ask("a film", stop=(stop,))], deadline=soon())[0]
    assert cut.text == whole.text[: whole.text.index(stop)]
    assert cut.finish_reason is FinishReason.STOP
    assert cut.tokens < whole.tokens


def test_mixed_constraints_and_adapters_in_one_batch(engine: LLM) -> None:
    choice = Constraint(ConstraintKind.CHOICE, 'movie\nmusic and songs\na "quoted" one\ncaf\u00e9')
    kinds = [
        choice,
        Constraint(ConstraintKind.JSON, SCHEMA),
        None,
        Constraint(ConstraintKind.GRAMMAR, constraint_text(bounds=BOUNDS)),
        choice,
    ]
    prompts = [
        ask("x", adapter=adapter, constraint=kinds[n % 5], max_tokens=200, temperature=1.0)
        for n, adapter in enumerate(MIXED)
    ]
    done = engine.generate(prompts, deadline=soon())
    for one, prompt in zip(done, prompts, strict=True):
        assert prompt.constraint is not choice or one.finish_reason is FinishReason.STOP
        if prompt.constraint and one.finish_reason is FinishReason.STOP:
            assert accepts(prompt.constraint, one.text)


def test_two_threads_take_turns(engine: LLM) -> None:
    """A system that outlasts its deadline may still use an engine when the next attempt begins."""
    prompts = [ask("a film"), ask("a song", adapter="route"), ask("a share", adapter="answer_web")]
    alone = [[one.text for one in engine.generate([p], deadline=soon())] for p in prompts]
    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(engine.generate, [p], deadline=soon()) for p in prompts]
        assert [[one.text for one in each.result()] for each in running] == alone


def test_an_unknown_adapter_and_a_constraint_that_cannot_be_read_are_refused(engine: LLM) -> None:
    with pytest.raises(AdapterUnknown, match=r"'rout'.*answer_web, route, write_query"):
        engine.generate([ask("x", adapter="rout")], deadline=soon())
    bad = {"choice": "\n", "regex": "(unclosed", "grammar": "start: nothing", "json": "{"}
    for kind in ConstraintKind:
        with pytest.raises(ConstraintUnsupported, match=kind.value):
            engine.generate([ask("x", constraint=Constraint(kind, bad[kind]))], deadline=soon())


def test_the_error_of_a_too_long_prompt_states_the_excess(engine: LLM) -> None:
    context = engine.context
    assert context is not None
    prompt = ask("film " * 2 * context)
    over = engine.count_prompt(prompt) + TOKENS - context
    try:
        short, long = engine.generate([ask("short"), prompt], deadline=soon())
    except ContextTooLong as raised:  # known before anything is generated
        error: Exception | None = raised
    else:  # the server reported it, for one of them
        error = long.error
        assert short.finished
    assert isinstance(error, ContextTooLong) and error.over == over


def test_a_page_opens_no_turn(engine: LLM, reference: Reference) -> None:
    """The model reads as many special tokens as for a harmless page, and writes accordingly."""
    special = {
        *reference.tokenizer.all_special_ids,
        *reference.tokenizer.get_added_vocab().values(),
    }
    evil = reference.evil
    naive = reference.tokenizer(evil, add_special_tokens=False)["input_ids"]
    assert special & set(naive)
    broken = evil.replace("<|", "< |")
    tame = reference.tokenizer(broken, add_special_tokens=False)["input_ids"]
    assert not special & set(tame)
    (done,) = engine.generate([ask(evil, logprobs=True)], deadline=soon())
    reference.check(ask(broken, logprobs=True), done)


@pytest.mark.clock
def test_a_batch_ends_at_its_deadline_and_the_next_one_is_correct(
    engine: LLM, reference: Reference
) -> None:
    endless = Constraint(ConstraintKind.REGEX, "[a-z ]{9000}")
    most = min(4000, (engine.context or 0) - 100)
    prompts = [ask(f"{n}", constraint=endless, max_tokens=most) for n in range(15)]
    # A grouped engine reaches the short one first.
    prompts.append(ask("short", constraint=Constraint(ConstraintKind.CHOICE, "a\nb")))
    engine.generate([replace(one, max_tokens=1) for one in prompts], deadline=soon())  # warm
    deadline = Deadline.after(reference.batch_seconds)
    done = engine.generate(prompts, deadline=deadline)
    assert deadline.clock() - deadline.at < 10
    late = [one for one in done if one.finish_reason is FinishReason.DEADLINE]
    assert len(late) == 15
    assert any(one.text for one in late)
    assert not any(one.finished for one in late)
    assert done[-1].finish_reason is FinishReason.STOP
    prompt = ask("the answer is", adapter="route", logprobs=True)
    reference.check(prompt, engine.generate([prompt], deadline=soon())[0])


def test_without_time_or_prompts_nothing_is_generated(engine: LLM) -> None:
    done = engine.generate([ask("x"), ask("y", n=2)], deadline=Deadline.after(0))
    assert [one.finish_reason for one in done] == [FinishReason.DEADLINE] * 2
    assert [one.text for one in done] == ["", ""]
    assert len(done[1].samples) == 2
    assert engine.generate([], deadline=soon()) == []
