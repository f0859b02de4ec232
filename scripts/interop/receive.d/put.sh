# The file as the request's body, its name in the path: put.sh PROGRAM URL
set -eu
program=$1
base=${2%/*}
name=$(python3 -c 'import sys, urllib.parse; print(urllib.parse.quote(sys.argv[1], safe=""))' "$FORM_FILENAME")
case $program in
curl) curl --silent --show-error --fail --output /dev/null --upload-file "$FORM_FILENAME" "$base/$name" ;;
curl-chunked) curl --silent --show-error --fail --output /dev/null --upload-file - "$base/$name" < "$FORM_FILENAME" ;;
*) "$program" --quiet --output-document=/dev/null --method=PUT --body-file="$FORM_FILENAME" "$base/$name" ;;
esac
"${program%-chunked}" --version | head -n 1 | cut -d ' ' -f 1-3
