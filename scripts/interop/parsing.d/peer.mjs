// peer.mjs PARSER < questions: the parts of one body per line, as busboy or Node's own fetch reads them, a line of JSON each.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

async function withFetch(type, body) {
  const parts = [];
  for (const [name, value] of await new Response(body, { headers: { "Content-Type": type } }).formData()) {
    const isFile = typeof value !== "string";
    const bytes = isFile ? Buffer.from(await value.arrayBuffer()) : Buffer.from(value);
    parts.push({ name, filename: isFile ? value.name : null, type: isFile ? value.type : null, sha256: digest(bytes) });
  }
  return parts;
}

function withBusboy(busboy) {
  const limits = { fieldNameSize: 1 << 20, fieldSize: 1 << 24 };
  return (type, body) => new Promise((resolve, reject) => {
    const parts = [];
    const parser = busboy({ headers: { "content-type": type }, limits, preservePath: true, defParamCharset: "utf8" });
    // A field is reported at its end, a file at its beginning. The next part doesn't begin before that.
    parser.on("field", (name, value, info) => {
      parts.push({ name: name ?? null, filename: null, type: info.mimeType, sha256: digest(Buffer.from(value)) });
    });
    parser.on("file", (name, stream, info) => {
      const hash = createHash("sha256");
      const part = { name: name ?? null, filename: info.filename ?? null, type: info.mimeType };
      parts.push(part);
      stream.on("data", (chunk) => hash.update(chunk));
      stream.on("error", reject);
      stream.on("end", () => { part.sha256 = hash.digest("hex"); });
    });
    parser.on("error", reject);
    parser.on("close", () => resolve(parts));
    parser.end(body);
  });
}

const read = process.argv[2] === "busboy" ? withBusboy(createRequire(import.meta.url)("busboy")) : withFetch;
process.on("uncaughtException", () => {});  // a stream of busboy's that is no longer awaited
for await (const line of createInterface({ input: process.stdin })) {
  const { type, body } = JSON.parse(line);
  let answer;
  try {
    answer = { parts: await read(type, Buffer.from(body, "base64")) };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
