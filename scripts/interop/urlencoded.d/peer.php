<?php
// A question per line, answered by PHP itself: see scripts/interop/urlencoded.

function tree($tagged)
{
    [$kind, $content] = [$tagged[0], $tagged[1] ?? null];
    switch ($kind) {
        case 'n': return null;
        case 't': return $content === '1';
        case 'i': return (int) $content;
        case 'd': return unpack('E', hex2bin($content))[1];
        case 's':
        case 'b': return base64_decode($content);
        case 'a': return array_map('tree', $content);
    }
    $members = [];
    foreach ($content as [$name, $value]) {
        $members[base64_decode($name)] = tree($value);
    }
    return $members;
}

function tagged($value)
{
    if (!is_array($value)) {
        return ['s', base64_encode($value)];
    }
    if ($value && array_is_list($value)) {
        return ['a', array_map('tagged', $value)];
    }
    $members = [];
    foreach ($value as $name => $content) {
        $members[] = [base64_encode((string) $name), tagged($content)];
    }
    return ['o', $members];
}

while (($line = fgets(STDIN)) !== false) {
    $question = json_decode($line, true, 5000);
    switch ($question[0]) {
        case 'parse_str':
            parse_str(base64_decode($question[1]), $result);
            $answer = tagged($result);
            break;
        case 'http_build_query':
            $kind = $question[1] === 'php' ? PHP_QUERY_RFC1738 : PHP_QUERY_RFC3986;
            $answer = base64_encode(http_build_query(tree($question[2]), '', '&', $kind));
            break;
    }
    echo json_encode($answer, 0, 5000), "\n";
}
