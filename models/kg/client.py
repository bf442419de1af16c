"""The client of a KG: of an API over HTTP, or of a KG on disk that is read in this process."""

from pathlib import Path

from models.settings import api_option, load_settings
from utils.crag_api import ON_DISK, CragClient, KgClient
from utils.errors import SettingsError


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
        from mock_api.local import LocalClient  # a submission does not need it

        return LocalClient(Path(url.removeprefix(ON_DISK)))
    return CragClient(url, retries=retries)


def command_client(api: str | None, *, example: bool) -> KgClient:
    """The KG that a command asks: that of `--example`, of `--api`, or of the settings.

    Raises:
        SettingsError: both are given, or there is none.
    """
    url = api_option(api, example=example)
    if not example:
        url = load_settings(api_url=url).api_url
    if url is None:
        raise SettingsError(
            "no KG: give --api URL, set CRAG_MOCK_API_URL, or ask the example KG by --example"
        )
    return make_client(url)
