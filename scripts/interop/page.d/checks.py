"""Actions on the page, and their expected results. Each check gets a new receiver and a new tab."""

import base64
import hashlib
import os
import tempfile
import time
from pathlib import Path

import axe_playwright_python
from certificates import self_signed

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


def opened(t, receiver):
    """Opens the page, and waits until its script runs."""
    t.page.goto(receiver.url)
    t.until("document.documentElement.classList.contains('script')", "the script")


def choose(t, contents):
    """Writes files to the disk, and chooses them on the page; returns their paths."""
    _, paths = on_disk(contents)
    t.page.set_input_files("#files", paths)
    return paths


def dropped(t, receiver, contents):
    """Opens the page, drops files that are made in it, and waits until they have arrived."""
    t.page.goto(receiver.url)
    t.drop_made(contents)
    arrived(t, receiver, contents)


def sent_paths(t):
    """The paths of files whose folders the receiver left out, as the page shows them."""
    texts = t.js("[...document.querySelectorAll('#arrived .when')].map(n => n.textContent)")
    return sorted(text.split("sent as ")[1].split(" · ")[0] for text in texts if "sent as " in text)


def keyboard(t, receiver, _):
    """Choose, send and copy without a mouse."""
    contents = made(["one.txt", "two.txt"])
    _, paths = on_disk(contents)
    choosers = []
    # The listener is installed at the start: one installed together with the key press may be too late.
    t.page.on("filechooser", lambda chooser: choosers.append(chooser))
    opened(t, receiver)
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
    done = t.page.locator("#done")
    assert done.is_visible() and done.text_content() == "2 files have arrived. You can close this page.", done.text_content()
    assert t.js("document.activeElement.id") == "files", "the focus moved by itself"
    t.tab_to("#arrived summary")
    t.page.keyboard.press("Enter")
    t.until("document.querySelector('#arrived li details').open", "the digest")
    t.tab_to(".copy")
    t.page.keyboard.press("Enter")
    t.until("['Copied', 'Selected'].includes(document.activeElement.textContent)", "the copy button")


def focus_order(t, receiver, _):
    """Tab moves through the page in visual order, and each focused element is visible."""
    t.page.goto(receiver.url)
    choose(t, made(["one.txt"]))
    t.until("document.querySelector('#arrived li') && document.getElementById('queue').hidden", "the upload")
    stops = []
    for _ in range(10):
        t.page.keyboard.press("Tab")
        stop, outline = t.js("""() => {
            const at = document.activeElement
            const drawn = [at, at.closest('label')].filter(Boolean).map(getComputedStyle)
            const summary = at.matches('summary') && at.querySelector('bdi, h2').textContent
            return [at.id || summary || at.getAttribute('aria-label') || at.getAttribute('aria-describedby') || at.tagName,
                    drawn.some(s => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2)]
        }""")
        if stop == "BODY" or stop in stops:
            break
        assert outline, f"the focus on {stop} can't be seen"
        stops.append(stop)
    expected = ["files", "one.txt", "From a terminal"]
    assert stops == expected, stops


def drop_of_made_files(t, receiver, _):
    contents = made(["dropped.txt", "dropped too.bin"], size=300_000)
    dropped(t, receiver, contents)
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
    assert "folder/inner/d.txt" in sent_paths(t), sent_paths(t)


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
    assert sent_paths(t) == ["trip/a.txt", "trip/inner/b.txt"], sent_paths(t)


def drop_of_made_folder(t, receiver, _):
    """A folder that returns its entries two at a time."""
    contents = made(["trip/a.txt", "trip/inner/b.txt", "trip/inner/c.txt", "trip/inner/d.txt"])
    dropped(t, receiver, contents)
    assert sent_paths(t) == sorted(contents), sent_paths(t)


def kept_folders(t, receiver, _):
    """With --keep-paths, folders stay."""
    contents = made(["trip/a.txt", "trip/inner/a.txt"])
    dropped(t, receiver, contents)
    assert receiver.files() == contents, sorted(receiver.files())


