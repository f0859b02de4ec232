<?php
// What the demo's server saw: PHP itself takes the body apart, this only tells name, size and digest of every part.
header('Content-Type: text/plain; charset=utf-8');
printf("length\t%s\n", $_SERVER['CONTENT_LENGTH'] ?? 'chunked');
foreach ($_POST as $name => $value) {
    printf("field\t%s\t%s\n", $name, $value);
}
foreach ($_FILES as $name => $file) {
    if ($file['error'] !== UPLOAD_ERR_OK) {
        printf("failed\t%s\t%d\n", $name, $file['error']);
        continue;
    }
    printf("file\t%s\t%s\t%s\t%d\t%s\n", $name, $file['name'], $file['type'], $file['size'],
        hash_file('sha256', $file['tmp_name']));
}
