<?php
// PHP, in its own server or in Apache: the parts of a form, fields first, one JSON object per line.
function line(string $name, ?string $filename, int $size, string $sha256): void
{
    echo json_encode(['name' => $name, 'filename' => $filename, 'size' => $size, 'sha256' => $sha256],
        JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}

$path = explode('/', $_SERVER['REQUEST_URI']);
header('Content-Type: text/plain');
if ($_SERVER['REQUEST_METHOD'] === 'GET') {
    echo 'PHP ', PHP_VERSION, ', ', $_SERVER['SERVER_SOFTWARE'] ?? PHP_SAPI, "\n";
} elseif ($path[1] === 'moved') {
    http_response_code(307);
    header('Location: /form');
} elseif ($path[1] === 'full') {
    http_response_code(413);
    echo "too large\n";
} elseif ($path[1] === 'busy' && @fopen(getenv('BUSY') . '/busy-' . basename($path[2]), 'x')) {
    http_response_code(503);
    header('Retry-After: 1');
    echo "busy\n";
} else {
    foreach ($_POST as $name => $value) {
        line((string) $name, null, strlen($value), hash('sha256', $value));
    }
    foreach ($_FILES as $name => $file) {
        $empty = $file['size'] === 0;
        line((string) $name, $file['name'], $file['size'], $empty ? hash('sha256', '') : hash_file('sha256', $file['tmp_name']));
    }
}