def odd_names(t, receiver, artefacts):
    """Chosen from the disk and dropped; shown as text, by the script and by the server."""
    contents = made(ODD)
    t.page.goto(receiver.url)
    choose(t, contents)
    arrived(t, receiver, contents)
    more = made(["../outside.txt", "..\\outside.txt", "/etc/passwd", "C:\\outside.txt", "..", "line\nbreak.txt", "nul\0.txt"])
    t.drop_made(more)
    t.until("!document.querySelector('[data-state=waiting], [data-state=sending], [data-state=paused]')", "the end of the sending")
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
    t.until("document.querySelectorAll('#arrived li').length === 300", "300 uploads", seconds=60)
    arrived(t, receiver, contents)
    assert t.js("window.most") == 3, f"{t.js('window.most')} at once"
    visible = "[...document.querySelectorAll('#arrived li')].filter(li => li.offsetHeight).length"
    assert t.js(visible) == 30, t.js(visible)
    t.page.click("#show-all")
    assert t.js(visible) == 300, t.js(visible)


def small_files(t, receiver, _):
    """200 small files, each in one request."""
    contents = made([f"{i:03}.bin" for i in range(200)], size=3000)
    opened(t, receiver)
    requests = []
    t.page.on("request", lambda request: requests.append(request.method))
    start = time.monotonic()
    t.drop_made(contents)
    t.until("document.querySelectorAll('#arrived li').length === 200", "200 uploads", seconds=120)
    seconds = time.monotonic() - start
    arrived(t, receiver, contents)
    uploads = [method for method in requests if method != "GET"]
    assert uploads == ["POST"] * 200, f"{len(uploads)} requests: {sorted(set(uploads))}"
    return f"{1000 * seconds / 200:.1f} ms a file, the list was fetched {requests.count('GET')} times"


def small_files_cut(t, receiver, _):
    """Small files while the network is gone, and one whose answers are lost: each arrives once."""
    t.losses = True
    contents = made(["a.txt", "b.txt", "c.txt"], size=50)
    opened(t, receiver)
    receiver.gate.cut()
    t.drop_made(contents)
    t.until("document.querySelectorAll('[data-state=paused]').length === 3", "three without a connection")
    receiver.gate.open()
    arrived_after_a_cut(t, receiver, contents)
    # On an origin that isn't secure the page can't compare digests with the list: it has only the key.
    t.page.evaluate("delete Crypto.prototype.subtle")
    receiver.gate.lost = 5
    contents |= made(["d.txt"], size=60)
    t.drop_made({"d.txt": contents["d.txt"]})
    t.until("[...document.querySelectorAll('#arrived bdi')].some(n => n.textContent.startsWith('d'))", "the arrival")
    # The list shows the file as soon as it is stored, before the page has an answer.
    for _ in range(400):
        if receiver.gate.lost:
            t.page.wait_for_timeout(50)
    assert receiver.gate.lost == 0
    t.until("!document.querySelector('#queued [data-state=sending]')", "the answer")
    stored = receiver.files()
    assert sorted(stored) == ["a.txt", "b.txt", "c.txt", "d.txt"], sorted(stored)
    assert {digest(c) for c in stored.values()} == {digest(c) for c in contents.values()}, sorted(stored)


def small_files_refused(t, receiver, _):
    """Small files whose answers are lost, and which are refused after that: the page says so, and stores each once."""
    t.losses = True
    opened(t, receiver)
    t.page.evaluate("delete Crypto.prototype.subtle")
    contents = {}
    for status in [507, 404, 405, 412]:
        one = made([f"{status}.txt"], size=status)
        contents |= one
        # A browser repeats a request by itself on each connection that was used before.
        receiver.gate.lost, receiver.gate.status = 5, status
        t.drop_made(one)
        t.until("document.querySelector('#queued [data-state=failed]')", f"the refusal with {status}")
        text = t.js("document.querySelector('#queued [data-state=failed] .state').textContent")
        assert text == "Failed: Not now, in a test.", f"{status}: {text}"
        receiver.gate.status = None
        t.page.click("#queued [data-state=failed] button")
        t.until("!document.querySelector('#queued li')", f"the file after {status}")
    stored = receiver.files()
    assert stored == contents, sorted(stored)


