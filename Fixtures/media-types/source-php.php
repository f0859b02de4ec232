<?php
declare(strict_types=1);

function greet(string $name = "world"): string {
    return "Hello, $name";
}

echo greet(), PHP_EOL;
