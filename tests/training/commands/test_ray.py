"""Commands write on Ray what they write in one process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.training.commands.scripted_server import Engines
from tests.training.commands.tower import pair, run
from training.records import write_rows


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a Ray cluster."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    yield nodes.address
    nodes.shutdown()


@pytest.mark.engine
@pytest.mark.parametrize("command", ["labels", "paraphrase"])  # two, as each takes seconds
def test_a_command_writes_on_ray_what_it_writes_in_one_process(
    command: str,
    address: str,
    tmp_path: Path,
    data: Path,
    engines: Engines,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And the replies of its workers are kept where the command runs."""
    options = ["--part", "all"]
    if command == "paraphrase":
        write_rows(data, [pair(number) for number in range(70)])  # more than one batch
        options = []

    def written(folder: str, *on_ray: object) -> dict[str, str]:
        """The texts of the files that the command writes."""
        out = tmp_path / folder / "out.jsonl"
        asking = ("--settings", engines.settings)
        run(command, "--data", data, "--out", out, *asking, *options, *on_ray)
        files = [out] if out.is_file() else sorted(out.glob("*.json*"))
        texts = {file.name: file.read_text() for file in files}
        assert texts and all(texts.values())
        return texts

    alone = written("alone")
    assert written("ray", "--ray", address) == alone
    capsys.readouterr()
    assert written("ray", "--ray", address, "--workers", 1) == alone
    counts = capsys.readouterr().err
    assert "prompts remembered" in counts and "asked" not in counts
