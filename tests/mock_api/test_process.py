"""The server as a child process: found, answered, and always ended."""

import asyncio
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mock_api.__main__ import main
from mock_api.process import ROOT, serve
from utils.crag_api import CragClient
from utils.deadline import Deadline
from utils.errors import ApiUnavailable
from utils.http_server import listening_socket

pytestmark = pytest.mark.clock  # each waits for a process, within ten times what one takes


def test_a_served_folder_answers_until_its_user_fails(neutral: Path) -> None:
    with pytest.raises(RuntimeError, match="mine"):
        with serve(neutral, ready_s=60.0) as url, CragClient(url) as client:
            entity = client.call("open_get_entity", deadline=Deadline.after(30.0), query="Ost")
            assert entity == {"summary_text": "A town."}
            raise RuntimeError("mine")
    assert not accepts(int(url.rsplit(":", 1)[1]))


def test_a_server_that_ends_early_or_is_late_is_reported(neutral: Path, tmp_path: Path) -> None:
    with pytest.raises(ApiUnavailable, match=r"status 2.*\n.*neither"), serve(tmp_path):
        pass
    with pytest.raises(ApiUnavailable, match="not ready after"), serve(neutral, ready_s=0.001):
        pass


def test_the_server_ends_with_its_parent_even_if_that_is_killed(neutral: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from mock_api.process import serve\n"
        "with serve(Path(sys.argv[1])) as url: print(url, flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(neutral)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        port = int(parent.stdout.readline().rsplit(":", 1)[1])
        parent.kill()
    end = time.monotonic() + 30.0
    while time.monotonic() < end and accepts(port):
        time.sleep(0.05)
    assert not accepts(port)


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
    except OSError:
        return False
    return True


def test_a_port_that_cannot_be_used_is_one_line(
    neutral: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["--data", str(neutral), "--port", port]) == 2
    line = capsys.readouterr().err.splitlines()[-1]  # after the progress of reading
    assert f"port {port} of 127.0.0.1 cannot be used" in line
    assert "--port 0" in line
    assert main(["--data", str(neutral), "--host", "nohost.invalid"]) == 2
    assert "error: --host nohost.invalid: " in capsys.readouterr().err
    assert main(["--data", str(neutral), "--port", "80000"]) == 2
    assert "65535" in capsys.readouterr().err


def test_a_connection_sends_each_write_at_once() -> None:
    async def no_delay() -> int:
        seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            seen.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        server = await asyncio.start_server(connected, sock=listening_socket("127.0.0.1", 0))
        async with server:
            port = server.sockets[0].getsockname()[1]
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return await seen

    assert asyncio.run(no_delay())


def test_an_imported_file_is_replaced_only_if_asked(
    neutral: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "kg.sqlite"
    out.write_text("older")
    assert main(["import", str(neutral), str(out)]) == 2
    assert "exists already; replace it by --overwrite" in capsys.readouterr().err
    assert out.read_text() == "older"
    assert main(["import", str(neutral), str(out), "--overwrite"]) == 0
    assert out.read_bytes().startswith(b"SQLite")
