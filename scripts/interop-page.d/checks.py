"""Actions on the page, and their expected results. Each check gets a new receiver and a new tab."""

import hashlib
import os
import tempfile
from pathlib import Path

import axe_playwright_python

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
MIB = 1 << 20

# Names that people use, and hostile names.
ODD = [
    'he said "hi".txt', "50% off %22.txt", "grüße aus 東京.txt", "👩‍👧🎉.txt", "اسم الملف.txt", "a;b,c=d.txt", "it's.txt",
    "evil\u202egpj.exe", "<img src=x onerror=alert(1)>.txt", "&lt;b&gt;&quot;.txt", "</script><script>alert(2)<",
    "${alert(3)} {{4*4}}.txt", "back\\slash.txt", "x" * 200 + ".txt", "javascript:alert(5)", "CON.txt", " spaces .txt ",
]


def digest(content):
    return hashlib.sha256(content).hexdigest()


def made(names, size=3000):
    return {name: os.urandom(size + i) for i, name in enumerate(names)}


def on_disk(contents):
    folder = Path(tempfile.mkdtemp(prefix="formwork-page-"))
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder, [folder / name for name in contents]


def arrived(tab, receiver, contents):
    """All files have arrived: on disk, and in the list, where each digest belongs to the name that is shown."""
    tab.until(f"document.querySelectorAll('#arrived li').length === {len(contents)}", "the list of what has arrived")
    stored = receiver.files()
    assert sorted(map(digest, stored.values())) == sorted(map(digest, contents.values())), f"stored: {sorted(stored)}"
    listed = tab.js("""[...document.querySelectorAll('#arrived li')].map(li =>
        [li.querySelector('bdi').textContent, li.querySelector('code').textContent])""")
    assert sorted(d for _, d in listed) == sorted(map(digest, contents.values())), listed
    for name, shown in listed:
        if name in stored:  # control characters are shown visibly
            assert digest(stored[name]) == shown, (name, shown)
    assert [p.name for p in receiver.outside.iterdir()] == ["arrived"], "something was written outside of the folder"


def keyboard(t, receiver, _):
    """Choose, send and copy without a mouse."""
    contents = made(["one.txt", "two.txt"])
    _, paths = on_disk(contents)
    choosers = []
    # The listener is installed at the start: one installed together with the key press may be too late.
    t.page.on("filechooser", lambda chooser: choosers.append(chooser))
    t.page.goto(receiver.url)
    t.until("document.documentElement.classList.contains('script')", "the script")
    t.tab_to("#files")
    t.page.keyboard.press("Enter")
    for _ in range(200):
        if choosers:
            break
        t.page.wait_for_timeout(50)
    assert choosers, "Enter opens no chooser"
    choosers[0].set_files(paths)
    arrived(t, receiver, contents)
    t.until("document.getElementById('status').textContent.includes('All done: 2 sent.')", "the live region's message")
    assert t.js("document.activeElement.id") == "files", "the focus moved by itself"
    t.tab_to("#clear")
    t.page.keyboard.press("Space")
    t.until("document.getElementById('queue').hidden && document.activeElement.id === 'files'", "the cleared queue")
    t.tab_to(".copy")
    t.page.keyboard.press("Enter")
    t.until("['Copied', 'Selected'].includes(document.activeElement.textContent)", "the copy button")


def focus_order(t, receiver, _):
    """Tab moves through the page in visual order, and each focused element is visible."""
    _, paths = on_disk(made(["one.txt"]))
    t.page.goto(receiver.url)
    t.page.set_input_files("#files", paths)
    t.until("document.querySelector('#arrived li') && document.querySelector('[data-state=sent]')", "the upload")
    stops = []
    for _ in range(10):
        t.page.keyboard.press("Tab")
        stop, outline = t.js("""() => {
            const at = document.activeElement
            const drawn = [at, at.closest('label')].filter(Boolean).map(getComputedStyle)
            return [at.id || at.getAttribute('aria-label') || at.getAttribute('aria-describedby') || at.tagName,
                    drawn.some(s => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2)]
        }""")
        if stop == "BODY" or stop in stops:
            break
        assert outline, f"the focus on {stop} can't be seen"
        stops.append(stop)
    expected = ["files", "folder", "cancel-all", "retry-failed", "clear", "Copy the SHA-256 of one.txt", "curl-title",
                "formwork-title"]
    assert stops == expected, stops


