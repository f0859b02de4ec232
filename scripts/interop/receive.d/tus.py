"""tuspy: a resumable upload in pieces of 100 bytes."""

import json
import sys
from importlib.metadata import version

from tusclient.client import TusClient

filename = json.load(open(sys.argv[2]))["file"]["filename"]
uploader = TusClient(sys.argv[1]).uploader(
    filename, chunk_size=100, metadata={"filename": filename}, metadata_encoding="utf-8")
uploader.upload()
print("tuspy", version("tuspy"))
