<?php
// What PHP's own request parser made of a posted form, a JSON object a line: fields first, then files.
function line(string $name, ?string $filename, string $content): void
{
    echo json_encode(['name' => $name, 'filename' => $filename, 'size' => strlen($content),
        'sha256' => hash('sha256', $content)], JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
foreach ($_POST as $name => $value) {
    line((string) $name, null, $value);
}
foreach ($_FILES as $name => $file) {
    line((string) $name, $file['name'], $file['size'] > 0 ? file_get_contents($file['tmp_name']) : '');
}