def drop_of_made_files(t, receiver, _):
    contents = made(["dropped.txt", "dropped too.bin"], size=300_000)
    t.page.goto(receiver.url)
    t.drop_made(contents)
    arrived(t, receiver, contents)
    assert not t.js("document.documentElement.classList.contains('dragging')"), "the page still looks like dragging"


def drop_of_real_files(t, receiver, _):
    """Two files and a nested folder, as the system drops them."""
    if t.name != "chromium":
        return "not run: Firefox's protocol drops no files of the disk"
    contents = made(["a.txt", "b.bin", "folder/c.txt", "folder/inner/d.txt", *(f"folder/many/{i}.txt" for i in range(130))])
    folder, _ = on_disk(contents)
    t.page.goto(receiver.url)
    t.drop_real([folder / "a.txt", folder / "b.bin", folder / "folder"])
    arrived(t, receiver, contents)
    shown = t.js("[...document.querySelectorAll('#queued bdi')].map(n => n.textContent)")
    assert "folder/inner/d.txt" in shown, shown


def paste(t, receiver, _):
    t.page.goto(receiver.url)
    t.paste_picture()
    t.until("document.querySelector('#arrived li')", "the picture in the list")
    ((name, content),) = receiver.files().items()
    assert name.startswith("pasted 20") and name.endswith(".png"), name
    assert content.startswith(b"\x89PNG"), content[:20]


def chosen_folder(t, receiver, _):
    if t.name != "chromium":
        return "not run: Firefox's protocol sets no folder on an input"
    contents = made(["trip/a.txt", "trip/inner/b.txt"])
    path, _ = on_disk(contents)
    t.page.goto(receiver.url)
    t.page.set_input_files("#folder", path / "trip")
    arrived(t, receiver, contents)
    shown = sorted(t.js("[...document.querySelectorAll('#queued bdi')].map(n => n.textContent)"))
    assert shown == ["trip/a.txt", "trip/inner/b.txt"], shown


def drop_of_made_folder(t, receiver, _):
    """A folder that returns its entries two at a time."""
    contents = made(["trip/a.txt", "trip/inner/b.txt", "trip/inner/c.txt", "trip/inner/d.txt"])
    t.page.goto(receiver.url)
    t.drop_made(contents)
    arrived(t, receiver, contents)
    shown = sorted(t.js("[...document.querySelectorAll('#queued bdi')].map(n => n.textContent)"))
    assert shown == sorted(contents), shown


def odd_names(t, receiver, artefacts):
    """Chosen from the disk and dropped; shown as text, by the script and by the server."""
    contents = made(ODD)
    _, paths = on_disk(contents)
    t.page.goto(receiver.url)
    t.page.set_input_files("#files", paths)
    arrived(t, receiver, contents)
    more = made(["../outside.txt", "..\\outside.txt", "/etc/passwd", "C:\\outside.txt", "..", "line\nbreak.txt", "nul\0.txt"])
    t.drop_made(more)
    t.until("!document.querySelector('[data-state=waiting], [data-state=sending]')", "the end of the sending")
    refused = t.js("[...document.querySelectorAll('[data-state=failed] bdi')].map(n => n.textContent)")
    assert set(refused) <= {"..", "nul\\u{0}.txt"}, refused
    arrived(t, receiver, {**contents, **{n: c for n, c in more.items() if n.replace("\0", "\\u{0}") not in refused}})
    t.shot(artefacts, "odd-names")
    t.page.goto(receiver.url)
    t.until("document.querySelectorAll('#arrived li').length >= 20", "the list after a reload")
    for element in ("img", "b", "iframe"):
        assert not t.js("e => document.querySelector(e)", element), f"a name became <{element}>"
    text = t.js("document.body.innerText")
    assert "\u202e" not in text and "\0" not in text, "a direction control character is on the page"


