"""The tus server of PyPI's resumable-upload: port, folder, and the maximum bytes of a PATCH."""

import sys
from http.server import ThreadingHTTPServer

from resumable_upload import SQLiteStorage, TusHTTPRequestHandler, TusServer

port, folder, largest = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])


class Handler(TusHTTPRequestHandler):
    tus_server = TusServer(
        storage=SQLiteStorage(db_path=f"{folder}/uploads.db", upload_dir=f"{folder}/uploads"), base_path="/files",
        max_chunk_size=largest)


ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
