#!/bin/sh
set -eu
# Counts the files of a folder.
for f in "${1:-.}"/*; do
  [ -f "$f" ] && n=$((${n:-0} + 1))
done
echo "${n:-0}"
