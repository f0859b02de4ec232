# What the command lines of pages and examples find: files, and functions.

prepare() {
    mkdir -p "$HOME/.config/fish/completions" && echo 'machine example.org login me password secret' > "$HOME/.netrc"
    command formwork link --to "$U" > link
    mkdir prepared && cd prepared || return
    mkdir -p report bodies var/backups var/lib/backup var/lib/uploads var/lib/formwork etc/formwork srv dev/shm/inbox
    head -c 1000000 /dev/zero > disk.img && cp disk.img var/backups
    for file in harbour.jpg a.jpg picture film.mov a.mov; do cat "$FIXTURES/photo.jpg" disk.img > $file; done
    printf '%s\n' 'two lines' of > notes.txt
    cp notes.txt today.log && cp notes.txt report/a.txt && cp notes.txt var/backups/db.dump
    command formwork body -F photo=@a.jpg --boundary b1 -o body.bin
    command formwork body -F title=Harbour -F photo=@a.jpg --as request -o request.http
    echo 'Content-Type: multipart/form-data; boundary=b1' > headers.txt
    command formwork plan -F photo=@a.jpg --save form.json
    cp request.http bodies/up
    printf '{"page": 2}' > a.json
    printf '{"url": "%s", "fields": {"key": "a"}}' "$ACCEPTING" > post.json
    local entry='{"request": {"method": "POST", "url": "http://h/", "headers": [{"name": "Content-Type", "value":
        "multipart/form-data; boundary=b1"}], "postData": {"mimeType": "multipart/form-data; boundary=b1", "text":
        "--b1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b1--\r\n"}}}'
    printf '{"log": {"entries": [%s]}}' "$entry" > upload.har
    printf '{"log": {"entries": [%s' "$entry" > session.har
    for number in {1..11}; do printf ', %s' "$entry"; done >> session.har
    printf ']}}' >> session.har
    cp "$OWN"/{certificate,key}.pem . && cp certificate.pem chain.pem && cp certificate.pem cert.pem
    cat certificate.pem key.pem > client.pem
    head -c 18 /dev/urandom | base64 > token && cp token etc/formwork
    openssl rand -base64 32 > hook.secret
    printf %s "$FORMWORK_LINK_KEY" > link.key
}

# A receiver has a port of its own, and ends after it has printed its address.
formwork() {
    [ "$1" = receive ] || { command formwork "$@"; return; }
    command formwork "$@" --port 0 > said & local process=$! status
    until grep -q / said || ! kill -0 $process 2> /dev/null; do sleep 0.02; done
    kill -TERM $process 2> /dev/null
    wait $process; status=$?
    sed "s/:[0-9]*/:PORT/" said
    return $status
}
