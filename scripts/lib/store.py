"""The object store of scripts/interop/ceph."""

import subprocess
from pathlib import Path

CEPH = Path(__file__).resolve().parents[1] / "interop/ceph"


def start_ceph():
    """Returns the AWS variables, and whether this run started Ceph."""
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


def stop_ceph():
    """Stops Ceph, and deletes its data."""
    subprocess.run([CEPH, "stop"], check=False)
