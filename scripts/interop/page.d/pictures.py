"""The documentation's pictures of the page: two files have arrived, and one is on its way."""

from pathlib import Path

from browsers import launch, tab
from checks import MIB, choose, made
from receiver import Receiver

ARRIVED = {"Harbour at dusk.jpg": 3 * MIB, "Crew list.pdf": 180 << 10}
PICTURES = {"light": "page.png", "dark": "page~dark.png", "phone": "page-phone.png"}


def draw(playwright, formwork, folder):
    for setting, name in PICTURES.items():
        receiver = Receiver(formwork, "--title", "Photos of the regatta", "--message", "Thank you for your pictures and films.")
        browser = launch(playwright, "chromium", setting)
        try:
            with tab(browser, "chromium", setting, width=720) as t:
                t.page.goto(receiver.url)
                for file, size in ARRIVED.items():
                    choose(t, made([file], size))
                    t.page.locator("#arrived li", has_text=file).wait_for()
                receiver.gate.rate = 5 * MIB
                choose(t, made(["Round the lighthouse.mov"], 40 * MIB))
                t.until("document.querySelector('#queued progress')?.value > .62", "the greater part of the upload")
                if setting != "phone":  # Chromium would forget that it is one
                    t.page.set_viewport_size({"width": 720, "height": 400})
                t.page.screenshot(path=str(Path(folder) / name), full_page=True)
                t.troubles.clear()  # the style that Playwright inserts for this, which the page's policy refuses
        finally:
            browser.close()
            receiver.stop()
