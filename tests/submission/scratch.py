"""A scratch clone of the working tree as it is, in which defects can be planted."""

import json
import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from submission.weights.fetch import pin_local
from submission.weights.table import read_table, write_pins
from tests.utils.test_model_files import pointer, safetensors

ROOT = Path(__file__).resolve().parent.parent.parent
COMMIT = "0123456789abcdef0123456789abcdef01234567"
MODEL = "models/weights/Meta-Llama-3-8B-Instruct"
ADAPTER = "models/weights/adapters/write_query"
# db3's embedder and reranker are those of the settings that ship.
SHIPPED = (ROOT / "submission" / "settings" / "db3.toml").read_text(encoding="utf-8")
SHIPPED_WEB = tomllib.loads(SHIPPED)["web"]
EMBEDDER = SHIPPED_WEB["embedder"]
RERANKER = SHIPPED_WEB["reranker"].rpartition(":")[2]
FOLDERS = (MODEL, ADAPTER, EMBEDDER, RERANKER)
WEIGHTY = f"""system = "db3"
[llms.default]
spec = "hf:{MODEL}"
[llms.default.adapters]
write_query = "{ADAPTER}"
[subtasks.write_query]
adapter = "write_query"
[web]
embedder = "{EMBEDDER}"
reranker = "{SHIPPED_WEB["reranker"]}"
"""
HIDDEN = 64
# The names of the checks under which the local run reports problems.
RUN_CHECKS = set(
    re.findall(r'(?:report|add)\("([\w-]+)"', (ROOT / "submission/trial.py").read_text())
)
MODEL_FILE = """
class UserModel:
    def __init__(self):
        {init}
    def get_batch_size(self):
        return {size}
    def batch_generate_answer(self, batch):
        {work}
        return {answers}
"""
PLAIN = {"init": "pass", "size": 16, "work": "pass", "answers": "['a'] * len(batch['query'])"}


@dataclass(frozen=True)
class Scratch:
    """A clone at `root`."""

    root: Path

    def git(self, *arguments: str, stdin: bytes | None = None) -> str:
        process = subprocess.run(
            ["git", *arguments], cwd=self.root, input=stdin, capture_output=True, check=True
        )
        return process.stdout.decode()

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "planted")

    def write(self, name: str, text: str | bytes) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def edit(self, name: str, old: str, new: str) -> None:
        file = self.root / name
        text = file.read_text()
        assert old in text, f"{name} has no {old!r}"
        file.write_text(text.replace(old, new))

    def edit_json(self, name: str, **values: Any) -> None:
        """Change fields of a JSON file; None removes one."""
        file = self.root / name
        content = json.loads(file.read_text()) | values
        content = {key: value for key, value in content.items() if value is not None}
        file.write_text(json.dumps(content))

    def pin(self) -> None:
        """Pin the made-up weights to what they are now."""
        table = read_table(self.root)
        pins = {}
        for folder in FOLDERS:
            model = table.at(Path(folder))
            assert model is not None, f"{folder} is not in the table of weights"
            unpinned = model.model_copy(update={"files": (), "pin": None})
            pins[model.name] = pin_local(unpinned, self.root / folder, COMMIT)
        write_pins(pins, self.root)

    def commit_pointer(self, name: str) -> None:
        """Commit an LFS pointer in place of the file, as git-lfs does."""
        text = pointer((self.root / name).read_bytes())
        blob = self.git("hash-object", "-w", "--stdin", stdin=text).strip()
        self.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
        self.git("commit", "--quiet", "--message", "a pointer")


def make_base(folder: Path) -> Scratch:
    """A repository with one commit of all files of the working tree that are not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listing.split("\0")):
        if (ROOT / name).is_file():  # one may be deleted and not yet committed so
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    base = Scratch(folder)
    base.git("init", "--quiet")
    base.commit()
    return base


def write_model(scratch: Scratch, **parts: object) -> None:
    """A model that answers "a", or does what `parts` of its code say."""
    scratch.write("models/user_config.py", MODEL_FILE.format(**PLAIN | parts))


def write_weights(scratch: Scratch) -> None:
    """Made-up weights of tiny shapes for db3, named by the settings, pinned and committed."""
    config = {
        "hidden_size": HIDDEN,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
    }
    scratch.write(f"{MODEL}/config.json", json.dumps(config))
    scratch.write(f"{MODEL}/model.safetensors", safetensors(w=(300,)))
    for folder in (EMBEDDER, RERANKER):
        scratch.write(f"{folder}/config.json", "{}")
        scratch.write(f"{folder}/model.safetensors", safetensors(w=(100,)))
    write_adapter(scratch, HIDDEN)
    scratch.write("settings.toml", WEIGHTY)
    scratch.pin()
    scratch.commit()


def write_adapter(scratch: Scratch, inputs: int) -> None:
    """A LoRA of rank 8 for a layer with so many inputs."""
    config = {
        "peft_type": "LORA",
        "r": 8,
        "lora_alpha": 16,
        "target_modules": ["q_proj"],
        "base_model_name_or_path": "tiny",
    }
    layer = "base_model.model.model.layers.0.self_attn.q_proj"
    shapes = {f"{layer}.lora_A.weight": (8, inputs), f"{layer}.lora_B.weight": (HIDDEN, 8)}
    scratch.write(f"{ADAPTER}/adapter_config.json", json.dumps(config))
    scratch.write(f"{ADAPTER}/adapter_model.safetensors", safetensors(**shapes))
