"""Files from the Hugging Face hub by plain HTTPS, resumed where they were cut off.

The two requests are the hub's own: `GET /api/models/REPO/revision/REV?blobs=true` lists a
revision's files, `GET /REPO/resolve/REV/PATH` serves one and takes a Range.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from utils.weights.check import WeightsError

HUB = "https://huggingface.co"
PART = ".part"  # what is not whole yet lies beside the file under this suffix
_CHUNK = 1 << 20
_TIMEOUT_S = (10, 60)
_ATTEMPTS = 5

Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Served:
    """A file as the hub lists it; `sha256` None: a small one that is not kept in LFS."""

    path: str
    size: int
    sha256: str | None


class Hub:
    """A hub at `url`; `token` opens gated models."""

    def __init__(self, url: str = HUB, token: str | None = None) -> None:
        self._url = url.rstrip("/")
        self._session = requests.Session()
        self._session.headers["Accept-Encoding"] = "identity"  # byte ranges are of the file itself
        if token:
            self._session.headers["Authorization"] = f"Bearer {token}"

    def files(self, repo: str, revision: str) -> tuple[str, list[Served]]:
        """The commit that `revision` is, and its files. Raises WeightsError."""
        reply = self._get(f"/api/models/{repo}/revision/{revision}?blobs=true", {})
        try:
            content = reply.json()
            return str(content["sha"]), [_served(row) for row in content["siblings"]]
        except (ValueError, KeyError, TypeError) as error:
            raise WeightsError(f"the hub's list of {repo} cannot be read: {error!r}") from error

    def download(
        self, repo: str, revision: str, path: str, file: Path, progress: Progress = lambda *_: None
    ) -> None:
        """Put the hub's `path` at `file`; what an earlier attempt left beside it is gone on from.

        Raises:
            WeightsError: it could not be had in some attempts; what came stays for the next one.
        """
        part = file.with_name(file.name + PART)
        part.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._append(f"/{repo}/resolve/{revision}/{path}", part, path, progress)
                break
            except requests.RequestException as error:
                if attempt == _ATTEMPTS:
                    raise WeightsError(f"{repo}/{path} broke off: {error}; run it again") from error
        part.replace(file)

    def _append(self, address: str, part: Path, path: str, progress: Progress) -> None:
        have = part.stat().st_size if part.is_file() else 0
        reply = self._get(address, {"Range": f"bytes={have}-"} if have else {}, stream=True)
        with reply:
            if reply.status_code == requests.codes.requested_range_not_satisfiable:
                return  # it was whole already
            resumed = reply.status_code == requests.codes.partial_content
            with part.open("ab" if resumed else "wb") as out:
                for chunk in reply.iter_content(_CHUNK):
                    out.write(chunk)
                    progress(path, out.tell())
            announced = reply.headers.get("Content-Length")
            came = part.stat().st_size - (have if resumed else 0)
            if announced and came < int(announced):
                raise requests.ConnectionError(f"{came} of {announced} bytes came")

    def _get(
        self, address: str, headers: Mapping[str, str], *, stream: bool = False
    ) -> requests.Response:
        try:
            reply = self._session.get(
                self._url + address, headers=dict(headers), stream=stream, timeout=_TIMEOUT_S
            )
        except requests.RequestException as error:
            if stream:
                raise
            raise WeightsError(f"the hub cannot be reached: {error}") from error
        if reply.status_code in (401, 403):
            raise WeightsError(
                f"the hub refuses {address} ({reply.status_code}): accept the model's licence on "
                f"its page, and give your token's file with --token-file"
            )
        if reply.status_code >= 500 and stream:
            raise requests.ConnectionError(f"the hub answers {reply.status_code}")
        if reply.status_code >= 400 and reply.status_code != 416:
            raise WeightsError(f"the hub answers {reply.status_code} to {address}")
        return reply


def _served(row: Mapping[str, Any]) -> Served:
    lfs = row.get("lfs")
    checksum = str(lfs["sha256"]) if lfs else None
    return Served(str(row["rfilename"]), int(lfs["size"] if lfs else row["size"]), checksum)
