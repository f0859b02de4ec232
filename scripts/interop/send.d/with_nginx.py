"""with_nginx.py PORT: nginx before Flask, with TLS and HTTP/2; no body of more than 1 MiB for /full.

Its certificate, signed by itself, is certificate.pem in the working folder.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parents[1] / "lib"))

from certificates import self_signed
from nginx import configured

here = Path.cwd()
settings = (HERE / "nginx.conf").read_text().replace("@FOLDER@", str(here)).replace("@PORT@", sys.argv[1])
command = configured(here, settings, "master_process off;")
self_signed(here, "localhost", "DNS:localhost", "IP:127.0.0.1")
# Both are of one session and end with it.
subprocess.Popen([
    sys.executable, "-m", "gunicorn", "--pythonpath", HERE, "--threads", "4", "-b", "unix:flask.sock", "with_flask:app"])
os.execvp("nginx", list(map(str, command)))
