"""Whether each adapter fits the model that it is named for."""

from collections.abc import Iterator

from models.llm.adapters import check_adapter, max_rank, read_adapter
from models.llm.errors import AdapterIncompatible, ModelMissing
from submission.tree import Tree


def adapters(tree: Tree) -> Iterator[str]:
    """Adapters of other shapes than their base, or of a rank that vLLM has no room for."""
    engines = tree.settings.llms.values() if tree.settings else ()
    for llm in engines:
        base = tree.root / llm.place
        if llm.kind == "openai" or not (base / "config.json").is_file():
            continue
        found = []
        for name, path in llm.adapters.items():
            try:
                adapter = read_adapter(name, str(tree.root / path))
                check_adapter(base, adapter)
                found.append(adapter)
            except ModelMissing:
                continue  # of which `weights-missing` speaks
            except AdapterIncompatible as error:
                if not _broken(str(error)):
                    yield str(error)
        try:
            if found and llm.kind == "vllm":
                max_rank(found)
        except AdapterIncompatible as error:
            yield str(error)


def _broken(says: str) -> bool:
    """Whether it is the file that is broken, of which `weights-truncated` speaks."""
    return "is no safetensors file" in says
