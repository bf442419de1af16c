"""Makes the client of the KG that a setting names."""

from pathlib import Path

from utils.crag_api import CragClient, KgClient

ON_DISK = "file:"
EXAMPLE_KG = f"{ON_DISK}{Path(__file__).resolve().parents[2] / 'example_data' / 'kg'}"


def make_client(url: str, *, retries: int = 2) -> KgClient:
    """The client of the API at `url`; of `file:PATH`, the KG at that path, read in this process.

    Args:
        url: http, https or file.
        retries: of a call over HTTP that failed.

    Raises:
        InputError: there is no KG at that path.
        SettingsError: it is no such URL.
    """
    if url.startswith(ON_DISK):
        from mock_api.local import LocalClient  # a submission has no use for it

        return LocalClient(Path(url.removeprefix(ON_DISK)))
    return CragClient(url, retries=retries)
