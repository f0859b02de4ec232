"""tuspy: uploads a file, and goes on with what an earlier run of it began. URL, file, name, where it keeps the URL."""

import sys

from tusclient.client import TusClient
from tusclient.storage.filestorage import FileStorage

url, path, name, kept = sys.argv[1:]
uploader = TusClient(url).uploader(
    path, chunk_size=4 << 20, metadata={"filename": name}, store_url=True, url_storage=FileStorage(kept), retries=50,
    retry_delay=0.2)
begun = uploader.get_offset() if uploader.url else 0
uploader.upload()
print(begun)
