# The client of PyPI's resumable-upload: pieces of 100 bytes, each with its SHA-1.
set -eu
resumable-upload upload --no-progress --chunk-size 100 --url "$1" "$FORM_FILENAME" > /dev/null
resumable-upload --version