def cancel(t, receiver, artefacts):
    """A slow upload: it shows progress, can be cancelled with the keyboard, leaves nothing, and can be sent again."""
    # Larger than the system's buffers between the browser and the receiver.
    contents = made(["slow.bin"], size=8 * MIB - 1000)
    t.page.goto(receiver.url)
    receiver.gate.rate = MIB
    choose(t, contents)
    t.until("document.querySelector('#queued progress').value > 0.2", "progress")
    t.until("document.title.includes('%')", "the tab's title, which is drawn a moment later")
    pace = r"/\d+ % · [\d.]+ [KM]iB · [\d.]+ [KM]iB\/s · \d+ (s|min) left/"
    t.until(f"{pace}.test(document.querySelector('#queued .state').textContent)", "rate and time left")
    assert controls(t) == ["Cancel"], controls(t)
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
    assert controls(t) == ["Clear", "Retry"], controls(t)
    assert receiver.unfinished() == [], "a cancelled upload is kept"
    t.page.keyboard.press("Enter")
    arrived(t, receiver, contents)


def controls(t):
    """The buttons that can be seen beside and above the files that haven't arrived."""
    t.page.wait_for_timeout(100)
    return t.js("""[...document.querySelectorAll('#queue button, #queued button')]
        .filter(button => button.checkVisibility()).map(button => button.textContent)""")


def cancel_all(t, receiver, _):
    contents = made([f"{i}.bin" for i in range(8)], size=2 * MIB)
    t.page.goto(receiver.url)
    receiver.gate.rate = MIB // 4
    choose(t, contents)
    t.until("document.querySelectorAll('[data-state=sending]').length === 3", "three on their way")
    t.until("document.getElementById('overall').value > 0.01", "progress of all")
    pace = r"/^0 of 8 files · [\d.]+ [KM]iB of 16.0 MiB · [\d.]+ [KM]iB\/s · \d+ (s|min) left$/"
    t.until(f"{pace}.test(document.getElementById('overall-text').textContent)", "rate and time left of all")
    assert controls(t) == ["Cancel all", *["Cancel"] * 8], controls(t)
    t.page.focus("#cancel-all")
    t.page.keyboard.press("Enter")
    t.until("document.querySelectorAll('[data-state=cancelled]').length === 8", "all cancelled")
    t.until("document.getElementById('cancel-all').hidden", "the button's end")
    assert t.js("document.activeElement.id") == "list-title", "the focus was lost with the button"
    assert controls(t) == ["Clear", *["Retry"] * 8], controls(t)
    assert receiver.files() == {}


def too_large(t, receiver, _):
    """Refused by the page if it knows the limit, otherwise by the receiver."""
    contents = made(["large.bin"], size=9 * MIB)
    _, paths = on_disk(contents)
    t.page.goto(receiver.url)
    t.until("document.getElementById('limits').textContent.includes('8.0 MiB per file')", "the limit's text")
    t.page.set_input_files("#files", paths)
    t.until("document.querySelector('[data-state=failed]')", "the page's own refusal")
    assert controls(t) == ["Clear"], "another try can't help"
    t.page.route("**/files.json", lambda route: route.fulfill(json={"files": [], "limits": {}}))
    t.page.goto(receiver.url)
    t.page.wait_for_timeout(300)
    t.page.set_input_files("#files", paths)
    said = t.until("document.querySelector('[data-state=failed] .state')?.textContent", "the receiver's refusal")
    assert "8388608" in said or "8.0 MiB" in said, said
    t.until("document.getElementById('status').textContent.includes('large.bin failed.')", "the live region's message")
    assert receiver.files() == {}
    return f"said: {said}"


