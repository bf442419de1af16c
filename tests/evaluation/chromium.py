"""Headless Chromium, driven by selenium, for the pages that an evaluation writes."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
# No requests of Chromium itself, which would be counted as the page's.
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()


def why_not() -> str:
    """Why no browser can be started; empty if one can."""
    if find_spec("selenium") is None:
        return "selenium is not installed (the extra `test`)"
    absent = [str(file) for file in (CHROMIUM, DRIVER) if not file.exists()]
    return f"no {' and no '.join(absent)} (apt-get install chromium chromium-driver)" * bool(absent)


@contextmanager
def chromium(width: int = 1280, height: int = 900, *, dark: bool = False) -> Iterator["Chrome"]:
    """A browser with a window of that size, whose system prefers light or dark."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = str(CHROMIUM)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        driver = Chrome(options=options, service=ChromeService(str(DRIVER)))
        try:
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
            theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [theme]})
            yield driver
        finally:
            driver.quit()


def open_page(driver: "Chrome", page: Path, state: str = "") -> None:
    """Open a page at a state (`#…`) and wait until its script has built it."""
    from selenium.webdriver.support.wait import WebDriverWait

    driver.get("about:blank")  # or only the part after "#" would change
    driver.get(page.resolve().as_uri() + state)
    ready = "return document.documentElement.dataset.ready"
    WebDriverWait(driver, 60).until(lambda _: driver.execute_script(ready))
