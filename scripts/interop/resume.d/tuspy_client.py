"""tuspy: uploads a file in pieces, and resumes an upload that an earlier run began.

URL, file, name, where it keeps the upload's URL, bytes of a piece, seconds between two.
"""

import sys
import time

from tusclient.client import TusClient
from tusclient.storage.filestorage import FileStorage

url, path, name, kept, piece, pause = sys.argv[1:]
uploader = TusClient(url).uploader(
    path, chunk_size=int(piece), metadata={"filename": name}, store_url=True, url_storage=FileStorage(kept), retries=50,
    retry_delay=0.2)
begun = uploader.get_offset() if uploader.url else 0
size = uploader.get_file_size()
while uploader.offset < size:
    uploader.upload_chunk()
    time.sleep(float(pause))
print(begun)