def accessible(t, receiver, artefacts):
    """axe-core reports nothing on an empty page and on one in use; nothing is wider than the screen."""
    t.page.goto(receiver.url)
    t.page.wait_for_timeout(300)
    rules = audit(t)
    t.shot(artefacts, f"{t.setting}-empty")
    choose(t, made(["a.txt", "اسم الملف.txt", "much too large.bin"]) | {"much too large.bin": bytes(9 * MIB)})
    t.until("document.querySelectorAll('#arrived li').length === 2", "the list")
    receiver.gate.rate = MIB
    choose(t, made(["Harbour at dawn.mov", "Waiting a little.mov"], size=5 * MIB))
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
    t.page.goto(receiver.url)
    assert t.js("document.activeElement.id") == "token", "the focus is not in the only field"
    assert not t.js("document.getElementById('files')"), "the form is shown to strangers"
    audit(t)
    t.page.keyboard.type("wrong")
    t.page.keyboard.press("Enter")
    t.until("document.querySelector('[role=alert]')?.textContent.includes('token is wrong')", "the refusal")
    audit(t)
    t.shot(artefacts, "sign-in")
    t.page.keyboard.type("correct-horse")
    t.page.keyboard.press("Enter")
    t.until("document.getElementById('files')", "the form")
    commands = t.js("[...document.querySelectorAll('.command code')].map(c => c.textContent)")
    assert commands == [
        f"curl -H 'Authorization: Bearer TOKEN' -F files=@FILE {receiver.url}",
        f"formwork send --resume auto -H 'Authorization: Bearer TOKEN' -F files=@FILE {receiver.url}"], commands
    choose(t, contents)
    arrived(t, receiver, contents)


# ---- Uploads that are cut

def begun(t, receiver, name, size, rate, share=0.2):
    """Begins an upload, and waits until a part of it has been sent."""
    t.losses = True
    contents = made([name], size=size)
    if t.page.url != receiver.url:
        t.page.goto(receiver.url)
    t.until("document.documentElement.classList.contains('script')", "the script")
    receiver.gate.rate = rate
    paths = choose(t, contents)
    reached(t, share)
    return contents, paths


def reached(t, share):
    t.until(f"document.querySelector('#queued progress')?.value > {share} || document.querySelector('#arrived li')",
            f"{share:.0%} of the upload", seconds=60)


def sent_once(receiver, contents, more=24 * MIB):
    """What had arrived before a cut wasn't sent again, apart from what was in buffers."""
    size = sum(map(len, contents.values()))
    assert receiver.gate.passed < size + more, f"{receiver.gate.passed / MIB:.0f} MiB were sent for {size / MIB:.0f} MiB"
    return f"{receiver.gate.passed / MIB:.1f} MiB sent for {size / MIB:.1f} MiB"


def killed_and_restarted(t, receiver, artefacts):
    """300 MiB; the receiver is killed four times, and is back after a while. Nobody clicks."""
    contents, _ = begun(t, receiver, "film.mov", 300 * MIB, 100 * MIB, share=0.02)
    for share in (0.02, 0.3, 0.6, 0.95):
        reached(t, share)
        receiver.kill()
        t.until("document.querySelector('[data-state=paused]')", "the state without a connection")
        if share == 0.3:
            audit(t)
            t.shot(artefacts, "interrupted")
        t.page.wait_for_timeout(1500)
        receiver.start()
    arrived_after_a_cut(t, receiver, contents)
    return sent_once(receiver, contents, more=48 * MIB)


def arrived_after_a_cut(t, receiver, contents, seconds=90):
    t.until(f"document.querySelectorAll('#arrived li').length === {len(contents)}", "the arrival", seconds=seconds)
    receiver.gate.rate = None
    arrived(t, receiver, contents)
    assert receiver.unfinished() == []
    assert t.js("localStorage.getItem('formwork uploads') ?? '[]'") == "[]", "an upload that has arrived is remembered"


def killed_at_the_end(t, receiver, _):
    """Killed when every byte was sent, but the answer wasn't."""
    contents, _ = begun(t, receiver, "film.mov", 40 * MIB, None, share=0)
    while receiver.gate.passed < 40 * MIB and not receiver.files():
        t.page.wait_for_timeout(1)
    receiver.kill()
    t.page.wait_for_timeout(1000)
    receiver.start()
    t.until("document.querySelector('#arrived li')", "the arrival", seconds=60)
    # A receiver that was killed after it named the file, and before it noted the answer, stores it once more.
    stored = receiver.files()
    assert {digest(c) for c in stored.values()} == {digest(c) for c in contents.values()}, sorted(stored)
    return sent_once(receiver, contents) + f", {len(stored)} stored"


