<?php
// http_build_query and parse_str, for scripts/bench: MB of input for each second of CPU time.
$raw = file_get_contents($argv[1]);
$texts = explode("\0", substr($raw, 0, -1));
$pairs = [];
for ($i = 0; $i < count($texts); $i += 2) $pairs[$texts[$i]] = $texts[$i + 1];
$encoded = file_get_contents($argv[2]);
function cpu(): float {
    $u = getrusage();
    return $u['ru_utime.tv_sec'] + $u['ru_stime.tv_sec'] + ($u['ru_utime.tv_usec'] + $u['ru_stime.tv_usec']) / 1e6;
}
function seconds(callable $work): float {
    $work();
    $rounds = [];
    for ($round = 0; $round < 9; $round++) {
        $start = cpu();
        $runs = 0;
        do { $work(); $runs++; } while (cpu() - $start < 0.05);
        $rounds[] = (cpu() - $start) / $runs;
    }
    sort($rounds);
    return $rounds[4];
}
$encode = seconds(function () use ($pairs, &$output) { $output = http_build_query($pairs); });
if ($output !== $encoded) { fwrite(STDERR, "not what the reference encoded\n"); exit(1); }
$decode = seconds(function () use ($encoded, &$decoded) { parse_str($encoded, $decoded); });
if ($decoded !== $pairs) { fwrite(STDERR, "not the pairs that were encoded\n"); exit(1); }
printf("encode %d\ndecode %d\n", strlen($raw) / $encode / 1e6, strlen($encoded) / $decode / 1e6);
