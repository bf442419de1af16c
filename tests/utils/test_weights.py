"""Weights: the table, fetching from a hub that breaks off, verifying, pinning."""

import hashlib
import json
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from utils.errors import SettingsError
from utils.weights.__main__ import main
from utils.weights.check import Fault, WeightsError, read_pointer, trouble, troubles
from utils.weights.fetch import fetch, pin_hub, pin_local
from utils.weights.hub import PART, Hub
from utils.weights.table import TABLE, File, Model, Table, read_table, write_table

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def safetensors(values: int = 64) -> bytes:
    """A whole file with one tensor of bytes."""
    header = {"w": {"dtype": "U8", "shape": [values], "data_offsets": [0, values]}}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(values)


FILES = {"config.json": b'{"hidden_size": 4}', "model.safetensors": safetensors(200)}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def row(folder: str = "models/weights/tiny", content: dict[str, bytes] = FILES) -> Model:
    files = tuple(File(path, len(body), digest(body)) for path, body in content.items())
    return Model("tiny", "us/tiny", COMMIT, Path(folder), files)


@dataclass
class FakeHub:
    """A hub on this machine; `cut_at`: how many bytes of a file go out before it hangs up, once."""

    files: dict[str, bytes]
    cut_at: int | None = None
    gated: bool = False
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def served() -> Iterator[FakeHub]:
    fake = FakeHub(dict(FILES))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            spread = self.headers.get("Range")
            fake.asked.append((self.path, spread))
            if fake.gated and self.headers.get("Authorization") != "Bearer sesame":
                return self.send_error(403)
            if self.path.startswith("/api/"):
                return self._send(200, self._listing())
            body = fake.files.get(self.path.partition(f"/{COMMIT}/")[2])
            if body is None:
                return self.send_error(404)
            start = int(spread.removeprefix("bytes=").rstrip("-")) if spread else 0
            if start >= len(body):
                return self.send_error(416)
            self._send(206 if spread else 200, body[start:])

        def _listing(self) -> bytes:
            siblings = [
                {"rfilename": path, "size": len(body)}
                | (
                    {"lfs": {"sha256": digest(body), "size": len(body)}}
                    if "." in path[-13:]
                    else {}
                )
                for path, body in fake.files.items()
            ]
            return json.dumps({"sha": COMMIT, "siblings": siblings}).encode()

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if fake.cut_at is not None and len(body) > fake.cut_at:
                body, fake.cut_at = body[: fake.cut_at], None
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    fake.url = f"http://127.0.0.1:{server.server_port}"
    yield fake
    server.shutdown()
    server.server_close()


def quiet(_: str) -> None:
    """Take a line and drop it."""


def test_the_table_is_read_and_written_alike(tmp_path: Path) -> None:
    table = read_table()
    write_table(table, tmp_path / "table.toml")
    assert read_table(tmp_path / "table.toml") == table
    assert (tmp_path / "table.toml").read_text() == TABLE.read_text()


def test_a_value_in_the_table_is_a_commit_and_a_checksum_or_nothing() -> None:
    for model in read_table().models.values():
        assert model.revision == "" or len(model.revision) == 40
        assert all(file.sha256 is None or len(file.sha256) == 64 for file in model.files)


@pytest.mark.parametrize("folder", ["/models/weights/x", "models/weights/../x", "weights/x"])
def test_a_folder_outside_the_weights_is_refused(tmp_path: Path, folder: str) -> None:
    write_table(Table({"tiny": row(folder)}, {}), tmp_path / "table.toml")
    with pytest.raises(SettingsError, match="must lie in"):
        read_table(tmp_path / "table.toml")


def test_files_come_from_the_hub_and_are_not_fetched_twice(tmp_path: Path, served: FakeHub) -> None:
    fetch(row(), tmp_path, Hub(served.url), say=quiet)
    assert not list(troubles(row(), tmp_path))
    served.asked.clear()
    fetch(row(), tmp_path, Hub(served.url), say=quiet)
    assert not served.asked


def test_a_download_that_broke_off_goes_on_where_it_was(tmp_path: Path, served: FakeHub) -> None:
    served.files["model.safetensors"] = safetensors(3 << 20)
    served.cut_at = (2 << 20) + 5  # what is written is whole chunks
    large = row(content=served.files)
    fetch(large, tmp_path, Hub(served.url), say=quiet)
    assert not list(troubles(large, tmp_path))
    assert [spread for _, spread in served.asked if spread] == [f"bytes={2 << 20}-"]


def test_what_an_earlier_run_left_is_gone_on_from(tmp_path: Path, served: FakeHub) -> None:
    folder = tmp_path / row().folder
    folder.mkdir(parents=True)
    (folder / f"model.safetensors{PART}").write_bytes(FILES["model.safetensors"][:33])
    fetch(row(), tmp_path, Hub(served.url), say=quiet)
    assert not list(troubles(row(), tmp_path))
    assert ("bytes=33-") in [spread for _, spread in served.asked]


