"""Chromium through the DevTools protocol, Firefox ESR through WebDriver BiDi; both as built by Debian."""

import base64
import time
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Error

# Firefox can't emulate these for one page: they are settings of the whole browser.
SETTINGS = {
    "light": {"layout.css.prefers-color-scheme.content-override": 1},
    "dark": {"layout.css.prefers-color-scheme.content-override": 0},
    "plain": {"javascript.enabled": False},
    # Coarse, and it can't hover.
    "phone": {"ui.primaryPointerCapabilities": 1, "ui.allPointerCapabilities": 1},
    "forced": {"browser.display.document_color_use": 2},
}


def launch(playwright, name, setting):
    if name == "chromium":
        # Its sandbox often doesn't work in containers; the only pages are ours.
        return playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    return playwright.firefox.launch(
        executable_path="/usr/bin/firefox-esr", channel="moz-firefox", firefox_user_prefs=SETTINGS[setting])


def is_path(name):
    """Whether a generated file is inside a folder; other names with slashes are meant as names."""
    return name.startswith("trip/")


class Tab:
    """A page in its own context, with all errors that occur in it."""

    def __init__(self, browser, name, setting, width):
        if setting == "phone":
            width = 390
        options = {"viewport": {"width": width, "height": 900}, "ignore_https_errors": True}
        if name == "chromium":
            options["java_script_enabled"] = setting != "plain"
            options["color_scheme"] = "dark" if setting == "dark" else "light"
            options["forced_colors"] = "active" if setting == "forced" else "none"
            options["has_touch"] = options["is_mobile"] = setting == "phone"
        else:
            options.update(color_scheme="null", reduced_motion="null", forced_colors="null", contrast="null")
        self.name = name
        self.context = browser.new_context(**options)
        if name == "chromium":
            self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.troubles = []
        self.losses = False  # whether the check cuts connections or refuses files, which Chromium logs as errors
        self.watch(self.page)

    def watch(self, page):
        page.on("console", self.note)
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", self.answer)

    def answer(self, dialog):
        """Leaves the page although uploads are in progress; no other dialog is expected."""
        if dialog.type == "beforeunload":
            dialog.accept()
        else:
            self.troubles.append(f"dialog: {dialog.message}")
            dialog.dismiss()

    def note(self, message):
        # Chromium logs a 4xx answer as an error; checks that expect one look at the text of the page.
        if message.type not in ("error", "warning") or "the server responded with a status of 4" in message.text:
            return
        losses = ("net::ERR_", "Cross-Origin Request Blocked", "the server responded with a status of 507")
        if self.losses and any(loss in message.text for loss in losses):
            return
        self.troubles.append(f"console: {message.text}")

    def js(self, script, argument=None):
        return self.page.evaluate(script, argument)

    def until(self, script, what, seconds=20):
        """Waits until an expression is true. Polled from here, because the page's policy forbids `eval`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if value := self.js(script):
                    return value
            except Error as error:
                if "navigation" not in error.message and "destroyed" not in error.message:
                    raise
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{what}: not within {seconds} s; the page has: {self.js('document.body.innerText')[:800]}")

    def tab_to(self, selector, most=40):
        """Moves the focus with the Tab key only."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if self.js("s => document.activeElement?.matches(s)", selector):
                return
        raise AssertionError(f"Tab doesn't reach {selector}")

    def drop_made(self, files):
        """Drops files that are made in the page, with any names; a slash puts them into folders."""
        self.js(
            """files => {
                const data = new DataTransfer()
                const folders = new Map()
                for (const [name, content, isPath] of files) {
                    const file = new File([Uint8Array.from(atob(content), c => c.charCodeAt(0))], isPath ? name.split('/').pop() : name)
                    if (!isPath) { data.items.add(file); continue }
                    let entries = folders
                    for (const folder of name.split('/').slice(0, -1)) {
                        if (!entries.has(folder)) entries.set(folder, new Map())
                        entries = entries.get(folder)
                    }
                    entries.set(file.name, file)
                }
                const entry = (name, node) => node instanceof File
                    ? {isFile: true, isDirectory: false, name, file: done => done(node)}
                    : {isFile: false, isDirectory: true, name, createReader: () => {
                        const left = [...node].map(([name, node]) => entry(name, node))
                        return {readEntries: done => setTimeout(() => done(left.splice(0, 2)))}
                    }}
                const items = [...data.items, ...[...folders].map(([name, node]) =>
                    ({kind: 'file', webkitGetAsEntry: () => entry(name, node), getAsFile: () => new File([], name)}))]
                for (const type of ['dragenter', 'dragover', 'drop']) {
                    const event = new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true})
                    if (folders.size)
                        Object.defineProperty(event, 'dataTransfer', {value: {items, types: ['Files'], dropEffect: 'none'}})
                    document.querySelector('main').dispatchEvent(event)
                }
            }""",
            [[name, base64.b64encode(content).decode(), is_path(name)] for name, content in files.items()])

    def paste_picture(self):
        """Pastes a picture without a name, as from a screenshot tool."""
        self.js("""async real => {
            const canvas = document.createElement('canvas')
            canvas.getContext('2d').fillRect(10, 10, 50, 50)
            const blob = await new Promise(done => canvas.toBlob(done))
            if (real) return navigator.clipboard.write([new ClipboardItem({'image/png': blob})])
            const event = new Event('paste', {bubbles: true, cancelable: true})
            Object.defineProperty(event, 'clipboardData', {value: {files: [new File([blob], 'image.png')]}})
            document.body.dispatchEvent(event)
        }""", self.name == "chromium")  # headless Firefox only has a text clipboard
        if self.name == "chromium":
            self.page.keyboard.press("Control+V")

    def drop_real(self, paths):
        """Drops files and folders from the disk, as the system would; only Chromium's protocol can do that."""
        session = self.context.new_cdp_session(self.page)
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            session.send("Input.dispatchDragEvent", {"type": kind, "x": 500, "y": 500, "data": data})

    def shot(self, folder, name):
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.picture(path=str(Path(folder) / f"page-{self.name}-{name}.png"), full_page=True)

    def picture(self, **options):
        before = len(self.troubles)
        picture = self.page.screenshot(**options)
        # Playwright inserts a style into the page for this, which the page's policy refuses.
        self.page.wait_for_timeout(200)
        self.troubles[before:] = [t for t in self.troubles[before:] if "style-src-elem" not in t]
        return picture


@contextmanager
def tab(browser, name, setting="light", width=1000):
    one = Tab(browser, name, setting, width)
    try:
        yield one
        assert not one.troubles, f"the browser complained: {one.troubles}"
    finally:
        one.context.close()
