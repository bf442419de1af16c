"""The papers' ways of splitting texts; test_robustness.py has adversarial pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from models.systems.make_system import web_preset, web_presets
from models.web.page import PageText, Span
from models.web.settings import Chunking, WebSettings
from models.web.splitters import (
    Length,
    count_tokens,
    headed_sections,
    make_chunker,
    sentence_groups,
    windows,
)

TABLE = "| A | B |\n| --- | --- |\n| 1 | 2 |"
BOATS = "\n".join(f"Boat number {i} comes in and goes out with the tide." for i in range(30))
TEXT = f"""# Northport
The lighthouse is 41 metres high. It was built in 1881. Caf\u00e9s stand near. It rains.
## Harbour
{BOATS}

{TABLE}
The end."""
REPEATED = [
    "a b " * 300,
    "no. no. no.\n" * 200,
    "x" * 1_000,
    "the sea the sea " * 100 + "\n\n" + "the sea " * 100,
    " \n " * 300 + "word" + " \n\n" * 300 + "word word",
    "# A\nsame text\n" * 100,
    "\u4e2d\u6587" * 500,
]
LENGTHS = {"characters": len, "tokens": count_tokens}


def texts_at(text: str, spans: list[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize("chunking", list(Chunking))
def test_a_table_stays_whole_and_no_word_is_lost(chunking: Chunking) -> None:
    start = TEXT.index(TABLE)
    page = PageText("Northport", TEXT, ((start, start + len(TABLE)),))
    web = WebSettings(chunking=chunking, parent_size=300, parent_overlap=20, child_size=100)
    texts = [chunk.passage.text for chunk in make_chunker(web).chunk(page, 3)]
    assert [text for text in texts if text.startswith("| A")] == [TABLE]
    assert all(word in " ".join(texts) for word in TEXT.replace("#", "").split())


@pytest.mark.parametrize("name", web_presets())
@settings(deadline=None, max_examples=50)
@given(
    words=st.lists(
        st.one_of(
            st.from_regex(r"[a-z]{1,12}[.?!,]?", fullmatch=True),
            st.sampled_from(["x" * 900, "\u4e2d\u6587" * 300, "\n", "1,234.5", "Why", "No.\n"]),
        ),
        max_size=120,
    )
)
def test_every_word_is_in_a_passage_of_every_preset(name: str, words: list[str]) -> None:
    """A passage may divide a word that is longer than itself, so characters are counted."""
    text = " ".join(words)
    row = " | ".join(words[:20]).replace("\n", " ")
    table = f"| A | B |\n| --- | --- |\n| {row} | {'cell ' * 300} |"
    page = PageText("", f"{text}\n{table}", ((len(text) + 1, len(text) + 1 + len(table)),))
    covered: set[int] = set()
    for chunk in make_chunker(web_preset(name)).chunk(page, 0):
        covered.update(range(chunk.passage.start, chunk.passage.end))
    lost = [place for place, character in enumerate(page.text) if place not in covered]
    assert not "".join(page.text[place] for place in lost).strip()


def test_a_long_text_is_read_to_its_end_by_blingfire() -> None:
    text = "A short sentence stands here. " * 15_000 + "The last word is lighthouse."
    start, end = sentence_groups(300)(text)[-1]
    assert text[start:end].endswith("lighthouse.")


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        (
            "One is. Two is. Three is. Four is. Why is it so? Because. And more.",
            ["One is. Two is. Three is.", "Four is.", "Why is it so? Because. And more."],
        ),
        ("Aaaa bbbb\ncccc dddd eeee ffff. One is.", ["Aaaa bbbb\ncccc dddd eeee ffff. One is."]),
        ("Aaaa bbbb\ncccc dddd eeee ffff.", ["Aaaa bbbb\ncccc dddd eeee ffff."]),
        (" ", []),
    ],
)
def test_a_question_keeps_its_answer_and_a_long_sentence_counts_as_several(
    text: str, groups: list[str]
) -> None:
    assert texts_at(text, sentence_groups(21)(text)) == groups


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        # a window ends with a line, or else with a sentence, or else with a word
        ("One two three.\nFour.\nFive six.", 21, ["One two three.\nFour.", "Five six."]),
        ("One two. Three four? Five.", 22, ["One two. Three four?", "Five."]),
        ("One two three four five", 10, ["One two", "three", "four five"]),
        ("a" * 250, 120, ["a" * 100, "a" * 100, "a" * 50]),
        ("a" * 25, 10, ["a" * 10, "a" * 10, "a" * 5]),
    ],
)
def test_a_window_ends_at_the_best_separator(text: str, size: int, expected: list[str]) -> None:
    assert texts_at(text, windows(size, 0, len)(text)) == expected


def test_a_window_repeats_the_last_words_of_the_one_before() -> None:
    text = "One two. Three four five six. Eight nine ten."
    assert texts_at(text, windows(22, 0, len)(text)) == [
        "One two.",
        "Three four five six.",
        "Eight nine ten.",
    ]
    assert texts_at(text, windows(32, 10, len)(text)) == [
        "One two.",
        "One two. Three four five six.",
        "five six. Eight nine ten.",
    ]


def test_windows_are_measured_by_tokens_too() -> None:
    text = "internationally, 1234 and so on"
    assert [count_tokens(word) for word in text.split()] == [4, 2, 1, 1, 1]
    parts = texts_at(text, windows(6, 0, count_tokens)(text))
    assert parts == ["internationally, 1234", "and so on"]
    parts = texts_at(text, windows(8, 2, count_tokens)(text))
    assert parts == ["internationally, 1234", "1234 and so on"]


@pytest.mark.parametrize("unit", list(LENGTHS))
@pytest.mark.parametrize("text", [TEXT, *REPEATED], ids=lambda text: repr(text[:12]))
def test_windows_without_overlap_hold_the_text_in_order_though_it_repeats(
    text: str, unit: str
) -> None:
    length = LENGTHS[unit]
    check_windows_in_order(text, windows(30, 0, length)(text), 30, length)


@settings(max_examples=200, deadline=None)
@given(st.text("ab .#\n\t\u4e2d1,", max_size=300), st.integers(1, 60), st.sampled_from([*LENGTHS]))
def test_windows_of_any_text_hold_it_in_order(text: str, size: int, unit: str) -> None:
    length = LENGTHS[unit]
    check_windows_in_order(text, windows(size, 0, length)(text), size, length)


def check_windows_in_order(text: str, spans: list[Span], size: int, length: Length) -> None:
    """Only white space stands before, between and after windows, and none is too long."""
    end = 0
    for start, next_end in spans:
        assert not text[end:start].strip()
        assert start >= end
        assert length(text[start:next_end]) <= size
        end = next_end
    assert not text[end:].strip()


@pytest.mark.parametrize("unit", list(LENGTHS))
@pytest.mark.parametrize("text", [TEXT, *REPEATED], ids=lambda text: repr(text[:12]))
def test_an_overlap_begins_with_a_word_and_ends_where_the_window_before_ends(
    text: str, unit: str
) -> None:
    length = LENGTHS[unit]
    plain = windows(40, 0, length)(text)
    spans = windows(50, 10, length)(text)
    assert [end for _, end in spans] == [end for _, end in plain]
    assert spans[0] == plain[0]
    for (start, _), (plain_start, end) in zip(spans, plain, strict=True):
        assert length(text[start:plain_start]) <= 10
        assert length(text[start:end]) <= 50
        assert text[start : start + 1].strip()


@pytest.mark.parametrize("text", [TEXT, *REPEATED], ids=lambda text: repr(text[:12]))
@pytest.mark.parametrize("name", ["db3", "bumblebee7", "dragonrangers"])
def test_passages_are_spans_of_the_page_and_children_of_their_passage(name: str, text: str) -> None:
    """The sizes are the papers': db3 2.2, bumblebee7 5.2.2, dragonrangers 3.2."""
    sizes = {
        "db3": (700, len),
        "bumblebee7": (700, count_tokens),
        "dragonrangers": (512, count_tokens),
    }
    size, length = sizes[name]
    for chunk in make_chunker(web_preset(name)).chunk(PageText("", text * 5), 0):
        passage = chunk.passage
        assert (text * 5)[passage.start : passage.end] == passage.text
        assert length(passage.text) <= size
        if name != "db3":
            assert chunk.children == ((0, len(passage.text)),)
            continue
        assert chunk.children[0][0] == 0
        check_windows_in_order(passage.text, list(chunk.children), 200, len)


