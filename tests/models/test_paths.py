"""Paths in settings.toml are relative to its folder; their files are verified before loading."""

import json
from pathlib import Path

import pytest

from models.llm.config import LLMSettings
from models.settings import Settings, load_settings, places, read_settings, verify_places
from models.systems.make_system import all_places, completed
from models.user_model import UserModel
from tests.utils.test_model_files import pointer, safetensors
from utils.model_files import WeightsError

EVERYTHING = """
system = "electricsheep"
llm = "hf:m/base"
tokenizer = "m/tokenizer.json"
confidence = "m/confidence.json"
public_data = "m/public.sqlite"
[llms.default]
spec = "hf:m/other"
adapters = { a = "m/adapter" }
[llms.server]
spec = "openai:http://127.0.0.1:1/v1#m"
adapters = { b = "b" }
[web]
embedder = "m/embedder"
reranker = "flag:m/reranker"
[options]
attributes = "m/attributes.npz"
attributes_embedder = "m/embedder"
kg = "programs"
"""


def test_each_path_of_the_file_is_relative_to_its_folder_and_names_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(EVERYTHING)
    unchanged = all_places(read_settings(file))
    assert len(unchanged) == 9
    for place in unchanged:
        (tmp_path / place.path).mkdir(parents=True, exist_ok=True)
    (tmp_path / "m/reranker").rmdir()  # a path that does not exist may be a name on the hub
    (tmp_path / "m/here").mkdir()
    monkeypatch.chdir("/")
    loaded = load_settings(file, env={"CRAG_TOKENIZER": "m/here"})
    paths = {place.what: place.path for place in all_places(completed(loaded))}
    expected = {place.what: str(tmp_path / place.path) for place in unchanged}
    assert paths == expected | {"tokenizer": "m/here", "web.reranker": "m/reranker"}
    assert loaded.llm == loaded.llms["default"].spec == f"hf:{tmp_path}/m/base"
    assert loaded.llms["server"].adapters == {"b": "b"}
    options = completed(loaded).options
    assert options == {
        "attributes": f"{tmp_path}/m/attributes.npz",
        "attributes_embedder": f"{tmp_path}/m/embedder",
        "kg": "programs",
    }


def test_an_incomplete_model_is_reported_before_it_is_loaded(tmp_path: Path) -> None:
    settings = Settings(llms={"default": LLMSettings(f"hf:{tmp_path}")})
    weights = tmp_path / "model-00001-of-00004.safetensors"
    (tmp_path / "config.json").write_text("{}")
    weights.write_bytes(safetensors(w=(2,)))
    verify_places(places(settings))
    index = {"weight_map": {"w": "model-00004-of-00004.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(WeightsError, match="00004-of-00004.safetensors is not there"):
        verify_places(places(settings))
    weights.write_bytes(pointer(bytes(9)))
    with pytest.raises(WeightsError, match="LFS pointer"):
        UserModel(settings)
