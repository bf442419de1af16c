"""The dataset in every form it is published in, and in some it is not."""

import bz2
import gzip
import json
import os
import tarfile
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from evaluation.dataset import SLICES, read_examples, to_batch
from evaluation.streams import ReadNotes
from tests.evaluation.run_files import tar_of
from tests.faults.matrix import fault
from utils.errors import InputError

ROW: dict[str, Any] = {
    "interaction_id": "q1",
    "query": "how many moons has planet zork?",
    "query_time": "03/10/2024, 23:19:21 PT",
    "answer": "two",
}


def jsonl(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def named(*ids: Any) -> bytes:
    """Rows of these ids."""
    return jsonl(*({**ROW, "interaction_id": id} for id in ids))


def numbered(count: int) -> bytes:
    return named(*(f"q{number}" for number in range(count)))


def write(folder: Path, content: bytes, name: str = "x.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def in_two_streams(packed: bytes) -> bytes:
    """As parallel packers write."""
    return bz2.compress(packed[:700]) + bz2.compress(packed[700:])


def ids(path: Path, **options: Any) -> list[str]:
    return [example.id for example in read_examples(path, **options)]


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("x.jsonl.bz2", bz2.compress),
        ("x.tar", lambda content: tar_of({"x/a.jsonl": content})),
        ("x.tar.bz2", lambda content: bz2.compress(tar_of({"a.jsonl.bz2": bz2.compress(content)}))),
        ("x.tar.bz2", lambda content: in_two_streams(tar_of({"a.jsonl": content}))),
        ("x.tar.gz", lambda content: gzip.compress(tar_of({"a.jsonl.gz": gzip.compress(content)}))),
    ],
)
def test_every_packing_gives_the_same_questions(tmp_path: Path, name: str, pack: Any) -> None:
    assert ids(write(tmp_path, pack(numbered(3)), name)) == ["q0", "q1", "q2"]


def test_a_tar_gives_its_members_in_order_and_writes_nothing(tmp_path: Path) -> None:
    members = {
        "t/._part0.jsonl.bz2": b"what macOS's tar adds",
        "t/part0.jsonl.bz2": bz2.compress(numbered(2)),
        "t/README.md": b"# not a question",
        "../part1.jsonl": named("q2"),
        f"{tmp_path}/part2.jsonl": named("q3"),
    }
    inner = tmp_path / "inner"
    inner.mkdir()
    path = write(inner, bz2.compress(tar_of(members)), "x.tar.bz2")
    assert ids(path) == ["q0", "q1", "q2", "q3"]
    assert {*tmp_path.rglob("*")} == {inner, path}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_link_in_an_archive_is_not_followed(tmp_path: Path, kind: bytes) -> None:
    secret = write(tmp_path, jsonl(ROW), "secret.jsonl")
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        link = tarfile.TarInfo("a.jsonl")
        link.type = kind
        link.linkname = str(secret)
        archive.addfile(link)
    with pytest.raises(InputError, match=r"no \.jsonl file"):
        ids(tmp_path / "x.tar")


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
        tarfile.GNUTYPE_SPARSE,
        tarfile.REGTYPE,
    ],
)
def test_an_archive_that_needs_unbounded_memory_is_refused(tmp_path: Path, kind: bytes) -> None:
    """tarfile reads headers whole, and gigabytes of them fit in a packed file of 1 kB."""
    info = tarfile.TarInfo("a.jsonl")
    info.type = kind
    info.size = 2**30
    if kind == tarfile.REGTYPE:  # a sparse file too
        info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    header = info.tobuf(tarfile.PAX_FORMAT if info.pax_headers else tarfile.GNU_FORMAT)
    with pytest.raises(InputError, match="a header of 1,073,741,824 bytes|a sparse file"):
        ids(write(tmp_path, header + bytes(2048), "x.tar"))


def in_parts(folder: Path, count: int) -> bytes:
    whole = bz2.compress(tar_of({"a.jsonl.bz2": bz2.compress(numbered(200))}))
    size = len(whole) // count + 1
    for number in range(count):
        part = whole[number * size : (number + 1) * size]
        write(folder, part, f"task3.tar.bz2.part{number + 1}")
    return whole