def test_what_is_not_the_tables_is_refused_and_removed(tmp_path: Path, served: FakeHub) -> None:
    served.files["config.json"] = b'{"hidden_size": 5}'
    with pytest.raises(WeightsError, match="not the table's"):
        fetch(row(), tmp_path, Hub(served.url), say=quiet)
    assert not (tmp_path / row().folder / "config.json").exists()


def test_a_gated_model_wants_a_token(tmp_path: Path, served: FakeHub) -> None:
    served.gated = True
    with pytest.raises(WeightsError, match="licence"):
        fetch(row(), tmp_path, Hub(served.url), say=quiet)
    fetch(row(), tmp_path, Hub(served.url, "sesame"), say=quiet)


def test_a_row_that_is_not_pinned_is_not_fetched(tmp_path: Path, served: FakeHub) -> None:
    for unpinned in (replace(row(), revision=""), replace(row(), files=(File("config.json"),))):
        with pytest.raises(WeightsError, match="not pinned"):
            fetch(unpinned, tmp_path, Hub(served.url), say=quiet)


@pytest.mark.parametrize("name", ["tiny", "."])
def test_a_local_folder_serves_instead_of_the_hub(tmp_path: Path, name: str) -> None:
    copy = tmp_path / "copies"
    for path, body in FILES.items():
        (copy / name / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / name / path).write_bytes(body)
    nowhere = Hub("http://127.0.0.1:9")
    fetch(replace(row(), repo=""), tmp_path, nowhere, copy, quiet)
    assert list(troubles(row(), tmp_path)) == []


def test_the_hub_pins_a_row(tmp_path: Path, served: FakeHub) -> None:
    bare = replace(row(), revision="", files=())
    assert pin_hub(bare, Hub(served.url), tmp_path, say=quiet) == row()


def test_a_copy_pins_a_row(tmp_path: Path) -> None:
    for path, body in FILES.items():
        (tmp_path / path).write_bytes(body)
    bare = replace(row(), revision="", files=())
    assert pin_local(bare, tmp_path, COMMIT) == row()
    with pytest.raises(WeightsError, match="--revision"):
        pin_local(bare, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(FILES["model.safetensors"][:-1])
    with pytest.raises(WeightsError, match="bytes of"):
        pin_local(bare, tmp_path, COMMIT)


def pointer(body: bytes) -> bytes:
    head = "version https://git-lfs.github.com/spec/v1"
    return f"{head}\noid sha256:{digest(body)}\nsize {len(body)}\n".encode()


WHOLE = FILES["model.safetensors"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, Fault.MISSING),
        (WHOLE[:-1], Fault.TRUNCATED),
        (pointer(WHOLE), Fault.POINTER),
        (WHOLE[:-1] + b"!", Fault.CHANGED),
        (WHOLE + b"!", Fault.CHANGED),
        (WHOLE, None),
    ],
)
def test_what_is_wrong_with_a_file(
    tmp_path: Path, content: bytes | None, fault: Fault | None
) -> None:
    file = tmp_path / "model.safetensors"
    if content is not None:
        file.write_bytes(content)
    found = trouble(file, row().files[1])
    assert (found.fault if found else None) == fault


@pytest.mark.parametrize("content", [WHOLE[:-1], b"", b"short", WHOLE[:20]])
def test_a_truncated_file_shows_without_a_row(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "adapter_model.safetensors"
    file.write_bytes(content)
    found = trouble(file)
    assert found and found.fault is Fault.TRUNCATED


def test_a_pointer_is_read() -> None:
    read = read_pointer(pointer(WHOLE))
    assert read and (read.sha256, read.size) == (digest(WHOLE), len(WHOLE))
    assert read_pointer(WHOLE) is None


def test_the_command_pins_fetches_and_verifies(
    tmp_path: Path, served: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.toml"
    bare = replace(row(), revision="", files=())
    write_table(Table({"tiny": bare}, {"db3": ("tiny",)}), table)
    shared = ["--table", str(table), "--root", str(tmp_path)]
    remote = ["--hub-url", served.url, "--token-file", str(tmp_path / "none")]
    assert main(["fetch", "--system", "db3", *shared, *remote]) == 1
    assert "not pinned" in capsys.readouterr().err
    assert main(["pin", "tiny", "--hub", *shared, *remote]) == 0
    assert read_table(table).models["tiny"] == row()
    assert main(["fetch", "--system", "db3", *shared, *remote]) == 0
    assert main(["verify", "--system", "db3", *shared]) == 0
    (tmp_path / row().folder / "config.json").unlink()
    assert main(["verify", "--system", "db3", *shared]) == 1
    assert "missing" in capsys.readouterr().out
    assert main(["list", *shared]) == 0
    assert main(["list", "--system", "nobody", *shared]) == 1
