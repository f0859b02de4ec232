"""Certificates for servers on loopback."""

import subprocess
from pathlib import Path


def self_signed(folder: Path, name: str = "localhost", *alternatives: str) -> tuple[Path, Path]:
    """Makes a certificate that nothing trusts; returns its file and its key's. An alternative is `DNS:a` or `IP:::1`."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    words = f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN={name}".split()
    names = ["-addext", "subjectAltName=" + ",".join(alternatives)] if alternatives else []
    subprocess.run(
        ["openssl", *words, *names, "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    return certificate, key
