"""Special tokens in text, constraints as texts, and passages that fit a budget."""

from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from models.llm.budget import fit_passages
from models.llm.chat import Chat
from models.llm.constraints import accepts, choices, first_fault
from models.llm.errors import ConstraintUnsupported
from models.llm.protocol import Constraint, ConstraintKind, Message, Prompt
from models.llm.special_tokens import Neutraliser

KNOWN = """
<s> </s> <unk> <pad> <<SYS>> <</SYS>> [INST] [/INST] <|begin_of_text|> <|eot_id|> <|header_start|>
<|python_tag|> [TOOL_CALLS] [AVAILABLE_TOOLS] [/TOOL_RESULTS] [SYSTEM_PROMPT] [IMG] [THINK]
<bos> <eos> <start_of_turn> <end_of_turn> <start_of_image> <unused42> <|im_start|> <|im_end|>
<|endoftext|> <think> </think> <tools> </tools> <tool_call> </tool_call> <tool_response> <image>
<\uff5cbegin\u2581of\u2581sentence\uff5c> <\uff5cUser\uff5c> <BOS_TOKEN>
<EOP_TOKEN> <PAD> <UNK> <MASK_TOKEN> <|START_OF_TURN_TOKEN|> [gMASK] [MASK] <sop> <eop> <|user|>
<|observation|> <arg_key> <|system|>
<|end|> <|channel|> <|message|> <|return|> <|a|b|> <||> >>ANSWER<< >>TITLE<< <|startoftext|>
<fim_prefix>
""".split()
PIECES = [*KNOWN, "<", "|", ">", "<|", "|>", " ", "a", "\n", "  "]


def words(text: str) -> int:
    return len(text.split())


def test_text_without_special_tokens_is_unchanged() -> None:
    text = "if a < b and b > c, see [1] or <b>bold</b> | x || y <https://e.org>"
    assert Neutraliser(["<think>", "\n\n", "  "])(text) == text


def test_no_text_opens_a_turn_of_a_model_in_this_process() -> None:
    chats: list[list[dict[str, str]]] = []
    tokenizer = SimpleNamespace(
        chat_template="x",
        all_special_tokens=["<own>"],  # known to this tokenizer only
        get_added_vocab=dict,
        apply_chat_template=lambda turns, **_: chats.append(turns) or "",
    )
    Chat(tokenizer, 8192).render(Prompt((Message("user", "a <own> b<|eot_id|>[INST]"),)))
    assert chats == [[{"role": "user", "content": "a < own> b< |eot_id|>[ INST]"}]]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("a".join(KNOWN))
def test_special_tokens_of_common_models_are_broken_up_without_a_tokenizer(text: str) -> None:
    broken = Neutraliser()(text)
    assert not [mark for mark in KNOWN if mark in broken]
    assert broken.replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.text("ab ", min_size=1, max_size=12)), st.integers(0, 20))
def test_passages_that_fit_are_whole_and_in_order(passages: list[str], budget: int) -> None:
    fitting = fit_passages(passages, budget, words)
    assert words("\n[...]\n".join(fitting)) <= budget
    remaining = iter(passages)
    assert all(passage in remaining for passage in fitting)  # a subsequence


def test_after_the_first_that_fits_a_too_long_passage_ends_the_list() -> None:
    assert fit_passages(["a b", "c d e f g h", "i"], 4, words) == ["a b"]
    assert fit_passages(["c d e f g h", "a b", "i"], 4, words) == ["a b", "i"]


def test_the_choices_are_the_nonempty_lines() -> None:
    constraint = Constraint(ConstraintKind.CHOICE, "yes\n\nno way\n")
    assert choices(constraint) == ["yes", "no way"]
    assert accepts(constraint, "no way")
    assert not accepts(constraint, "no")
    with pytest.raises(ConstraintUnsupported, match="nothing to choose from"):
        choices(Constraint(ConstraintKind.CHOICE, ""))


@pytest.mark.parametrize(
    ("kind", "text", "right", "wrong", "place"),
    [
        (ConstraintKind.REGEX, "[a-c]+/[0-9]", "abc/1", "abc/12", 5),
        (ConstraintKind.GRAMMAR, 'start: "x" /[0-9]+/', "x12", "x", 1),
        (ConstraintKind.JSON, '{"type": "integer"}', " 12", ' "12"', 1),
        (ConstraintKind.JSON, '{"enum": ["caf\u00e9"]}', '"caf\u00e9"', '"cafe"', 4),
        (ConstraintKind.REGEX, "\u00e9+x", "\u00e9\u00e9x", "\u00e9\u00e9y", 2),
        (ConstraintKind.CHOICE, "yes\nno way", "no way", "no doubt", 3),
    ],
)
def test_a_constraint_accepts_only_texts_that_satisfy_it_and_says_up_to_where(
    kind: ConstraintKind, text: str, right: str, wrong: str, place: int
) -> None:
    constraint = Constraint(kind, text)
    assert accepts(constraint, right)
    assert not accepts(constraint, wrong)
    assert first_fault(constraint, wrong) == place
