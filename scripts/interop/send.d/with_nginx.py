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
command = configured(here, f"""
    absolute_redirect off;
    client_max_body_size 100m;
    upstream flask {{ server unix:{here}/flask.sock; }}
    server {{
        listen 127.0.0.1:{sys.argv[1]} ssl http2;
        ssl_certificate {here}/certificate.pem;
        ssl_certificate_key {here}/key.pem;
        proxy_set_header Host $http_host;
        proxy_set_header X-Protocol $server_protocol;
        location / {{ proxy_pass http://flask; }}
        # Its own answer: gunicorn hangs up on a body that the application leaves, which is 502 now and then.
        location /moved {{ return 307 /form; }}
        location /full {{ client_max_body_size 1m; proxy_pass http://flask; }}
    }}""", "master_process off;")
self_signed(here, "localhost", "DNS:localhost", "IP:127.0.0.1")
# Both are of one session and end with it.
subprocess.Popen([
    sys.executable, "-m", "gunicorn", "--pythonpath", HERE, "--threads", "4", "-b", "unix:flask.sock", "with_flask:app"])
os.execvp("nginx", list(map(str, command)))
