"""The table of weights, fetching, verifying, pinning."""

import hashlib
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from models.systems.make_system import SYSTEMS, spec_of
from submission.weights.__main__ import main
from submission.weights.fetch import fetch, pin_local
from submission.weights.table import PINS, TABLE, FilePin, ModelRow, Pin, read_pins, read_table
from tests.submission.scratch import COMMIT
from tests.utils.test_model_files import safetensors
from utils.errors import SettingsError
from utils.model_files import WeightsError

FILES = {"config.json": b'{"hidden_size": 4}', "model.safetensors": safetensors(w=(200,))}


def row(repo: str = "us/tiny") -> ModelRow:
    files = {
        path: FilePin(size=len(body), sha256=hashlib.sha256(body).hexdigest())
        for path, body in FILES.items()
    }
    pin = Pin(revision=COMMIT if repo else "", files=files)
    return ModelRow(name="tiny", repo=repo, folder=Path("models/weights/tiny"), pin=pin)


@dataclass
class FakeHub:
    """Stands for `huggingface_hub.HfApi`; records the patterns of files that it is asked for."""

    files: dict[str, bytes]
    refusal: Exception | None = None
    requests: list[str] = field(default_factory=list)

    def model_info(self, repo: str, revision: str) -> SimpleNamespace:
        return SimpleNamespace(sha=COMMIT)

    def snapshot_download(
        self, repo: str, *, local_dir: Path, allow_patterns: list[str], **_: object
    ) -> None:
        self.requests += allow_patterns
        if self.refusal:
            raise self.refusal
        for path, body in self.files.items():
            if any(fnmatch(path, pattern) for pattern in allow_patterns):
                local_dir.mkdir(parents=True, exist_ok=True)
                (local_dir / path).write_bytes(body)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> FakeHub:
    huggingface_hub = pytest.importorskip("huggingface_hub", reason="pip install '.[weights]'")
    fake = FakeHub(dict(FILES))
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: fake)
    return fake


def write_table(root: Path, place: str = "models/weights/tiny") -> None:
    (root / TABLE).parent.mkdir(parents=True)
    (root / TABLE).write_text(f'[models.tiny]\nrepo = "us/tiny"\nfolder = "{place}"')
    (root / PINS).write_text("{}")


def write_files(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path, body in FILES.items():
        (folder / path).write_bytes(body)


@pytest.mark.parametrize("folder", ["/models/weights/x", "models/weights/../x", "weights/x"])
def test_a_folder_outside_the_weights_is_refused(tmp_path: Path, folder: str) -> None:
    write_table(tmp_path, folder)
    with pytest.raises(SettingsError, match="must lie in"):
        read_table(tmp_path)


def test_a_file_unlike_its_pin_is_refused_and_removed(tmp_path: Path, served: FakeHub) -> None:
    served.files["config.json"] = b'{"hidden_size": 5}'
    with pytest.raises(WeightsError, match="differs from its pin"):
        fetch(row(), tmp_path)
    assert not (tmp_path / row().folder / "config.json").exists()


@pytest.mark.parametrize(
    ("kind", "why"), [("GatedRepoError", "licence"), ("HfHubHTTPError", "run it again")]
)
def test_a_refusing_hub_is_an_error(tmp_path: Path, served: FakeHub, kind: str, why: str) -> None:
    from huggingface_hub import errors

    refused = httpx.Response(403, request=httpx.Request("GET", "http://hub"))
    served.refusal = getattr(errors, kind)("no", response=refused)
    with pytest.raises(WeightsError, match=why):
        fetch(row(), tmp_path)


@pytest.mark.parametrize("name", ["tiny", "."])
def test_a_local_folder_serves_instead_of_the_hub(tmp_path: Path, name: str) -> None:
    write_files(tmp_path / "copies" / name)
    fetch(row(""), tmp_path, tmp_path / "copies")
    assert not list(row().problems(tmp_path))


def test_a_copy_pins_a_row(tmp_path: Path) -> None:
    write_files(tmp_path)
    bare = row().model_copy(update={"pin": None})
    assert pin_local(bare, tmp_path, COMMIT) == row().pin
    with pytest.raises(WeightsError, match="--revision"):
        pin_local(bare, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(FILES["model.safetensors"][:-1])
    with pytest.raises(WeightsError, match="expected"):
        pin_local(bare, tmp_path, COMMIT)


def test_the_command_pins_fetches_and_verifies(
    tmp_path: Path,
    served: FakeHub,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = tmp_path / "somebody"
    package.mkdir()
    (package / "tiny_system.py").write_text(
        "from models.systems.offline import build\n"
        "from models.systems.protocol import SystemSpec\n"
        'SYSTEM = SystemSpec(build, weights=("tiny",))\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    of_system = ["--system", "somebody.tiny_system"]
    served.files["picture.png"] = b"png"
    write_table(tmp_path)
    shared = ["--root", str(tmp_path)]
    assert main(["fetch", *of_system, *shared]) == 2
    assert "not pinned" in capsys.readouterr().err
    assert main(["pin", "tiny", "--hub", *shared]) == 0
    assert read_pins(tmp_path)["tiny"] == row().pin
    config = tmp_path / row().folder / "config.json"
    config.unlink()
    served.requests.clear()
    for _ in range(2):  # whole files are not fetched again
        assert main(["fetch", *of_system, *shared]) == 0
        assert served.requests == ["config.json"]
    assert main(["verify", *of_system, *shared]) == 0
    config.unlink()
    assert main(["verify", *of_system, *shared]) == 1
    assert "missing" in capsys.readouterr().out
    assert main(["list", *shared]) == 0
    assert main(["list", "--system", "nobody", *shared]) == 2


def test_a_model_of_the_web_path_needs_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "of_somebody"
    package.mkdir()
    (package / "web_system.py").write_text(
        "from models.systems.offline import build\n"
        "from models.systems.protocol import SystemSpec\n"
        "from models.web.settings import WebSettings\n"
        'SYSTEM = SystemSpec(build, web=WebSettings(embedder="acme/Model-X"))\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    (model,) = read_table().of_system("of_somebody.web_system")
    assert (model.repo, model.folder.name) == ("acme/Model-X", "Model-X")


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_table_has_the_models_of_a_system_and_of_its_web_path(
    system: str,
) -> None:
    spec = spec_of(system)
    models = {model.name: model for model in read_table().of_system(system)}
    assert set(spec.weights) <= set(models)
    repos = {models[name].repo for name in models.keys() - set(spec.weights)}
    web_models = (spec.web.embedder, spec.web.reranker)
    assert repos == {setting.rpartition(":")[2] for setting in web_models if setting}