def test_the_librarys_own_overlap_of_tokens_gives_wrong_start_indices() -> None:
    """The reason why `windows` makes the overlap itself."""
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=50, chunk_overlap=10, length_function=count_tokens, add_start_index=True
    )
    documents = splitter.create_documents([" ".join(f"word{i}" for i in range(200))])
    assert -1 in [document.metadata["start_index"] for document in documents]


def test_a_wrong_start_index_of_the_library_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    split = windows(30, 0, len)
    monkeypatch.setattr(
        RecursiveCharacterTextSplitter, "split_text", lambda self, text: ["not in the text"]
    )
    with pytest.raises(ValueError, match="does not start at -1: 'not in the text'"):
        split(TEXT)


def test_a_section_begins_with_its_heading_and_those_above_it() -> None:
    text = "the the #1 song\n# A\n## Lists\nthe # sign\n#3 is not a heading\n###\n### Menu\n\n"
    parts = texts_at(text, headed_sections(windows(700, 20, count_tokens))(text))
    assert parts == [
        "the the #1 song",
        "# A\n## Lists\nthe # sign\n#3 is not a heading",
        "###\n### Menu",
    ]


def test_no_window_reaches_into_another_section() -> None:
    text = "\n".join(f"# Section {i}\n{'The same words. ' * 50}" for i in range(5))
    parts = texts_at(text, headed_sections(windows(40, 10, count_tokens))(text))
    assert len(parts) > 15
    assert all(part.rfind("#") < 1 for part in parts)