def interim_answer(t, receiver, _):
    """A connection ends after an interim answer, which Chromium takes for an empty 200: the page doesn't."""
    t.losses = True
    contents = made(["film.mov"], size=5 * MIB)
    t.page.goto(receiver.url)
    receiver.gate.is_interim = True
    choose(t, contents)
    arrived_after_a_cut(t, receiver, contents)
    assert not receiver.gate.is_interim


def silent_network(t, receiver, _):
    """The network is gone for 30 s: connections stay open in the browser, and nothing comes through."""
    contents, _ = begun(t, receiver, "film.mov", 60 * MIB, 10 * MIB)
    receiver.gate.silence()
    t.page.wait_for_timeout(30_000)
    receiver.gate.open()
    arrived_after_a_cut(t, receiver, contents)
    return sent_once(receiver, contents, more=4 * MIB)


def cut_network(t, receiver, _):
    """Connections end, and new ones are refused, for 30 s; three files at once and two that wait."""
    t.losses = True
    contents = made([f"{i}.bin" for i in range(5)], size=12 * MIB)
    t.page.goto(receiver.url)
    receiver.gate.rate = 4 * MIB
    choose(t, contents)
    reached(t, 0.3)
    receiver.gate.cut()
    t.until("document.querySelectorAll('[data-state=paused]').length === 3", "three without a connection")
    t.page.wait_for_timeout(30_000)
    receiver.gate.open()
    arrived_after_a_cut(t, receiver, contents)
    return sent_once(receiver, contents)


def reloaded(t, receiver, artefacts):
    """After a reload the page offers to continue with the same file."""
    contents, paths = begun(t, receiver, "film.mov", 40 * MIB, 10 * MIB, share=0.4)
    t.page.reload()
    said = t.until("document.querySelector('[data-state=offered] .state')?.textContent", "the offer")
    assert "MiB of it arrived. Choose the same file again to continue." in said, said
    audit(t)
    t.shot(artefacts, "unfinished")
    other = made(["film.mov"], size=3000)
    _, others = on_disk(other)
    t.page.set_input_files("#files", others)
    t.until("document.querySelector('#arrived li')", "another file of the same name")
    assert t.js("document.querySelectorAll('[data-state=offered]').length") == 1, "another file was taken for it"
    t.page.set_input_files("#files", paths)
    t.until("document.querySelectorAll('#arrived li').length === 2", "the arrival", seconds=60)
    assert sorted(map(digest, receiver.files().values())) == sorted(map(digest, [*contents.values(), *other.values()]))
    return sent_once(receiver, contents, more=12 * MIB)


def reloaded_and_discarded(t, receiver, _):
    begun(t, receiver, "film.mov", 40 * MIB, 10 * MIB)
    t.page.reload()
    t.until("document.querySelector('[data-state=offered]')", "the offer")
    t.page.click("[data-state=offered] button:last-child")
    t.until("!document.querySelector('#queued li')", "the list without it")
    t.page.wait_for_timeout(500)
    assert receiver.unfinished() == [] and receiver.files() == {}
    t.page.reload()
    t.page.wait_for_timeout(1000)
    assert not t.js("document.querySelector('#queued li')"), "it is offered again"


def two_tabs(t, receiver, _):
    """Another tab doesn't offer, and doesn't disturb, what this one is sending."""
    contents, _ = begun(t, receiver, "film.mov", 30 * MIB, 5 * MIB)
    other = t.context.new_page()
    t.watch(other)
    other.goto(receiver.url)
    other.wait_for_timeout(1500)
    assert not other.evaluate("document.querySelector('#queued li')"), "the other tab offers it"
    assert t.js("document.querySelector('#queued li').dataset.state") == "sending"
    arrived_after_a_cut(t, receiver, contents)
    return sent_once(receiver, contents, more=MIB)


def without_resuming(t, receiver, _):
    """A receiver that doesn't resume: the page says so, and starts again from the beginning."""
    opened(t, receiver)
    assert "can’t resume" in t.js("document.querySelector('.more').innerText")
    contents, _ = begun(t, receiver, "film.mov", 40 * MIB, 20 * MIB, share=0.4)
    receiver.kill()
    said = t.until("document.querySelector('[data-state=paused] .state')?.textContent", "the state without a connection")
    assert "from the beginning" in said, said
    receiver.start()
    t.until("document.querySelector('#arrived li')", "the arrival", seconds=60)
    arrived(t, receiver, contents)
    assert receiver.gate.passed > 52 * MIB


