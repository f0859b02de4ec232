"""Writes what is in the executables, in SPDX 2.3: sbom.py VERSION BUILD-FOLDER > formwork.spdx.json

Packages are read from what the linker was given and from Package.resolved, libraries of the system from dpkg. Each has
its version, its licence and where it came from.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APACHE = "Apache-2.0"
# What a package has inside, by the module that holds it. The versions are the package's.
VENDORED = {
    "CNIOBoringSSL": ("BoringSSL", "OpenSSL AND ISC AND Apache-2.0"),
    "CNIOLLHTTP": ("llhttp", "MIT"),
    "CNIOSHA1": ("SHA-1 of the WIDE project", "BSD-3-Clause"),
}
# Libraries of the system that are linked in, by their Debian package.
LIBRARIES = {
    "libmagic-dev": ("libmagic", "BSD-2-Clause-Darwin"),
    "libbz2-dev": ("bzip2", "bzip2-1.0.6"),
    "liblzma-dev": ("xz", "0BSD"),
    "zlib1g-dev": ("zlib", "Zlib"),
    "libc6-dev": ("glibc", "LGPL-2.1-or-later"),
    "libstdc++6": ("libstdc++ and libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1"),
}


def linked_modules(build: Path) -> set[str]:
    """The modules whose objects the linker was given for both executables."""
    modules: set[str] = set()
    for product in ["FormworkMain", "formwork", "formwork-transfer"]:
        for objects in build.glob(f"{product}.product/Objects.LinkFileList"):
            modules |= set(re.findall(r"/([^/]+)\.build/", objects.read_text()))
    if not modules:
        sys.exit(f"sbom: {build} has no executables: run scripts/build transfer")
    return modules


def licence(folder: Path) -> str:
    """The licence of a package, as far as its file names it."""
    for name in ["LICENSE", "LICENSE.txt", "LICENSE.md"]:
        if (folder / name).exists():
            text = (folder / name).read_text()
            if "Apache License" in text:
                return APACHE + (" WITH Swift-exception" if "Runtime Library Exception" in text else "")
            if "MIT License" in text:
                return "MIT"
    sys.exit(f"sbom: {folder.name} has no licence that this script knows")


def debian_version(package: str) -> str | None:
    run = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else None


def package(name: str, version: str, licence: str, place: str, comment: str = "") -> dict:
    made = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{name}-{version}"),
        "name": name,
        "versionInfo": version,
        "downloadLocation": place,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "filesAnalyzed": False,
    }
    return made | ({"comment": comment} if comment else {})


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    version, build = sys.argv[1], Path(sys.argv[2])
    modules = linked_modules(build)
    parts = []
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        folder = ROOT / ".build" / "checkouts" / Path(pin["location"]).stem
        used = sorted(module for module in modules if (folder / "Sources" / module).is_dir())
        if not used:
            continue
        number = pin["state"].get("version") or pin["state"]["revision"]
        place = f"git+{pin['location']}@{pin['state']['revision']}"
        parts.append(package(folder.name, number, licence(folder), place))
        for module in used:
            if module in VENDORED:
                name, terms = VENDORED[module]
                comment = f"Compiled from its copy in {folder.name}, module {module}."
                parts.append(package(name, f"{folder.name}-{number}", terms, place, comment))
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    number = re.search(r"Swift version (\S+)", swift)[1]
    swift_place = f"git+https://github.com/swiftlang/swift@swift-{number}-RELEASE"
    parts.append(package("Swift standard library", number, APACHE + " WITH Swift-exception", swift_place))
    for debian, (name, terms) in LIBRARIES.items():
        if number := debian_version(debian):
            parts.append(package(name, number, terms, "NOASSERTION", f"Linked from Debian's {debian}."))
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    main_part = package("formwork", version, APACHE, "NOASSERTION")
    parts.sort(key=lambda part: part["SPDXID"])
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"formwork-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/formwork-{version}-{digest[:32]}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: formwork-release"],
        },
        "packages": [main_part, *parts],
        "relationships": [
            {
                "spdxElementId": "SPDXRef-DOCUMENT",
                "relationshipType": "DESCRIBES",
                "relatedSpdxElement": main_part["SPDXID"],
            }
        ]
        + [
            {
                "spdxElementId": main_part["SPDXID"],
                "relationshipType": "STATIC_LINK",
                "relatedSpdxElement": part["SPDXID"],
            }
            for part in parts
        ],
    }
    json.dump(document, sys.stdout, indent=2)
    print()


main()
