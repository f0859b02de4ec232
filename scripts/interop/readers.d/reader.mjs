// reader.mjs CONTENT-TYPE < body: the parts as Node's own fetch reads them, a JSON object a line.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const response = new Response(readFileSync(0), { headers: { "Content-Type": process.argv[2] } });
for (const [name, value] of await response.formData()) {
  const isFile = typeof value !== "string";
  const bytes = isFile ? Buffer.from(await value.arrayBuffer()) : Buffer.from(value);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  console.log(JSON.stringify({ name, filename: isFile ? value.name : null, size: bytes.length, sha256 }));
}
