# wget and wget2 know --post-file and no forms: answers on the web have people write the body themselves, names as they
# are between quotes.
set -eu
boundary=----FormBoundaryByHand
{
    field() { printf -- '--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' "$boundary" "$1" "$2"; }
    field title 'Grüße & "more"'
    field 'näme "q" %0A' awkward
    field empty ''
    field lines $'one\r\ntwo\r\n\r\nthree'
    printf -- '--%s\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n' "$boundary" 'flä "q" 50% \b.txt'
    printf 'Content-Type: application/octet-stream\r\n\r\n'
    cat 'flä "q" 50% \b.txt'
    printf -- '\r\n--%s\r\nContent-Disposition: form-data; name="nothing"; filename=""\r\n\r\n\r\n--%s--\r\n' \
        "$boundary" "$boundary"
} > by-hand.body
wget --quiet --output-document=/dev/null --header="Content-Type: multipart/form-data; boundary=$boundary" \
    --post-file=by-hand.body "$1"
wget --version | head -n 1