def many(t, receiver, _):
    """300 files: no more than three at once, all arrive once."""
    contents = made([f"{i:03}.bin" for i in range(300)], size=200)
    t.page.goto(receiver.url)
    t.js("""() => {
        window.most = 0
        new MutationObserver(() => {
            window.most = Math.max(window.most, document.querySelectorAll('[data-state=sending]').length)
        }).observe(document.getElementById('queued'), {subtree: true, childList: true, attributes: true})
    }""")
    t.drop_made(contents)
    t.until("document.querySelectorAll('[data-state=sent]').length === 300", "300 uploads", seconds=60)
    arrived(t, receiver, contents)
    assert t.js("window.most") == 3, f"{t.js('window.most')} at once"


def cancel(t, receiver, artefacts):
    """A slow upload: it shows progress, can be cancelled with the keyboard, leaves nothing, and can be sent again."""
    # Larger than the system's buffers between the browser and the receiver.
    contents = made(["slow.bin"], size=8 * MIB - 1000)
    _, paths = on_disk(contents)
    t.page.goto(receiver.url)
    receiver.gate.rate = MIB
    t.page.set_input_files("#files", paths)
    t.until("document.querySelector('#queued progress').value > 0.2", "progress")
    t.until("document.getElementById('overall').value > 0.1", "progress in all, which is drawn a moment later")
    assert "%" in t.js("document.title")
    t.shot(artefacts, "sending")
    t.tab_to("#queued button")
    assert t.js("document.activeElement.getAttribute('aria-label')") == "Cancel slow.bin"
    t.page.keyboard.press("Enter")
    t.until("document.querySelector('[data-state=cancelled]')", "the cancelled state")
    assert t.js("document.activeElement.getAttribute('aria-label')") == "Retry slow.bin", "the focus was lost"
    t.page.wait_for_timeout(500)
    receiver.gate.rate = None
    t.page.wait_for_timeout(500)
    assert receiver.files() == {}, "a cancelled upload has arrived"
    t.page.keyboard.press("Enter")
    arrived(t, receiver, contents)


def cancel_all(t, receiver, _):
    contents = made([f"{i}.bin" for i in range(8)], size=2 * MIB)
    _, paths = on_disk(contents)
    t.page.goto(receiver.url)
    receiver.gate.rate = MIB // 4
    t.page.set_input_files("#files", paths)
    t.until("document.querySelectorAll('[data-state=sending]').length === 3", "three on their way")
    t.page.click("#cancel-all")
    t.until("document.querySelectorAll('[data-state=cancelled]').length === 8", "all cancelled")
    t.until("document.getElementById('cancel-all').getAttribute('aria-disabled') === 'true'", "the button's state")
    assert receiver.files() == {}


def too_large(t, receiver, _):
    """Refused by the page if it knows the limit, otherwise by the receiver."""
    contents = made(["large.bin"], size=9 * MIB)
    _, paths = on_disk(contents)
    t.page.goto(receiver.url)
    t.until("document.getElementById('limits').textContent.includes('8.0 MiB per file')", "the limit's text")
    t.page.set_input_files("#files", paths)
    t.until("document.querySelector('[data-state=failed]')", "the page's own refusal")
    t.page.route("**/files.json", lambda route: route.fulfill(json={"files": [], "limits": {}}))
    t.page.goto(receiver.url)
    t.page.wait_for_timeout(300)
    t.page.set_input_files("#files", paths)
    said = t.until("document.querySelector('[data-state=failed] .state')?.textContent", "the receiver's refusal")
    assert "8388608" in said, said
    t.until("document.getElementById('status').textContent.includes('large.bin failed.')", "the live region's message")
    assert receiver.files() == {}
    return f"said: {said}"


