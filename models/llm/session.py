"""HTTP sessions that take proxies and certificates from the environment, but no passwords."""

from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.auth import HTTPBasicAuth
from requests.utils import get_auth_from_url

_KEY_HEADERS = ("Authorization", "api-key", "x-api-key")


class ServerSession(requests.Session):
    """A session whose requests carry the key that the settings name, and no other.

    requests replaces an `Authorization` header by the password that `~/.netrc` has for a host, and
    sends requests to this machine through a proxy that `HTTP_PROXY` or `ALL_PROXY` names.
    """

    def __init__(self) -> None:
        """A session without a password."""
        super().__init__()
        self.auth = _as_it_is  # else requests looks into ~/.netrc

    def rebuild_auth(
        self, prepared_request: requests.PreparedRequest, response: requests.Response
    ) -> None:
        """Remove the key from a request that another host redirects to."""
        old_url = response.request.url or ""
        leaves = self.should_strip_auth(old_url, prepared_request.url)  # type: ignore[no-untyped-call]
        if leaves:
            for name in _KEY_HEADERS:
                prepared_request.headers.pop(name, None)

    def merge_environment_settings(
        self, url: str | bytes | None, proxies: Any, stream: Any, verify: Any, cert: Any
    ) -> Any:
        """The settings of a request; one to this machine needs no proxy."""
        host = urlsplit(str(url)).hostname or ""
        if is_loopback(host):
            proxies = {**(proxies or {}), "no_proxy": host}
        return super().merge_environment_settings(url, proxies, stream, verify, cert)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "example.org")]
    [True, True, True, True, False]
    """
    host = host.rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified  # servers print 0.0.0.0


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """The request with its own key, or with the login in its URL."""
    user, password = get_auth_from_url(request.url or "")
    if user and "Authorization" not in request.headers:
        HTTPBasicAuth(user, password)(request)
    return request
