# curl -F. Quotes and backslashes in the words of -F are written as curl's manual has it.
set -eu
quoted=${FORM_FILENAME//\\/\\\\}
quoted=${quoted//\"/\\\"}
escape=()
if [ "$1" = --form-escape ]; then escape=(--form-escape) && shift; fi
curl --silent --show-error --output /dev/null "${escape[@]}" \
    -F 'title=Grüße & "more"' \
    -F 'näme "q" %0A=awkward' \
    -F 'empty=' \
    -F $'lines=one\r\ntwo\r\n\r\nthree' \
    -F "file=@\"$quoted\"" \
    -F 'nothing=@/dev/null;filename=""' \
    "$1"
curl --version | head -n 1 | cut -d ' ' -f 1,2
