<?php
$form = json_decode(file_get_contents($argv[2]), true);
$fields = array_column($form['fields'], 1, 0);
$fields[$form['file']['name']] = new CURLFile($form['file']['filename'], 'text/plain', $form['file']['filename']);
$fields[$form['unfilledFile']] = new CURLStringFile('', '', 'application/octet-stream');
$request = curl_init($argv[1]);
curl_setopt_array($request, [CURLOPT_POSTFIELDS => $fields, CURLOPT_RETURNTRANSFER => true]);
curl_exec($request) !== false or exit(1);
echo 'PHP ', PHP_VERSION, ', libcurl ', curl_version()['version'], "\n";
