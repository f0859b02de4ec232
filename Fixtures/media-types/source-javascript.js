"use strict";

const greet = (name = "world") => `Hello, ${name}`;

function main() {
  console.log(greet());
}

main();
