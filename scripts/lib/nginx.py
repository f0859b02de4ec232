"""nginx with its own folder, and nothing outside it."""

from pathlib import Path


def configured(folder: Path, http: str, processes: str = "") -> list:
    """The command that runs it in the foreground, with this text in the block `http`."""
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off;\n{processes}\npid {folder}/nginx.pid;\nerror_log stderr;\nevents {{ }}\n"
        f"http {{\naccess_log off;\n{temporary}{http}\n}}\n")
    return ["nginx", "-p", folder, "-e", "stderr", "-c", folder / "nginx.conf"]
