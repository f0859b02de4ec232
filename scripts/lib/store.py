"""Object stores for scripts: the one of scripts/interop/ceph, and one of our own."""

import contextlib
import hashlib
import http.client
import importlib.util
import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from processes import Process, free_port, is_listening

CEPH = Path(__file__).resolve().parents[1] / "interop/ceph"


def start_ceph():
    """Returns the AWS variables, and whether this run started Ceph. Its clients need boto3."""
    if not importlib.util.find_spec("boto3"):
        raise SystemExit(f"{Path(sys.argv[0]).name}: install boto3 (pip install boto3)")
    running = subprocess.run([CEPH, "env"], capture_output=True, text=True)
    output = running.stdout if running.returncode == 0 else subprocess.run(
        [CEPH, "start"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(line.removeprefix("export ").split("=", 1) for line in output.splitlines()), running.returncode != 0


def s3(variables):
    import boto3
    from botocore.config import Config

    return boto3.client(
        "s3", endpoint_url=variables["AWS_ENDPOINT_URL_S3"], aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"], region_name=variables["AWS_REGION"],
        config=Config(s3={"addressing_style": "path"}, signature_version="s3v4", retries={"max_attempts": 8}))


@contextlib.contextmanager
def opened(name, own_options=None):
    """A bucket, of Ceph or of a store of our own with these options; Ceph is stopped, and its data deleted, if this started it."""
    with tempfile.TemporaryDirectory(prefix="formwork-store-") as folder:
        if own_options is not None:
            own = OwnStore(Path(folder), *own_options)
            try:
                yield Bucket(name, own.variables, own)
            finally:
                own.process.stop()
            return
        variables, is_started = start_ceph()
        try:
            yield Bucket(name, variables)
        finally:
            if is_started:
                subprocess.run([CEPH, "stop"], check=False)


OWN = Path(__file__).resolve().parent / "objectstore.py"


class OwnStore:
    """The store of objectstore.py in a process of its own, as a client of its only bucket. It needs no packages."""

    def __init__(self, folder, *options):
        self.port = free_port()
        (folder / "objects").mkdir()
        self.process = Process(
            ["python3", OWN, "--port", self.port, "--folder", folder / "objects", *options], folder=folder,
            log=folder / "store.log")
        self.process.until(lambda: is_listening(self.port), 10, "the store")
        self.variables = {
            "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{self.port}", "AWS_ACCESS_KEY_ID": "id",
            "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}

    def request(self, target, method="GET"):
        """An answer's bytes. A request that the store loses or refuses is made again."""
        for attempt in range(100):
            request = urllib.request.Request(f"http://127.0.0.1:{self.port}{target}", method=method)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return answer.read()
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    raise
            except (OSError, http.client.HTTPException):
                pass
        raise SystemExit(f"the store doesn't answer: {method} {target}")

    def counts(self):
        return json.loads(self.request("/_counts"))

class Bucket:
    """A bucket of Ceph through boto3, or of a store of our own."""

    def __init__(self, name, variables, own=None):
        self.name, self.variables, self.own = name, variables, own
        self.client = None if own else s3(variables)
        if self.client and name not in [one["Name"] for one in self.client.list_buckets()["Buckets"]]:
            self.client.create_bucket(Bucket=name)

    def keys(self, prefix):
        if self.client:
            pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix)
            return [one["Key"] for page in pages for one in page.get("Contents", [])]
        return self.listed(f"/{self.name}?list-type=2&prefix={quote(prefix)}", "Contents", "NextContinuationToken")

    def listed(self, target, item, marker):
        keys, token = [], ""
        while True:
            root = ElementTree.fromstring(self.own.request(target + token))
            keys += [one.findtext("Key") for one in root.findall(item)]
            if root.findtext("IsTruncated") != "true":
                return keys
            token = f"&continuation-token={quote(root.findtext(marker))}"

    def uploads(self):
        """The keys of multipart uploads that are neither complete nor aborted."""
        if self.client:
            return [one["Key"] for one in self.client.list_multipart_uploads(Bucket=self.name).get("Uploads", [])]
        return self.listed(f"/{self.name}?uploads", "Upload", "NextKeyMarker")

    def read(self, key):
        """An object's bytes; None if there is none."""
        body = self.opened(key)
        return None if body is None else b"".join(body)

    def digest(self, key):
        """An object's SHA-256; None if there is none."""
        body = self.opened(key)
        if body is None:
            return None
        digest = hashlib.sha256()
        for piece in body:
            digest.update(piece)
        return digest.hexdigest()

    def opened(self, key):
        """An object's bytes, piece by piece; None if there is none."""
        if self.client:
            try:
                return self.client.get_object(Bucket=self.name, Key=key)["Body"].iter_chunks(1 << 20)
            except self.client.exceptions.NoSuchKey:
                return None
        try:
            return [self.own.request(f"/{self.name}/{quote(key)}")]
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return None

    def delete(self, key):
        if self.client:
            self.client.delete_object(Bucket=self.name, Key=key)
        else:
            self.own.request(f"/{self.name}/{quote(key)}", "DELETE")
