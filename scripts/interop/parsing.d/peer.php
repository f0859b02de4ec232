<?php
// What PHP's own request parser made of a posted form: its fields, then its files. Served by php -S.
$parts = [];
$row = fn($name, $filename, $type, $content) =>
    ['name' => (string) $name, 'filename' => $filename, 'type' => $type, 'content' => base64_encode($content)];
// A name with brackets is a tree; so that it can be compared, the tree is written with brackets again.
$walk = function ($name, $value, $leaf) use (&$walk) {
    foreach (is_array($value) ? $value : [] as $key => $inner) {
        $walk("{$name}[{$key}]", $inner, fn($name, $value, $path) => $leaf($name, $value, [$key, ...$path]));
    }
    is_array($value) || $leaf($name, $value, []);
};
foreach ($_POST as $name => $value) {
    $walk($name, $value, function ($name, $value) use (&$parts, $row) { $parts[] = $row($name, null, null, $value); });
}
foreach ($_FILES as $name => $file) {
    $walk($name, $file['full_path'], function ($name, $filename, $path) use (&$parts, $row, $file) {
        [$place, $type] = array_map(fn($key) => array_reduce($path, fn($tree, $step) => $tree[$step], $file[$key]), ['tmp_name', 'type']);
        $parts[] = $row($name, $filename, $type, $place === '' ? '' : file_get_contents($place));
    });
}
// A form that PHP can't read is an empty one, with a warning.
echo json_encode($parts ? ['parts' => $parts] : ['error' => 'an empty form'], JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE);
