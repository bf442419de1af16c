"""The dataset in every form it is published in, and in some it is not."""

import bz2
import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from evaluation.dataset import SLICES, ReadNotes, read_examples, to_batch
from evaluation.streams import Consumed, count_rows, parts_of, rows
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


def numbered(count: int) -> list[dict[str, Any]]:
    return [{**ROW, "interaction_id": f"q{number}"} for number in range(count)]


def write(folder: Path, *records: Any, name: str = "questions.jsonl") -> Path:
    path = folder / name
    path.write_bytes(jsonl(*records))
    return path


def tar_of(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def ids(path: Path, **options: Any) -> list[str]:
    return [example.id for example in read_examples(path, **options)]


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("x.jsonl", bytes),
        ("x.jsonl.bz2", bz2.compress),
        ("x.jsonl.gz", gzip.compress),
        ("x.tar", lambda content: tar_of({"x/a.jsonl": content})),
        ("x.tar.bz2", lambda content: bz2.compress(tar_of({"x/a.jsonl": content}))),
        ("x.tar.bz2", lambda content: bz2.compress(tar_of({"a.jsonl.bz2": bz2.compress(content)}))),
        ("x.tar.gz", lambda content: gzip.compress(tar_of({"a.jsonl.gz": gzip.compress(content)}))),
    ],
)
def test_every_packing_gives_the_same_questions(tmp_path: Path, name: str, pack: Any) -> None:
    path = tmp_path / name
    path.write_bytes(pack(jsonl(*numbered(3))))
    assert ids(path) == ["q0", "q1", "q2"]
    assert count_rows(path) == 3
    assert ids(path, limit=2) == ["q0", "q1"]


