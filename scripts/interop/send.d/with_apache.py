"""with_apache.py PORT: Apache with PHP as a module, in its own folder."""

import os
import shutil
import sys
from pathlib import Path

MODULES = Path("/usr/lib/apache2/modules")
HERE = Path(__file__).resolve().parent

settings = f"""
ServerName localhost
ServerRoot {os.getcwd()}
PidFile apache.pid
Listen 127.0.0.1:{sys.argv[1]}
LoadModule mpm_prefork_module {MODULES}/mod_mpm_prefork.so
LoadModule authz_core_module {MODULES}/mod_authz_core.so
LoadModule alias_module {MODULES}/mod_alias.so
LoadModule env_module {MODULES}/mod_env.so
LoadModule php_module {next(MODULES.glob("libphp*.so"))}
ErrorLog /dev/stderr
DocumentRoot {os.getcwd()}
AliasMatch ^/ {os.getcwd()}/form.php
<Files form.php>
    Require all granted
    SetHandler application/x-httpd-php
    php_admin_value upload_max_filesize 100M
    php_admin_value post_max_size 100M
</Files>
SetEnv BUSY {os.getcwd()}
StartServers 2
"""
Path("apache.conf").write_text(settings)
# If root starts it, its children belong to another user. They must be able to read the script, and to write the file that
# records that they were busy.
shutil.copy(HERE / "form.php", ".")
os.chmod(".", 0o777)
os.execvp("apache2", ["apache2", "-f", f"{os.getcwd()}/apache.conf", "-DFOREGROUND"])
