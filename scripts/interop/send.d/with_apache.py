"""with_apache.py PORT: Apache with PHP as a module, in its own folder."""

import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# If root starts it, its children belong to another user. They must be able to read the script, and to write the file that
# records that they were busy.
shutil.copy(HERE / "form.php", ".")
os.chmod(".", 0o777)
php = next(Path("/usr/lib/apache2/modules").glob("libphp*.so"))
os.environ |= {"FOLDER": os.getcwd(), "PORT": sys.argv[1], "PHP": str(php)}
os.execvp("apache2", ["apache2", "-f", HERE / "apache.conf", "-DFOREGROUND"])
