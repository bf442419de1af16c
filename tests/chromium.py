"""Headless Chromium, driven by selenium, and how tests read and click a page."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WAIT_S = 20
CHROMIUM = Path("/usr/bin/chromium")
DRIVER = Path("/usr/bin/chromedriver")
NEEDS_CHROMIUM = [
    pytest.mark.skipif(
        not (CHROMIUM.exists() and DRIVER.exists()), reason="apt-get install chromium-driver"
    ),
    pytest.mark.slow,
]
# No requests of Chromium itself, which would be counted as the page's.
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A browser with an empty profile; it waits for an element."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the extra `test`")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    started = webdriver.Chrome(options, webdriver.ChromeService(str(DRIVER)))
    started.implicitly_wait(WAIT_S)
    try:
        yield started
    finally:
        started.quit()


def texts(driver: Any, selector: str) -> list[str]:
    """The texts of the elements, once there is one; read again if the page is drawn meanwhile."""
    from selenium.common.exceptions import StaleElementReferenceException

    end = time.monotonic() + WAIT_S
    while True:
        try:
            return [element.text for element in driver.find_elements("css selector", selector)]
        except StaleElementReferenceException:
            if time.monotonic() > end:
                raise


def click(driver: Any, selector: str) -> None:
    """Click the element, and wait until the page is drawn: `hashchange` comes later."""
    driver.find_element("css selector", selector).click()
    drawn = "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(done))"
    driver.execute_async_script(drawn)