def test_a_tar_gives_its_members_in_order_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "task3.tar.bz2"
    members = {
        "t/._part0.jsonl.bz2": b"what macOS's tar adds",
        "t/part0.jsonl.bz2": bz2.compress(jsonl(*numbered(2))),
        "t/README.md": b"# not a question",
        "t/part1.jsonl": jsonl({**ROW, "interaction_id": "last"}),
    }
    path.write_bytes(bz2.compress(tar_of(members)))
    assert ids(path) == ["q0", "q1", "last"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["task3.tar.bz2"]


def test_what_a_parallel_packer_wrote_is_read_to_its_end(tmp_path: Path) -> None:
    packed = tar_of({"a.jsonl": jsonl(*numbered(400))})
    middle = len(packed) // 2
    path = tmp_path / "x.tar.bz2"
    path.write_bytes(bz2.compress(packed[:middle]) + bz2.compress(packed[middle:]))
    assert len(ids(path)) == 400


def with_headers(*headers: tuple[bytes, int], **more: Any) -> bytes:
    """A tar whose headers, each of a type and a size, are followed by nothing of that size."""
    packed = b""
    for kind, size in headers:
        info = tarfile.TarInfo("a.jsonl")
        info.type, info.size = kind, size
        info.pax_headers = more
        packed += info.tobuf(tarfile.PAX_FORMAT if more else tarfile.GNU_FORMAT)
    return packed + bytes(2048)


@pytest.mark.parametrize("name", ["../evil.jsonl", "a/../../evil.jsonl", "{root}/evil.jsonl"])
def test_no_member_is_written_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    (inner / "x.tar").write_bytes(tar_of({name.format(root=tmp_path): jsonl(ROW)}))
    assert ids(inner / "x.tar") == ["q1"]
    assert {file.name for file in tmp_path.rglob("*")} == {"inner", "x.tar"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_link_in_an_archive_is_not_followed(tmp_path: Path, kind: bytes) -> None:
    (tmp_path / "secret.jsonl").write_bytes(jsonl(ROW))
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        link = tarfile.TarInfo("a.jsonl")
        link.type, link.linkname = kind, str(tmp_path / "secret.jsonl")
        archive.addfile(link)
    with pytest.raises(InputError, match=r"no \.jsonl file"):
        ids(tmp_path / "x.tar")


@pytest.mark.parametrize(
    "content",
    [
        with_headers((tarfile.XHDTYPE, 2**30)),
        with_headers((tarfile.XGLTYPE, 2**30)),
        with_headers((tarfile.GNUTYPE_LONGNAME, 2**30)),
        with_headers((tarfile.GNUTYPE_LONGLINK, 2**30)),
        with_headers((tarfile.GNUTYPE_SPARSE, 2**30)),
        with_headers(
            (tarfile.REGTYPE, 2**30), **{"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
        ),
    ],
    ids=["pax", "global pax", "long name", "long link", "sparse", "pax sparse"],
)
def test_an_archive_that_takes_memory_without_bound_is_refused(
    tmp_path: Path, content: bytes
) -> None:
    """tarfile reads headers whole, and gigabytes of them fit in a packed file of 1 kB."""
    path = tmp_path / "x.tar"
    path.write_bytes(content)
    with pytest.raises(InputError, match="a header of 1,073,741,824 bytes|a sparse file"):
        ids(path)


def in_parts(folder: Path, count: int, name: str = "task3.tar.bz2") -> bytes:
    whole = bz2.compress(tar_of({"a.jsonl.bz2": bz2.compress(jsonl(*numbered(200)))}))
    size = len(whole) // count + 1
    for number in range(count):
        part = folder / f"{name}.part{number + 1}"
        part.write_bytes(whole[number * size : (number + 1) * size])
    return whole


@pytest.mark.parametrize("given", ["task3.tar.bz2.part1", "task3.tar.bz2"])
def test_parts_are_one_stream_in_numeric_order(tmp_path: Path, given: str) -> None:
    in_parts(tmp_path, 11)  # part10 and part11 sort before part2 by name
    assert ids(tmp_path / given) == [f"q{number}" for number in range(200)]


def test_a_missing_part_in_the_middle_is_named(tmp_path: Path) -> None:
    in_parts(tmp_path, 4)
    (tmp_path / "task3.tar.bz2.part3").unlink()
    with pytest.raises(InputError, match=r"part3: this part is missing"):
        ids(tmp_path / "task3.tar.bz2.part1")


def test_a_missing_first_part_is_named(tmp_path: Path) -> None:
    in_parts(tmp_path, 3)
    (tmp_path / "task3.tar.bz2.part1").unlink()
    with pytest.raises(InputError, match=r"part1: this part is missing"):
        ids(tmp_path / "task3.tar.bz2")


def test_a_missing_last_part_shows_as_cut_short(tmp_path: Path) -> None:
    in_parts(tmp_path, 3)
    (tmp_path / "task3.tar.bz2.part3").unlink()
    with pytest.raises(InputError, match="cut short.*last part"):
        ids(tmp_path / "task3.tar.bz2.part1")


def test_a_whole_file_wins_over_parts_beside_it(tmp_path: Path) -> None:
    whole = in_parts(tmp_path, 2)
    (tmp_path / "task3.tar.bz2").write_bytes(whole)
    assert parts_of(tmp_path / "task3.tar.bz2") == [tmp_path / "task3.tar.bz2"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", b"a,b", "unknown kind"),
        ("x.jsonl.bz2", b"no bz2", "broken"),
        ("x.jsonl.gz", b"no gzip", "broken"),
        ("x.tar", b"no tar" * 200, "broken"),
        ("x.jsonl.bz2", bz2.compress(b"{}\n" * 999)[:-9], "cut short"),
        ("x.tar", tar_of({"readme.txt": b"hello"}), "no .jsonl file"),
    ],
)
def test_a_file_that_is_no_dataset_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(rows(path))


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="absent.jsonl: no such dataset file"):
        ids(tmp_path / "absent.jsonl")


def test_reading_is_lazy(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(jsonl(ROW) + b"not JSON\n")
    assert next(read_examples(path)).id == "q1"
    assert ids(path, limit=1) == ["q1"]


def test_how_far_a_file_was_read_follows_the_rows(tmp_path: Path) -> None:
    consumed = Consumed()
    reader = rows(write(tmp_path, *numbered(4000)), consumed)
    for _ in range(1000):
        next(reader)
    assert consumed.fraction == pytest.approx(0.25, abs=0.02)  # it reads a little ahead
    assert len(list(reader)) == 3000
    assert consumed.fraction == 1.0


@pytest.mark.parametrize(
    ("labels", "golds"),
    [
        ({"answer": "two"}, ("two",)),
        ({"answer": "two", "alt_ans": ["2", "a pair"]}, ("two", "2", "a pair")),
        ({"answer": "two", "alternative_answers": "[]"}, ("two",)),
        ({"answer": "two", "alternative_answers": "['2', 'a pair']"}, ("two", "2", "a pair")),
        (
            {"answer": "two", "alternative_answers": '["2", "a \\"pair\\""]'},
            ("two", "2", 'a "pair"'),
        ),
        ({"answer": "two", "alternative_answers": "a pair"}, ("two", "a pair")),
        ({"answer": "two", "alternative_answers": "[a pair"}, ("two", "[a pair")),
        ({"answer": "two", "alternative_answers": "[a] or [b]"}, ("two", "[a] or [b]")),
        ({"answer": 2, "alt_ans": [2.5, 2]}, ("2", "2.5")),
        ({"answer": ["two", "2"]}, ("two", "2")),
        ({"answer": " two ", "alt_ans": ["two", "", None]}, ("two",)),
        ({"answer": "two", "alt_ans": None, "answer_v4": "two"}, ("two",)),
        ({"answer": "two", "answer_v4": "three"}, ("two", "three")),
        ({"answer": "two", "answer_v4": "three", "query_v4": ROW["query"]}, ("two", "three")),
        ({"answer": float("nan"), "alt_ans": float("nan")}, ()),
        ({"answer": "nan"}, ("nan",)),
        ({"answer": None}, ()),
        ({}, ()),
    ],
)
def test_right_answers_in_every_spelling(
    tmp_path: Path, labels: dict[str, Any], golds: tuple[str, ...]
) -> None:
    row = {key: ROW[key] for key in ROW if key != "answer"}
    (example,) = read_examples(write(tmp_path, {**row, **labels}))
    assert example.golds == golds


def test_no_gold_is_read_letter_by_letter_and_no_alternative_is_lost(tmp_path: Path) -> None:
    """The public evaluator took a string for a list, and never loaded alternatives."""
    row = {**ROW, "answer": "abc", "alternative_answers": "['de', 'fg']"}
    (example,) = read_examples(write(tmp_path, row))
    assert example.golds == ("abc", "de", "fg")


def test_the_answer_to_a_reworded_question_is_no_answer_to_this_one(tmp_path: Path) -> None:
    """The later release reworded a few questions: there `answer_v4` answers `query_v4`."""
    row = {**ROW, "answer_v4": "three", "query_v4": "how many rings has planet zork?"}
    (example,) = read_examples(write(tmp_path, row))
    assert example.golds == ("two",)


def test_code_in_an_answer_is_not_run(tmp_path: Path) -> None:
    spelled = "[__import__('os').getcwd()]"
    (example,) = read_examples(write(tmp_path, {**ROW, "alternative_answers": spelled}))
    assert example.golds == ("two", spelled)


def test_slices_are_unknown_where_the_row_does_not_say(tmp_path: Path) -> None:
    rows_ = (ROW, {**ROW, "interaction_id": "q2", "domain": "movie", "question_type": "set"})
    bare, labelled = read_examples(write(tmp_path, *rows_))
    assert set(bare.slices.values()) == {"unknown"}
    assert labelled.slices == {
        "domain": "movie",
        "question_type": "set",
        "static_or_dynamic": "unknown",
        "popularity": "unknown",
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line 3: not JSON"),
        (b"\xff\xfe", "line 3: not JSON"),
        (b"[" * 100_000, "line 3: not JSON"),
        (b"[1]", "line 3: not a JSON object"),
        (b'{"answer": "two"}', "line 3: no query"),
        (b'{"query": " "}', "line 3: no query"),
        (b'{"query": 7}', "line 3: no query"),
        (b'{"query": "a", "search_results": "b"}', "line 3: search_results"),
        (b'{"query": "a", "search_results": ["b"]}', "line 3: search_results"),
    ],
)
def test_a_bad_row_is_named_or_skipped_and_counted(
    tmp_path: Path, line: bytes, message: str
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(jsonl(ROW) + b"\n" + line + b"\n" + jsonl({**ROW, "interaction_id": "q2"}))
    with pytest.raises(InputError, match=message):
        ids(path)
    notes = ReadNotes()
    assert ids(path, skip_bad=True, notes=notes) == ["q1", "q2"]
    assert notes.bad_rows == 1


def test_a_bad_row_in_an_archive_is_named_with_its_member(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(tar_of({"a.jsonl": jsonl(ROW), "b.jsonl": b"7\n"}))
    with pytest.raises(InputError, match=r"x\.tar \(b\.jsonl\), line 1: not a JSON object"):
        ids(path)


def test_a_byte_order_mark_is_no_part_of_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + jsonl(ROW))
    assert ids(path) == ["q1"]


def test_missing_ids_come_from_the_line(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    line = b'{"query": "who?"}\n'
    path.write_bytes(tar_of({"a.jsonl": b"\n" + line, "b.jsonl": line}))
    assert ids(path) == ["a.jsonl-line-2", "b.jsonl-line-1"]
    assert ids(write(tmp_path, {"query": "who?"}, {"query": "where?"})) == ["line-1", "line-2"]


def test_duplicate_ids_become_unique_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(
        tmp_path, ROW, ROW, {**ROW, "interaction_id": "q1#2"}, {**ROW, "interaction_id": 7}
    )
    notes = ReadNotes()
    assert ids(path, notes=notes) == ["q1", "q1#2", "q1#2#2", "7"]
    assert notes.renamed_ids == 2
    assert "was used before" in caplog.text


def page_row(named: Any) -> dict[str, Any]:
    return {**ROW, "search_results": [{"page_name": "Zork", "page_file": named}]}


def test_a_page_file_is_read_into_the_page(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "zork.html").write_text("<p>two moons</p>", encoding="utf-8")
    (example,) = read_examples(write(tmp_path, page_row("pages/zork.html")))
    assert example.pages == ({"page_name": "Zork", "page_result": "<p>two moons</p>"},)
    (example,) = read_examples(write(tmp_path, page_row(None)))
    assert example.pages == ({"page_name": "Zork", "page_result": ""},)


@fault("disk", "huge")
def test_a_line_without_end_is_a_bad_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.streams.MAX_LINE_BYTES", 2**20)
    path = tmp_path / "x.jsonl.bz2"
    path.write_bytes(bz2.compress(jsonl(ROW) + b"9" * (5 * 2**20) + b"\n" + jsonl(*numbered(2))))
    with pytest.raises(InputError, match="line 2: longer than"):
        ids(path)
    notes = ReadNotes()
    assert ids(path, skip_bad=True, notes=notes) == ["q1", "q0", "q1#2"]
    assert notes.bad_rows == 1


@pytest.mark.parametrize("skip_bad", [False, True])
@pytest.mark.parametrize("named", ["../secret.html", "pages/../../secret.html", "/", "link.html"])
def test_a_page_file_that_leaves_the_folder_is_refused(
    tmp_path: Path, named: str, skip_bad: bool
) -> None:
    (tmp_path / "secret.html").write_text("secret", encoding="utf-8")
    folder = tmp_path / "dataset"
    (folder / "pages").mkdir(parents=True)
    (folder / "link.html").symlink_to(tmp_path / "secret.html")
    named = str(tmp_path / "secret.html") if named == "/" else named
    with pytest.raises(InputError, match="line 1: page_file .* leaves the dataset's folder"):
        ids(write(folder, page_row(named)), skip_bad=skip_bad)


@pytest.mark.parametrize("named", ["absent.html", "", 7, ".", "a\0b"])
def test_a_page_file_that_cannot_be_read_is_refused(tmp_path: Path, named: Any) -> None:
    with pytest.raises(InputError, match="line 1: page_file"):
        ids(write(tmp_path, page_row(named)))


def test_the_batch_is_the_evaluators_and_leaks_no_label(tmp_path: Path) -> None:
    labels = {"answer": "tw0", "alt_ans": ["tvvo"], "domain": "astro", "question_type": "simple"}
    pages = [{"page_name": "Zork", "page_result": "<p>"}]
    rows_ = ({**ROW, **labels, "search_results": pages}, {"query": "who?"})
    batch = to_batch(list(read_examples(write(tmp_path, *rows_))))
    assert batch == {
        "interaction_id": ["q1", "line-2"],
        "query": [ROW["query"], "who?"],
        "query_time": [ROW["query_time"], ""],
        "search_results": [pages, []],
    }
    assert not any(label in json.dumps(batch) for label in ("tw0", "tvvo", "astro", "simple"))


@pytest.mark.crag_data
def test_the_real_files_are_read_whole(crag_data: Path) -> None:
    dev = list(read_examples(crag_data / "dev_data.jsonl.bz2"))
    assert len(dev) == 10
    assert {len(example.pages) for example in dev} == {5}
    assert any(not page["page_result"] for example in dev for page in example.pages)
    assert all("page_snippet" in page for example in dev for page in example.pages)

    questions = list(read_examples(crag_data / "questions_validation.jsonl"))
    assert len(questions) == 1371 == len({example.id for example in questions})
    assert all(example.golds and not example.pages for example in questions)
    assert not any(
        example.slices[name] == "unknown" for example in questions for name in SLICES[:3]
    )
    assert len({example.domain for example in questions}) == 5
    assert len({example.question_type for example in questions}) == 8
    raw = [json.loads(line) for line in (crag_data / "questions_validation.jsonl").open("rb")]
    for example, row in zip(questions, raw, strict=True):
        assert example.golds[0] == str(row["answer"]).strip()
        assert {str(answer) for answer in row["alt_ans"]} <= set(example.golds)
    assert sum(len(example.golds) > 1 for example in questions) >= 40

    kg = list(read_examples(crag_data / "kg_questions_validation.jsonl"))
    assert len(kg) == 476
    assert all(example.golds for example in kg)
