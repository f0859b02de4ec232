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

settings = """
daemon off;
master_process off;
pid nginx.pid;
events {}
http {
    access_log off;
    absolute_redirect off;
    client_max_body_size 100m;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    upstream flask { server unix:flask.sock; }
    server {
        listen 127.0.0.1:PORT ssl http2;
        ssl_certificate certificate.pem;
        ssl_certificate_key key.pem;
        proxy_set_header Host $http_host;
        proxy_set_header X-Protocol $server_protocol;
        location / { proxy_pass http://flask; }
        # Its own answer: gunicorn hangs up on a body that the application leaves, which is 502 now and then.
        location /moved { return 307 /form; }
        location /full { client_max_body_size 1m; proxy_pass http://flask; }
    }
}
"""
here = os.getcwd()
settings = settings.replace("PORT", sys.argv[1]).replace("flask.sock", f"{here}/flask.sock")
Path("nginx.conf").write_text(settings)
self_signed(Path("."), "localhost", "DNS:localhost", "IP:127.0.0.1")
# Both are of one session and end with it.
subprocess.Popen([
    sys.executable, "-m", "gunicorn", "--pythonpath", HERE, "--threads", "4", "-b", "unix:flask.sock", "with_flask:app"])
os.execvp("nginx", ["nginx", "-p", here, "-c", "nginx.conf", "-e", "stderr"])