def signed_out_and_in(t, receiver, _):
    """With a token: the login survives a restart. Without the login, the upload waits for a new one."""
    sign_in(t.page, receiver)
    contents, _ = begun(t, receiver, "film.mov", 60 * MIB, 10 * MIB, share=0.1)
    receiver.kill()
    t.page.wait_for_timeout(500)
    receiver.start()
    reached(t, 0.3)
    assert t.js("document.querySelector('#queued li').dataset.state") == "sending"
    t.context.clear_cookies()
    receiver.gate.cut()
    receiver.gate.open()
    t.until("document.querySelector('#connection a')?.textContent === 'Sign in'", "the way to sign in")
    other = t.context.new_page()
    t.watch(other)
    sign_in(other, receiver)
    other.close()
    arrived_after_a_cut(t, receiver, contents)
    return sent_once(receiver, contents)


def sign_in(page, receiver):
    page.goto(receiver.url)
    page.fill("#token", "correct-horse")
    page.click("#login button")
    page.wait_for_selector("#files", state="attached")


def over_http2(t, receiver, _):
    contents, _ = begun(t, receiver, "film.mov", 60 * MIB, 20 * MIB)
    assert t.js("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"
    receiver.kill()
    t.until("document.querySelector('[data-state=paused]')", "the state without a connection")
    receiver.start()
    arrived_after_a_cut(t, receiver, contents)
    return sent_once(receiver, contents)


# ---- The list

def twenty_seven(t, receiver, artefacts):
    """27 files fit in two screens, finished ones in one list, with their digests folded."""
    contents = made([f"IMG_20260731_{i:06}.jpg" for i in range(27)])
    dropped(t, receiver, contents)
    t.until("document.getElementById('queue').hidden", "the end of the queue")
    assert not t.js("document.querySelector('#queued li')"), "a finished file is in the list twice"
    height = t.js("document.documentElement.scrollHeight")
    t.shot(artefacts, "27-files")
    assert height <= 2 * 900, f"{height} px"
    code = "document.querySelector('#arrived code')"
    assert not t.js(f"{code}.checkVisibility()"), "a digest is shown unasked"
    t.page.click("#arrived summary")
    assert t.js(f"{code}.checkVisibility()"), "no digest after a click"
    times = t.js("[...document.querySelectorAll('#arrived time')].map(t => [t.dateTime, t.textContent])")
    assert all(raw.endswith("Z") and "Z" not in text and "T" not in text for raw, text in times), times[0]
    return f"{height} px"


def unlisted(t, receiver, _):
    """With `--list none` a page still shows what it has sent itself."""
    contents = made(["one.txt", "two.txt"])
    dropped(t, receiver, contents)
    t.page.wait_for_timeout(3500)  # until the list was read again
    assert t.js("document.querySelectorAll('#arrived li').length") == 2


def operator_texts(t, receiver, artefacts):
    opened(t, receiver)
    assert t.js("document.title") == "Photos <3", t.js("document.title")
    assert t.js("document.querySelector('h1').textContent") == "Photos <3"
    paragraphs = t.js("[...document.querySelectorAll('.message')].map(p => p.textContent)")
    assert paragraphs == ["Thank you for coming!", "<img src=x onerror=alert(1)>"], paragraphs
    audit(t)
    t.shot(artefacts, "operator-texts")


def on_a_phone(t, receiver, artefacts):
    """Nothing about dropping, pasting, folders or shells; targets that a thumb hits."""
    contents = made(["one.jpg", "two.jpg"])
    t.page.goto(receiver.url)
    choose(t, contents)
    arrived(t, receiver, contents)
    text = t.js("document.body.innerText").lower()
    for word in ("drop", "paste", "folder", "terminal", "curl"):
        assert word not in text, f"'{word}' is on the page: {text}"
    small = t.js("""[...document.querySelectorAll('button, summary, input')].filter(e => e.checkVisibility())
        .map(e => [e.id || e.textContent.trim(), e.getBoundingClientRect().height]).filter(e => e[1] < 44)""")
    assert not small, small
    assert t.js("document.documentElement.scrollWidth") <= 390, "wider than the screen"
    t.shot(artefacts, "phone")


def forced_colours(t, receiver, artefacts):
    """Progress can be seen if the system's colours replace the page's."""
    t.page.goto(receiver.url)
    receiver.gate.rate = 4 * MIB
    choose(t, made(["slow.bin", "slower.bin"], 20 * MIB))
    t.until("document.getElementById('overall').value > 0.3", "progress in all")
    assert t.js("matchMedia('(forced-colors: active)').matches"), "the colours aren't forced"
    for selector in ("#overall", "#queued li:first-child progress"):
        share = t.js("s => document.querySelector(s).value", selector)
        box = t.page.locator(selector).bounding_box()
        picture = t.picture(clip=box)
        row = t.js("""async png => {
            const image = new Image()
            image.src = 'data:image/png;base64,' + png
            await image.decode()
            const canvas = new OffscreenCanvas(image.width, image.height)
            const context = canvas.getContext('2d', {willReadFrequently: true})
            context.drawImage(image, 0, 0)
            const pixel = share => [...context.getImageData(Math.floor(share * image.width), image.height >> 1, 1, 1).data].join()
            return [pixel(0.1), pixel(0.95)]
        }""", base64.b64encode(picture).decode())
        assert share < 0.9 and row[0] != row[1], f"{selector} at {share} has one colour: {row}"
    t.shot(artefacts, "forced-colours")
    t.page.click("#cancel-all")


def plain_layout(t, receiver, artefacts):
    """Without its script, the page's buttons are in the middle, and look like the others."""
    t.page.route("**/page.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    t.page.goto(receiver.url)
    middles = t.js("""['#files', '#send'].map(s => document.querySelector(s).getBoundingClientRect())
        .map(box => box.left + box.width / 2)""")
    assert all(abs(middle - 500) < 2 for middle in middles), middles
    assert t.js("getComputedStyle(document.getElementById('files'), '::file-selector-button').borderRadius") == "8px"
    text = t.js("document.body.innerText")
    assert "Choose files" not in text and "resume" not in text, text
    t.shot(artefacts, "plain")


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
    assert t.page.url in (receiver.url, f"{receiver.url}?received=1-2"), t.page.url
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


def certificate():
    """A certificate that no browser trusts, as options of the receiver."""
    chain, key = self_signed(Path(tempfile.mkdtemp(prefix="formwork-page-")), "127.0.0.1", "IP:127.0.0.1")
    return ["--tls-cert", chain, "--tls-key", key]


# Function, the browser's setting, options of the receiver.
LIMIT = ["--limit", f"file-size={8 * MIB}"]
TEXTS = ["--title", "Photos <3", "--message", "Thank you for coming!\n<img src=x onerror=alert(1)>"]
CHECKS = [
    *((check, "light", LIMIT) for check in (
        keyboard, focus_order, drop_of_made_files, drop_of_real_files, drop_of_made_folder, chosen_folder,
        paste, odd_names, many, cancel, cancel_all,
        too_large, accessible, twenty_seven, plain_layout)),
    *((check, "light", []) for check in (
        killed_and_restarted, killed_at_the_end, cut_network, reloaded, reloaded_and_discarded, two_tabs,
        small_files, small_files_cut, small_files_refused, interim_answer)),
    (silent_network, "light", ["--idle-timeout", "10"]),
    (without_resuming, "light", ["--no-resume"]),
    (signed_out_and_in, "light", ["--token", "correct-horse"]),
    (over_http2, "light", certificate()),
    (kept_folders, "light", ["--keep-paths"]),
    (unlisted, "light", ["--list", "none"]),
    (operator_texts, "light", TEXTS),
    (signing_in, "light", ["--token", "correct-horse"]),
    (accessible, "dark", LIMIT),
    (without_script, "plain", LIMIT),
    (on_a_phone, "phone", LIMIT),
    (forced_colours, "forced", []),
]
# The checks of --quick.
QUICK = {
    keyboard, drop_of_real_files, accessible, killed_and_restarted, reloaded, twenty_seven, small_files, small_files_cut,
    small_files_refused, interim_answer, without_script}
