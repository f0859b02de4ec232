# wget and wget2 know --post-file and no forms: answers on the web have people write the body themselves, names as they
# are between quotes.
set -eu
program=wget
if [ "$1" = wget2 ]; then program=wget2 && shift; fi
boundary=----FormBoundaryByHand
{
    field() { printf -- '--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' "$boundary" "$1" "$2"; }
    field title 'Grüße & "more"'
    field 'näme "q" %0A' awkward
    field empty ''
    field lines $'one\r\ntwo\r\n\r\nthree'
    printf -- '--%s\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n' "$boundary" "$FORM_FILENAME"
    printf 'Content-Type: application/octet-stream\r\n\r\n'
    cat "$FORM_FILENAME"
    printf -- '\r\n--%s\r\nContent-Disposition: form-data; name="nothing"; filename=""\r\n\r\n\r\n--%s--\r\n' \
        "$boundary" "$boundary"
} > by-hand.body
"$program" --quiet --output-document=/dev/null --header="Content-Type: multipart/form-data; boundary=$boundary" \
    --post-file=by-hand.body "$1"
"$program" --version | head -n 1