@pytest.mark.parametrize("name", ["task3.tar.bz2.part1", "task3.tar.bz2"])
def test_parts_are_one_stream_in_numeric_order(tmp_path: Path, name: str) -> None:
    in_parts(tmp_path, 11)  # part10 and part11 sort before part2 by name
    assert ids(tmp_path / name) == [f"q{number}" for number in range(200)]


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        (1, "part1: this part is missing"),
        (3, "part3: this part is missing"),
        (4, "cut short.*last part"),
    ],
)
def test_a_missing_part_is_named(tmp_path: Path, missing: int, says: str) -> None:
    whole = in_parts(tmp_path, 4)
    (tmp_path / f"task3.tar.bz2.part{missing}").unlink()
    with pytest.raises(InputError, match=says):
        ids(tmp_path / "task3.tar.bz2")
    assert len(ids(write(tmp_path, whole, "task3.tar.bz2"))) == 200  # its parts do not matter


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", b"a,b", "unknown kind"),
        ("x.jsonl.bz2", b"no bz2", "broken"),
        ("x.tar", b"no tar" * 200, "broken"),
        ("x.jsonl.bz2", bz2.compress(jsonl(ROW) * 999)[:-9], "cut short"),
        ("x.tar", tar_of({"readme.txt": b"hello"}), "no .jsonl file"),
        ("x.tar", tar_of({"a.jsonl": jsonl(ROW), "b.jsonl": b"7"}), r"x\.tar \(b\.jsonl\), line 1"),
    ],
)
def test_a_file_that_is_no_dataset_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        ids(write(tmp_path, content, name))


def test_reading_is_lazy_and_reports_its_progress(tmp_path: Path) -> None:
    notes = ReadNotes()
    reader = read_examples(write(tmp_path, numbered(4000) + b"not JSON\n"), notes=notes)
    assert len(list(islice(reader, 1000))) == 1000
    share = notes.bytes_read / notes.bytes_in_all
    assert share == pytest.approx(0.25, abs=0.02)  # it reads a little ahead


CODE = "[__import__('os').getcwd()]"


@pytest.mark.parametrize(
    ("labels", "golds"),
    [
        ({"answer": "ab", "alternative_answers": "['2', 'cd']"}, ("ab", "2", "cd")),
        ({"answer": "two", "alternative_answers": '["2", "\\"a\\""]'}, ("two", "2", '"a"')),
        ({"answer": "two", "alternative_answers": "[a] or [b]"}, ("two", "[a] or [b]")),
        ({"answer": "two", "alternative_answers": CODE}, ("two", CODE)),
        ({"answer": 2, "alt_ans": [2.5, 2]}, ("2", "2.5")),
        ({"answer": " two ", "alt_ans": ["two", "", None]}, ("two",)),
        ({"answer": "two", "answer_v4": "three", "query_v4": ROW["query"]}, ("two", "three")),
        ({"answer": "two", "answer_v4": "three", "query_v4": "a reworded question"}, ("two",)),
        ({"answer": float("nan"), "alt_ans": float("nan")}, ()),
        ({"answer": "nan"}, ("nan",)),
        ({}, ()),
    ],
)
def test_every_spelling_of_answers_is_read(
    tmp_path: Path, labels: dict[str, Any], golds: tuple[str, ...]
) -> None:
    """The public evaluator read a string as a list, and never loaded alternatives."""
    row = {key: ROW[key] for key in ROW if key != "answer"}
    (example,) = read_examples(write(tmp_path, jsonl({**row, **labels})))
    assert example.golds == golds


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line 3: not JSON"),
        (b"\xff\xfe", "line 3: not JSON"),
        (b"[" * 100_000, "line 3: not JSON"),
        (b"[1]", "line 3: not a JSON object"),
        (b'{"query": " "}', "line 3: no query"),
        (b'{"query": 7}', "line 3: query is 7, not a text"),
        (b'{"question": "who?"}', "line 3: no query; rename `question` to `query`"),
        (b'{"query": "a", "search_results": "b"}', "line 3: search_results"),
        (b'{"query": "a", "search_results": ["b"]}', "line 3: search_results"),
    ],
)
def test_a_bad_row_is_named_or_skipped(tmp_path: Path, line: bytes, message: str) -> None:
    path = write(tmp_path, named("q1") + b"\n" + line + b"\n" + named("q2"))
    with pytest.raises(InputError, match=message):
        ids(path)
    notes = ReadNotes()
    assert ids(path, skip_bad=True, notes=notes) == ["q1", "q2"]
    assert notes.bad_rows == 1


def test_missing_ids_come_from_the_line(tmp_path: Path) -> None:
    line = b'{"query": "who?"}\n'
    packed = tar_of({"a.jsonl": b"\n" + line, "b.jsonl": line})
    assert ids(write(tmp_path, packed, "x.tar")) == ["a.jsonl-line-2", "b.jsonl-line-1"]
    byte_order_mark = b"\xef\xbb\xbf"
    assert ids(write(tmp_path, byte_order_mark + line * 2)) == ["line-1", "line-2"]


