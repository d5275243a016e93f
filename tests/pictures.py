"""``make pictures``: screenshots of the page with the sample, for docs/pictures/."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from playwright.sync_api import Browser, sync_playwright  # noqa: E402

from services.missing import program  # noqa: E402
from services.page import ARGUMENTS, fill_with_sample, page_process  # noqa: E402
from tenderscrapy.database.embedded import Embedded  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
DESKTOP, PHONE = (1280, 800), (390, 844)

#: Name, path (or words whose best answer is opened), size, the whole page or what is seen first, dark or light.
PICTURES = (
    ("search", "/?q=Reinigung+von+Schulen", DESKTOP, False, "light"),
    ("tender", "Winterdienst", DESKTOP, True, "light"),
    ("dark", "/", DESKTOP, False, "dark"),
    ("phone-search", "/?q=Reinigung+von+Schulen", PHONE, False, "light"),
    ("phone-tender", "Winterdienst", PHONE, False, "light"),
)


def take(browser: Browser, address: str, folder: Path) -> None:
    """Write ``PICTURES`` of the page at ``address`` into ``folder``."""
    for name, place, (width, height), whole, colours in PICTURES:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            device_scale_factor=1 if width > 1000 else 2,
            color_scheme=colours,
            locale="en-GB",
        )
        page = context.new_page()
        if place.startswith("/"):
            page.goto(address + place)
        else:
            page.goto(f"{address}/?q={place}")
            page.locator(".hit h2 a").first.click()
        page.screenshot(path=folder / f"{name}.png", full_page=whole)
        context.close()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    chromium = program(*filter(None, (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome")))
    with tempfile.TemporaryDirectory(prefix="ts-") as made:
        data = Path(made)
        data.chmod(0o755)  # for the account that runs the server for root
        server = Embedded(data / "pg")
        try:
            os.environ["DATABASE_URL"] = server.start()
            fill_with_sample(data / "files")
            with page_process(data / "files") as address, sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
                take(browser, address, folder)
                browser.close()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
