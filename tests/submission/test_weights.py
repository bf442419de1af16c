"""The table, fetching from a hub that breaks off, verifying, pinning."""

import hashlib
import json
import sys
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from models.systems.factory import SYSTEMS
from models.web.settings import PRESETS
from submission.weights.__main__ import main
from submission.weights.fetch import fetch, pin_hub, pin_local
from submission.weights.table import (
    PINS,
    ROOT,
    TABLE,
    FilePin,
    ModelRow,
    Pin,
    read_pins,
    read_table,
)
from tests.utils.test_model_files import safetensors
from utils.errors import MissingPackageError, SettingsError
from utils.model_files import WeightsError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {"config.json": b'{"hidden_size": 4}', "model.safetensors": safetensors(w=(200,))}


def row(
    content: dict[str, bytes] = FILES, *, pinned: bool = True, repo: str = "us/tiny"
) -> ModelRow:
    files = {
        path: FilePin(size=len(body), sha256=hashlib.sha256(body).hexdigest())
        for path, body in content.items()
    }
    pin = Pin(revision=COMMIT if repo else "", files=files) if pinned else None
    return ModelRow(name="tiny", repo=repo, folder=Path("models/weights/tiny"), pin=pin)


@dataclass
class FakeHub:
    """A hub on this machine; `cut_at`: how many bytes of a file go out before it hangs up, once."""

    files: dict[str, bytes]
    cut_at: int | None = None
    gated: bool = False
    asked: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeHub]:
    constants = pytest.importorskip("huggingface_hub.constants", reason="pip install '.[weights]'")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    fake = FakeHub(dict(FILES))

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            if self.path.startswith("/api/models/us/tiny/revision/"):
                return self._send(200, json.dumps({"id": "us/tiny", "sha": COMMIT}).encode())
            if self.path.startswith("/api/models/us/tiny/tree/"):
                rows = [
                    {"type": "file", "path": path, "size": len(body), "oid": path}
                    for path, body in fake.files.items()
                ]
                return self._send(200, json.dumps(rows).encode())
            if fake.gated and self.headers.get("Authorization") != "Bearer sesame":
                return self._send(403, b"", {"X-Error-Code": "GatedRepo"})
            body = fake.files.get(self.path.partition(f"/{COMMIT}/")[2])
            if body is None:
                return self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
            spread = self.headers.get("Range")
            fake.asked.append((self.command, spread))
            start = int(spread.removeprefix("bytes=").partition("-")[0]) if spread else 0
            self._send(206 if spread else 200, body[start:])

        def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            tag = hashlib.sha256(self.path.encode()).hexdigest()
            given = {"Content-Length": str(len(body)), "ETag": f'"{tag}"', "X-Repo-Commit": COMMIT}
            for name, value in (given | (headers or {})).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "HEAD":
                return
            if fake.cut_at is not None and len(body) > fake.cut_at:
                body, fake.cut_at = body[: fake.cut_at], None
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"  # as HF_ENDPOINT sets it
    monkeypatch.setattr(constants, "ENDPOINT", url)
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace("https://huggingface.co", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    yield fake
    server.shutdown()
    server.server_close()


def write_table(root: Path, place: str = "models/weights/tiny") -> None:
    (root / TABLE).parent.mkdir(parents=True)
    (root / TABLE).write_text(
        f'[systems]\ndb3 = ["tiny"]\n[models.tiny]\nrepo = "us/tiny"\nfolder = "{place}"'
    )
    (root / PINS).write_text("{}")


@pytest.mark.parametrize("folder", ["/models/weights/x", "models/weights/../x", "weights/x"])
def test_a_folder_outside_the_weights_is_refused(tmp_path: Path, folder: str) -> None:
    write_table(tmp_path, folder)
    with pytest.raises(SettingsError, match="must lie in"):
        read_table(tmp_path)


def test_files_come_from_the_hub_and_are_not_fetched_twice(tmp_path: Path, served: FakeHub) -> None:
    fetch(row(), tmp_path)
    assert not list(row().problems(tmp_path))
    served.asked.clear()
    fetch(row(), tmp_path)
    assert not served.asked


def test_an_interrupted_download_resumes(tmp_path: Path, served: FakeHub) -> None:
    served.files["model.safetensors"] = safetensors(w=(30 << 20,))
    served.cut_at = 20 << 20
    large = row(served.files)
    fetch(large, tmp_path)
    assert not list(large.problems(tmp_path))
    starts = [int(spread[6:].partition("-")[0]) for _, spread in served.asked if spread]
    assert starts and min(starts) > 0


def test_a_file_that_differs_from_its_pin_is_refused_and_removed(
    tmp_path: Path, served: FakeHub
) -> None:
    served.files["config.json"] = b'{"hidden_size": 5}'
    with pytest.raises(WeightsError, match="differs from its pin"):
        fetch(row(), tmp_path)
    assert not (tmp_path / row().folder / "config.json").exists()


def test_a_gated_model_wants_a_token(
    tmp_path: Path, served: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.gated = True
    with pytest.raises(WeightsError, match="licence"):
        fetch(row(), tmp_path)
    monkeypatch.setenv("HF_TOKEN", "sesame")
    fetch(row(), tmp_path)


def test_a_hub_that_has_no_such_model_is_an_error(tmp_path: Path, served: FakeHub) -> None:
    with pytest.raises(WeightsError, match="run it again"):
        fetch(row(repo="us/none"), tmp_path)


def test_a_missing_package_names_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingPackageError, match=r"pip install -e '\.\[weights\]'"):
        fetch(row(), tmp_path)


@pytest.mark.parametrize("name", ["tiny", "."])
def test_a_local_folder_serves_instead_of_the_hub(tmp_path: Path, name: str) -> None:
    for path, body in FILES.items():
        (tmp_path / "copies" / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / "copies" / name / path).write_bytes(body)
    fetch(row(repo=""), tmp_path, tmp_path / "copies")
    assert not list(row().problems(tmp_path))


def test_the_hub_pins_a_row(tmp_path: Path, served: FakeHub) -> None:
    served.files["picture.png"] = b"png"
    assert pin_hub(row(pinned=False), tmp_path) == row().pin


def test_a_copy_pins_a_row(tmp_path: Path) -> None:
    for path, body in FILES.items():
        (tmp_path / path).write_bytes(body)
    bare = row(pinned=False)
    assert pin_local(bare, tmp_path, COMMIT) == row().pin
    with pytest.raises(WeightsError, match="--revision"):
        pin_local(bare, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(FILES["model.safetensors"][:-1])
    with pytest.raises(WeightsError, match="expected"):
        pin_local(bare, tmp_path, COMMIT)


def test_the_command_pins_fetches_and_verifies(
    tmp_path: Path, served: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    write_table(tmp_path)
    shared = ["--root", str(tmp_path)]
    assert main(["fetch", "--system", "db3", *shared]) == 2
    assert "not pinned" in capsys.readouterr().err
    assert main(["pin", "tiny", "--hub", *shared]) == 0
    assert read_pins(tmp_path)["tiny"] == row().pin
    assert main(["fetch", "--system", "db3", *shared]) == 0
    assert main(["verify", "--system", "db3", *shared]) == 0
    (tmp_path / row().folder / "config.json").unlink()
    assert main(["verify", "--system", "db3", *shared]) == 1
    assert "missing" in capsys.readouterr().out
    assert main(["list", *shared]) == 0
    assert main(["list", "--system", "nobody", *shared]) == 2


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_system_is_listed_with_the_models_of_its_web_path(system: str) -> None:
    listed = read_table().of_system(system)
    web = PRESETS.get(system, PRESETS["default"])
    used = {str(name).rpartition(":")[2] for name in (web.embedder, web.reranker) if name}
    assert used <= {model.repo for model in listed}
    for settings in (ROOT / "submission" / "settings").glob(f"{system}.toml"):
        values = tomllib.loads(settings.read_text(encoding="utf-8"))
        places = [*values["web"].values(), values["llms"]["default"]["spec"]]
        named = {place.rpartition(":")[2] for place in places}
        assert named <= {str(model.folder) for model in listed}
