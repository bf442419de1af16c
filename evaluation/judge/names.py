"""Where a name stands in a text, however it is spelled there."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from evaluation.judge.normalize import STOP, Text, Token, read

Span = tuple[int, int]

_FIRMS = frozenset("inc corp corporation ltd llc plc co incorporated limited jr sr".split())
_NEGATIONS = frozenset("not never neither nor except excluding besides unlike without".split())
_AUXILIARY = frozenset("is was are were did does do has have had could would will can".split())
_PAREN = re.compile(r"\(([^()]*)\)")
_LEAST = 6  # letters of a word in which a slip of the pen is let pass
_CODES = Path(__file__).with_name("codes.toml")


def find(name: Text, text: Text) -> list[Span]:
    """The spans of tokens of `text` that spell `name`.

    Spaces and hyphens do not matter ("spider man"), a middle name or initial may be added or
    left out, and one slip of the pen is let pass in a name of some length.
    """
    words = _core(name.words)
    if not words or not text.tokens:
        return []
    found = _joined(words, text.tokens)
    if not found and "," not in name.folded:  # what has a comma is no person's name
        found = _with_middle(words, text.tokens) or _without_middle(words, text.tokens)
    return found or _misspelt(words, text.tokens)


def _core(words: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(word for word in words if word not in _FIRMS)
    return kept or words


def _joined(words: tuple[str, ...], tokens: tuple[Token, ...]) -> list[Span]:
    whole = "".join(words)
    out: list[Span] = []
    for i, token in enumerate(tokens):
        if not whole.startswith(token.text):
            continue
        at, j = len(token.text), i + 1
        while at < len(whole) and j < len(tokens) and whole.startswith(tokens[j].text, at):
            at += len(tokens[j].text)
            j += 1
        if at == len(whole):
            out.append((i, j))
    # "19 3" does not spell 193.
    return [
        (i, j) for i, j in out if not whole.isdigit() or tuple(t.text for t in tokens[i:j]) == words
    ]


def _with_middle(words: tuple[str, ...], tokens: tuple[Token, ...]) -> list[Span]:
    """`words` in order with at most two plain words between: "john quincy adams"."""
    if not 2 <= len(words) <= 4 or any(word in STOP or word.isdigit() for word in words):
        return []
    out: list[Span] = []
    for i, token in enumerate(tokens):
        if token.text != words[0]:
            continue
        at, extra = i + 1, 0
        for word in words[1:]:
            while at < len(tokens) and tokens[at].text != word and extra <= 2:
                plain = not tokens[at].stop and not tokens[at].text.isdigit()
                extra += 1 if plain and tokens[at].start - tokens[at - 1].end <= 2 else 9
                at += 1
            if extra > 2 or at >= len(tokens):
                break
            at += 1
        else:
            out.append((i, at))
    return out


def _without_middle(words: tuple[str, ...], tokens: tuple[Token, ...]) -> list[Span]:
    """First and last of three or four `words` next to each other, or with an initial between."""
    if not 3 <= len(words) <= 4 or any(word in STOP or word.isdigit() for word in words):
        return []
    out: list[Span] = []
    for i in range(len(tokens) - 1):
        if tokens[i].text != words[0]:
            continue
        if tokens[i + 1].text == words[-1]:
            out.append((i, i + 2))
        elif (
            i + 2 < len(tokens)
            and tokens[i + 2].text == words[-1]
            and len(tokens[i + 1].text) == 1
            and tokens[i + 1].text == words[1][0]
        ):
            out.append((i, i + 3))
    return out


def _misspelt(words: tuple[str, ...], tokens: tuple[Token, ...]) -> list[Span]:
    return [span for span, slip in _slips(words, tokens) if _typo(*slip)]


def nearly(name: Text, text: Text) -> bool:
    """Whether `text` has `name` but for a few letters: the same name or another like it."""
    words = _core(name.words)
    return any(
        min(len(a), len(b)) >= 4 and within(a, b, 2) for _, (a, b) in _slips(words, text.tokens)
    )


def _slips(
    words: tuple[str, ...], tokens: tuple[Token, ...]
) -> Iterator[tuple[Span, tuple[str, str]]]:
    """Where all words but one are as in the name, and that word in both spellings."""
    size = len(words)
    for i in range(len(tokens) - size + 1):
        pairs = [(a, b.text) for a, b in zip(words, tokens[i : i + size], strict=True)]
        slips = [(a, b) for a, b in pairs if a != b]
        if len(slips) == 1 and "".join(slips[0]).isalpha():
            yield (i, i + size), slips[0]


def _typo(a: str, b: str) -> bool:
    """Whether two spellings are of one word, as far as one slip shows.

    A letter doubled or not, two neighbours swapped, "our" for "or" or "ae" for "e", none of them
    at an end: other slips, as in "martin" and "marvin" or "robert" and "roberta", may make
    another name.
    """
    if min(len(a), len(b)) < _LEAST or a[0] != b[0] or a[-1] != b[-1]:
        return False
    short, long = sorted((a, b), key=len)
    if len(short) == len(long):
        apart = [k for k, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
        swap = len(apart) == 2 and apart[1] == apart[0] + 1
        return swap and a[apart[0]] == b[apart[1]] and a[apart[1]] == b[apart[0]]
    at = next(k for k, y in enumerate(long) if k == len(short) or short[k] != y)
    if long[:at] + long[at + 1 :] != short:
        return False
    doubled = long[at] in (long[at - 1], long[at + 1 : at + 2])
    return doubled or long[at - 1 : at + 2] == "our" or long[at : at + 2] in ("ae", "oe")


def within(a: str, b: str, limit: int) -> bool:
    """Whether at most `limit` edits (insert, delete, replace, swap neighbours) part a and b."""
    if abs(len(a) - len(b)) > limit:
        return False
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            cost = min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            new.append(cost)
        if min(new) > limit:
            return False
        before, row = row, new
    return row[-1] <= limit


def negated(span: Span, text: Text) -> bool:
    """Whether the name at `span` is denied: "not paris", "paris is not the capital"."""
    i, j = span
    for k in range(i - 1, max(-1, i - 4), -1):
        word = text.tokens[k].text
        if re.search(r"[.,;:!?\n]|\bbut\b", text.gap(k + 1)) or word in ("but", "only"):
            break
        if word in _NEGATIONS or word.endswith("n't") or (word == "no" and k == i - 1):
            return True
        if (
            word in ("than", "of")
            and k > 0
            and text.tokens[k - 1].text in ("rather", "other", "instead")
        ):
            return True
    after = [token.text for token in text.tokens[j : j + 2]]
    if re.search(r"[.;!?\n]", text.gap(j)) or not after:
        return False
    denied = after[0].endswith("n't") or after[0] == "cannot"
    return (denied or (after[1:] == ["not"] and after[0] in _AUXILIARY)) and "only" not in [
        token.text for token in text.tokens[j + 1 : j + 4]
    ]


def spellings(gold: str) -> list[Text]:
    """The ways a gold answer may be given: whole, without or within its parentheses."""
    out = [gold]
    without = _PAREN.sub(" ", gold).strip()
    if without and without != gold:
        out.append(without)
        out.extend(inner for inner in _PAREN.findall(gold) if len(read(inner).words) >= 2)
    if len(gold) < 80 and re.search(r"\s/\s", gold):
        out.extend(part for part in re.split(r"\s/\s", gold) if part.strip())
    unique = {text.words: text for text in map(read, out) if text.words}
    return list(unique.values())


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    with _CODES.open("rb") as file:
        return tomllib.load(file)


def expansions(code: str, query: str) -> tuple[str, ...]:
    """What a code of one or two letters stands for, given what the question asks."""
    table = _table()
    if code in table["result"] and len(code) == 1:
        return tuple(table["result"][code])
    if "language" in query:
        return tuple(table["language"].get(code, ()))
    if re.search(r"countr|nation|where|from|citizen|origin|born", query):
        return tuple(table["country"].get(code, ()))
    return ()


def rivals(code: str, query: str) -> tuple[str, ...]:
    """What the other codes of the same table stand for: naming one of these is another answer."""
    mine = set(expansions(code, query))
    if not mine:
        return ()
    table = _table()
    kind = "result" if len(code) == 1 else "language" if "language" in query else "country"
    return tuple(name for names in table[kind].values() for name in names if name not in mine)
