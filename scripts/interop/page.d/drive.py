"""Runs the checks in both browsers. See scripts/interop/page."""

import argparse
import shutil
import sys
import time
import traceback
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "lib"))

from browsers import launch, tab
from checks import CHECKS, QUICK
from pictures import draw
from receiver import Receiver


def run(browser, name, check, setting, receiver, artefacts):
    try:
        with tab(browser, name, setting) as t:
            t.page.set_default_timeout(20_000)
            t.setting = setting
            return check(t, receiver, artefacts)
    finally:
        receiver.stop()
        shutil.rmtree(receiver.outside, ignore_errors=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--formwork", required=True)
    arguments.add_argument("--artefacts", required=True)
    arguments.add_argument("--browser", choices=["chromium", "firefox"])
    arguments.add_argument("--only", default="")
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--pictures", metavar="FOLDER")
    options = arguments.parse_args()
    names = ["chromium"] if options.quick else ["chromium", "firefox"]
    failures = 0
    with sync_playwright() as playwright:
        if options.pictures:
            return draw(playwright, options.formwork, options.pictures)
        for name in [options.browser] if options.browser else names:
            for setting in ("light", "dark", "plain", "phone", "forced"):
                checks = [c for c in CHECKS if c[1] == setting and options.only in c[0].__name__]
                if options.quick:
                    checks = [c for c in checks if c[0] in QUICK and setting != "dark"]
                if not checks:
                    continue
                browser = launch(playwright, name, setting)
                for check, _, receiver_options in checks:
                    label = f"{name} {browser.version} · {check.__name__.replace('_', ' ')} · {setting}"
                    start = time.monotonic()
                    try:
                        receiver = Receiver(options.formwork, *map(str, receiver_options))
                        remark = run(browser, name, check, setting, receiver, options.artefacts)
                        print(f"ok    {label} ({time.monotonic() - start:.1f} s){': ' + remark if remark else ''}", flush=True)
                    except Exception as error:
                        failures += 1
                        print(f"FAIL  {label}: {error}", flush=True)
                        if not (isinstance(error, AssertionError) and error.args):
                            traceback.print_exc()
                browser.close()
    print("page: all of it held" if not failures else f"page: {failures} failed")
    return 1 if failures else 0


sys.exit(main())
