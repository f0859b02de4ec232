# HTTPie: httpie.sh PROGRAM URL. PROGRAM can also be xh, which has the same arguments.
set -eu
program=$1
"$program" --ignore-stdin --check-status --multipart POST "$2" \
    'title=Grüße & "more"' 'näme "q" %0A=awkward' 'empty=' $'lines=one\r\ntwo\r\n\r\nthree' "file@$FORM_FILENAME" > /dev/null
"$program" --version | head -n 1 | sed "s/^[0-9]/$program &/"
