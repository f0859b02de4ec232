"""Chromium: sends files by the page of `formwork receive`, one after another, and prints the name of each that it shows as arrived.

URL, files.
"""

import sys
import time
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

url, files = sys.argv[1], sys.argv[2:]


def opened(page):
    for attempt in range(60):
        try:
            page.goto(url)
            if page.query_selector("#files"):
                return
        except Error:
            pass
        time.sleep(0.5)


def is_sent(page, path):
    """Whether the page shows the file as arrived. It resumes by itself after a cut, and "Retry" is for everything else."""
    page.set_input_files("#files", path)
    end = time.monotonic() + 300
    # A killed receiver's upload may have the name.
    names = [Path(path).name] + [f"{Path(path).stem} ({number}){Path(path).suffix}" for number in range(1, 10)]
    while time.monotonic() < end:
        state = page.evaluate(
            "names => [...document.querySelectorAll('#arrived bdi')].some(n => names.includes(n.textContent)) ? 'arrived'"
            " : document.querySelector('#queued [data-state=failed]') ? 'failed' : ''", names)
        if state == "arrived":
            return True
        if state == "failed":
            page.click("#queued [data-state=failed] button")
        page.wait_for_timeout(200)
    return False


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    page = browser.new_page()
    for path in files:
        opened(page)
        if is_sent(page, path):
            print(Path(path).name, flush=True)
