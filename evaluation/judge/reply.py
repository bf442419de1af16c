"""A prediction read for judging: without boilerplate, with its list items and asides apart."""

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.judge.normalize import Text, fold, read

_BOILERPLATE = re.compile(
    r"(?:^|(?<=[.\n] ))(?:as of|according to|based on|as per|per|to the best of)\b"
    r"(?![^,\n]{0,80} and )[^,\n:]{0,120}?(?:, |: )"
)
_SOURCE = re.compile(
    r",? (?:according to|based on|as per|as of my)\b[^.\n]{0,80}(?=[.\n]|$)|\[\d+\]"
)
_LEAD = re.compile(
    r"^(?:sure[,!.] |certainly[,!.] )?(?:the (?:correct |final |short )?answer (?:is|would be)"
    r"|answer|final answer|it is|it's|it was|that would be|this is|i (?:think|believe) (?:that )?"
    r"(?:it is|it's|it was)?|probably|maybe|perhaps)\b:? *"
)
_ITEM = re.compile(r"(?:^|\n|(?<=: )|(?<=[;,.)] ))\s*(?:\d{1,2}[.)](?!\d)|[-*•])\s+")
_PAREN = re.compile(r"\([^()]*\)?")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_AFTER = re.compile(r"\s(?:-|--)\s|: | for | in (?=\d{4})|\bwhich\b|\bwho\b")


@dataclass(frozen=True, slots=True)
class Reply:
    """A prediction.

    `text` is all of it but boilerplate and list markers, `outer` leaves out what stands in
    parentheses, `bare` also a lead-in such as "the answer is"; `items` are the entries of a
    numbered or bulleted list. `proper` holds its words that are written with a capital; it is empty
    where capitals tell nothing, as all letters are small or all are capital.
    """

    text: Text
    outer: Text
    bare: Text
    items: tuple[Text, ...]
    proper: frozenset[str] = frozenset()

    @property
    def short(self) -> bool:
        return len(self.text.tokens) <= 8


@lru_cache(maxsize=8192)
def read_reply(prediction: str) -> Reply:
    folded = fold(prediction)
    plain = _SOURCE.sub("", _BOILERPLATE.sub("", folded)).strip() or folded
    parts = _ITEM.split(plain)
    items = tuple(
        read(head)
        for part in parts[1:]
        if (head := _AFTER.split(_PAREN.sub(" ", part.split("\n")[0]))[0].strip())
    )
    if len(items) < 2:
        items = ()
    listed = " ; ".join(part.strip() for part in parts) if items else plain
    text = read(listed)
    outer = read(_PAREN.sub(" ", listed))
    outer = outer if outer.tokens and outer.folded else text
    return Reply(text, outer, read(_LEAD.sub("", outer.folded)), items, _proper(prediction))


def _proper(prediction: str) -> frozenset[str]:
    if not any(map(str.islower, prediction)):
        return frozenset()
    said = _WORD.findall(prediction)
    return frozenset(word for part in said if part[0].isupper() for word in read(part).words)