def test_duplicate_ids_become_unique_and_are_counted(tmp_path: Path) -> None:
    notes = ReadNotes()
    path = write(tmp_path, named("q1", "q1", "q1#2", 7))
    assert ids(path, notes=notes) == ["q1", "q1#2", "q1#2#2", "7"]
    assert notes.renamed_ids == 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a dataset, with a page, and a link to what lies outside."""
    folder = tmp_path / "dataset"
    (folder / "p").mkdir(parents=True)
    write(folder, b"<p>two moons</p>", "p/zork.html")
    (folder / "link.html").symlink_to(write(tmp_path, b"secret", "secret.html"))
    return folder


def page_row(*files: Any) -> dict[str, Any]:
    return {**ROW, "search_results": [{"page_name": "Zork", "page_file": file} for file in files]}


def test_a_page_file_is_read_into_the_page(folder: Path) -> None:
    (example,) = read_examples(write(folder, jsonl(page_row("p/zork.html", None))))
    assert [page["page_result"] for page in example.pages] == ["<p>two moons</p>", ""]
    assert example.pages[0].keys() == {"page_name", "page_result"}


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("../secret.html", "leaves the dataset's folder"),
        ("p/../../secret.html", "leaves the dataset's folder"),
        ("/etc/hostname", "leaves the dataset's folder"),
        ("link.html", "leaves the dataset's folder"),
        ("absent.html", "cannot be read"),
        (7, "cannot be read"),
        ("a\0b", "cannot be read"),
    ],
)
def test_a_page_file_outside_is_a_bad_row(folder: Path, file: Any, says: str) -> None:
    dataset = write(folder, jsonl(page_row(file)))
    with pytest.raises(InputError, match=f"line 1: page_file .* {says}"):
        ids(dataset)
    assert ids(dataset, skip_bad=True) == []


@fault("disk", "huge")
def test_a_line_without_end_is_a_bad_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.streams.MAX_LINE_BYTES", 2**20)
    content = named("a") + b"9" * (5 * 2**20) + b"\n" + named("b")
    path = write(tmp_path, bz2.compress(content), "x.jsonl.bz2")
    with pytest.raises(InputError, match="line 2: longer than"):
        ids(path)
    assert ids(path, skip_bad=True) == ["a", "b"]


def test_the_batch_has_the_form_of_the_evaluator_and_no_label(tmp_path: Path) -> None:
    labels = {"answer": "tw0", "alt_ans": ["tvvo"], "domain": "astro", "question_type": "simple"}
    pages = [{"page_name": "Zork", "page_result": "<p>"}]
    content = jsonl({**ROW, **labels, "search_results": pages}, {"query": "who?"})
    assert to_batch(list(read_examples(write(tmp_path, content)))) == {
        "interaction_id": ["q1", "line-2"],
        "query": [ROW["query"], "who?"],
        "query_time": [ROW["query_time"], ""],
        "search_results": [pages, []],
    }


@pytest.mark.crag_data
def test_the_real_files_are_read_whole(crag_data: Path) -> None:
    dev = list(read_examples(crag_data / "dev_data.jsonl.bz2"))
    assert [len(example.pages) for example in dev] == [5] * 10
    questions = list(read_examples(crag_data / "questions_validation.jsonl"))
    assert len(questions) == 1371 == len({example.id for example in questions})
    assert all(example.golds and not example.pages for example in questions)
    assert not any("unknown" in [q.slices[name] for name in SLICES[:3]] for q in questions)
    assert sum(len(example.golds) > 1 for example in questions) >= 40


@pytest.mark.parametrize(
    ("results", "pages"),
    [
        (None, []),
        ("", []),
        ("[]", []),
        ('[{"page_name": "a"}]', ["a"]),
        ([None, {"page_name": "b"}], ["b"]),
        ([{"page_name": "a"}, None], ["a"]),
    ],
)
def test_pages_may_be_json_in_a_text_or_lack_some(
    tmp_path: Path, results: Any, pages: list[str]
) -> None:
    row = {"query": "who?", "answer": "ada", "search_results": results}
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    [example] = read_examples(file)
    assert [page["page_name"] for page in example.pages] == pages


@pytest.mark.parametrize("results", ["pages", '{"page_name": "a"}', 5, [5], {"page_name": "a"}])
def test_what_is_no_list_of_pages_is_named(tmp_path: Path, results: Any) -> None:
    file = tmp_path / "questions.jsonl"
    row = {"query": "who?", "answer": "ada", "search_results": results}
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: search_results is not a list of objects"):
        list(read_examples(file))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_dataset_in_utf_16_says_so(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "questions.jsonl"
    mark = "" if encoding == "utf-16" else "\ufeff"
    file.write_bytes(f'{mark}{{"query": "who?", "answer": "ada"}}\n'.encode(encoding))
    with pytest.raises(InputError, match="UTF-16; save the dataset as UTF-8"):
        list(read_examples(file))


def test_a_pipe_is_no_dataset(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="a pipe or device"):
        list(read_examples(pipe))