def accessible(t, receiver, artefacts):
    """axe-core reports nothing on an empty page and on one in use; nothing is wider than the screen."""
    t.page.goto(receiver.url)
    t.page.wait_for_timeout(300)
    rules = audit(t)
    t.shot(artefacts, f"{t.setting}-empty")
    _, paths = on_disk(made(["a.txt", "اسم الملف.txt", "much too large.bin"]) | {"much too large.bin": bytes(9 * MIB)})
    t.page.set_input_files("#files", paths)
    t.until("document.querySelectorAll('#arrived li').length === 2", "the list")
    receiver.gate.rate = MIB
    _, paths = on_disk(made(["Harbour at dawn.mov", "Waiting a little.mov"], size=5 * MIB))
    t.page.set_input_files("#files", paths)
    t.until("document.querySelector('[data-state=sending] progress').value > 0.2", "progress")
    audit(t)
    t.shot(artefacts, t.setting)
    t.page.set_viewport_size({"width": 320, "height": 800})
    assert t.js("document.documentElement.scrollWidth") <= 320, "wider than 320 px"
    t.shot(artefacts, f"{t.setting}-narrow")
    return f"{rules} rules passed"


def audit(t):
    t.js(AXE)
    result = t.js("() => axe.run(document)")
    found = [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in result["violations"]]
    assert not found, found
    assert len(result["passes"]) > 15, "axe-core checked almost nothing"
    return len(result["passes"])


def signing_in(t, receiver, artefacts):
    contents = made(["with a token.txt"])
    _, paths = on_disk(contents)
    t.page.goto(receiver.url)
    assert t.js("document.activeElement.id") == "token", "the focus is not in the only field"
    assert not t.js("document.getElementById('files')"), "the form is shown to strangers"
    audit(t)
    t.page.keyboard.type("wrong")
    t.page.keyboard.press("Enter")
    t.until("document.querySelector('[role=alert]')?.textContent.includes('not the token')", "the refusal")
    audit(t)
    t.shot(artefacts, "sign-in")
    t.page.keyboard.type("correct-horse")
    t.page.keyboard.press("Enter")
    t.until("document.getElementById('files')", "the form")
    commands = t.js("[...document.querySelectorAll('.command code')].map(c => c.textContent)")
    assert commands == [
        f"curl -H 'Authorization: Bearer TOKEN' -F files=@FILE {receiver.url}",
        f"formwork send --resume auto -H 'Authorization: Bearer TOKEN' -F files=@FILE {receiver.url}"], commands
    t.page.set_input_files("#files", paths)
    arrived(t, receiver, contents)


def submit(t):
    """From the top of the page: the chooser, then the button. By keyboard, as Playwright's click needs the script."""
    for key in ("Tab", "Tab", "Enter"):
        t.page.keyboard.press(key)


def without_script(t, receiver, artefacts):
    contents = made(["plain one.txt", "<b>plain two.txt"])
    _, paths = on_disk(contents)
    t.page.goto(receiver.url)
    t.page.locator("#files").set_input_files(paths)
    submit(t)
    t.page.locator("#arrived li").nth(1).wait_for()
    assert t.page.url in (receiver.url, f"{receiver.url}?received=1,2"), t.page.url
    assert sorted(t.page.locator("#arrived code").all_text_contents()) == sorted(map(digest, contents.values()))
    assert sorted(map(digest, receiver.files().values())) == sorted(map(digest, contents.values()))
    assert t.page.locator("#folder").is_hidden() and t.page.locator(".copy").first.is_hidden()
    if t.name == "chromium":  # Playwright's screenshots of Firefox need the script
        t.shot(artefacts, "without-script")
    _, paths = on_disk(made(["large.bin"], size=9 * MIB))
    t.page.locator("#files").set_input_files(paths)
    submit(t)
    t.page.locator("[role=alert].notice").wait_for()
    assert len(receiver.files()) == 2


# Name of the check, function, the browser's setting, options of the receiver.
LIMIT = ["--max-file-size", str(8 * MIB)]
CHECKS = [
    *((check, "light", LIMIT) for check in (
        keyboard, focus_order, drop_of_made_files, drop_of_real_files, drop_of_made_folder, chosen_folder,
        paste, odd_names, many, cancel, cancel_all,
        too_large, accessible)),
    (signing_in, "light", ["--token", "correct-horse"]),
    (accessible, "dark", LIMIT),
    (without_script, "plain", LIMIT),
]
# The checks of --quick.
QUICK = [
    (keyboard, "light", LIMIT), (drop_of_real_files, "light", LIMIT), (accessible, "light", LIMIT),
    (without_script, "plain", LIMIT),
]
