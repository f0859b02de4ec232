import { readFileSync } from "node:fs";
import { File } from "node:buffer";

const form = JSON.parse(readFileSync(process.argv[3], "utf8"));
const data = new FormData();
for (const [name, value] of form.fields) data.append(name, value);
data.append(form.file.name, new File([readFileSync(form.file.filename)], form.file.filename, { type: "text/plain" }));
data.append(form.unfilledFile, new File([], ""));
await fetch(process.argv[2], { method: "POST", body: data });
console.log(`Node ${process.version}, undici ${process.versions.undici}`);
