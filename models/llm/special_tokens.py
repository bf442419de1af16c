"""Breaks up special tokens in untrusted text, so that none opens a chat turn."""

import re
from collections.abc import Iterable

# The special tokens of common families of models, for servers whose tokenizer is not available.
_KNOWN = (
    r"<[|\uff5c][^<>\n]{0,64}[|\uff5c]>",  # Llama 3 and 4, ChatML, Phi, gpt-oss, DeepSeek, GLM
    r"<</?SYS>>",  # Llama 2
    r"</?(?i:s|sop|eop|bos|eos|pad|unk|cls|sep|mask|think)(?:_TOKEN)?>",  # SentencePiece, Command R
    r"</?(?:tools|tool_call|tool_calls|tool_response|image|video|audio|box|arg_key|arg_value)>",
    r"<(?:start|end)_of_(?:turn|image|audio)>|<(?:image|audio)_soft_token>",  # Gemma
    r"<(?:unused|extra_id_|reserved_)\d{1,4}>|<fim_\w{3,9}>|\[multimodal\]|\[@BOS@\]",
    r"\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS|TOOL_CONTENT|ARGS|CALL_ID"
    r"|THINK|IMG|IMG_BREAK|IMG_END|AUDIO|BEGIN_AUDIO|PREFIX|MIDDLE|SUFFIX)\]",  # Mistral
    r"\[(?:[gs]?MASK|CLS|SEP|PAD|UNK)\]",  # GLM, BERT
    r">>[A-Z]{5,12}<<",  # Falcon
)
_SHORTEST = 3  # characters of a special token
_MOST_PASSES = 8


class Neutraliser:
    """Breaks up every special token in a text, and leaves the rest unchanged.

    A space after the first character is enough: the text stays readable, and no tokenizer reads it
    as one token.
    """

    def __init__(self, special: Iterable[str] = ()) -> None:
        """`special`: the model's own special tokens, in addition to those that are widely known."""
        # Some tokenizers list runs of spaces or a line's end: these open no turn, and breaking them
        # up would change every text.
        tokens = [token for token in special if len(token) >= _SHORTEST and not token.isspace()]
        tokens.sort(key=len, reverse=True)  # a token may contain a shorter one
        patterns = [re.escape(token) for token in tokens]
        self._pattern = re.compile("|".join((*patterns, *_KNOWN)))

    def __call__(self, text: str) -> str:
        """`text` with its special tokens broken up."""
        # Of two overlapping tokens, one pass breaks up only the first.
        for _ in range(_MOST_PASSES):
            broken = self._pattern.sub(lambda token: f"{token[0][0]} {token[0][1:]}", text)
            if broken == text:
                break
            text = broken
        return text
