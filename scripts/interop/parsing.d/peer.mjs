// peer.mjs PARSER < questions: the parts of one body per line, as busboy or Node's own fetch reads them, a line of JSON each.
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { Duplex } from "node:stream";

// The Content-Types and the body of a message, as Node's HTTP server reads it.
function receive(message) {
  return new Promise((resolve, reject) => {
    const server = createServer((request) => {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk)).on("error", reject);
      request.on("end", () => resolve([request.headersDistinct["content-type"] ?? [], Buffer.concat(chunks)]));
    });
    const socket = new Duplex({ read() {}, write(_, __, done) { done(); } });
    server.on("clientError", reject).emit("connection", socket);
    socket.push(message);
    socket.push(null);
    setTimeout(reject, 2000, new Error("it doesn't end")).unref();
  });
}

async function withFetch(types, body) {
  const parts = [];
  const headers = types.map((type) => ["Content-Type", type]);
  for (const [name, value] of await new Response(body, { headers }).formData()) {
    const isFile = typeof value !== "string";
    const bytes = isFile ? Buffer.from(await value.arrayBuffer()) : Buffer.from(value);
    parts.push({ name, filename: isFile ? value.name : null, type: isFile ? value.type : null, content: bytes.toString("base64") });
  }
  return parts;
}

function withBusboy(busboy) {
  const limits = { fieldNameSize: 1 << 20, fieldSize: 1 << 24 };
  // Node's server has only the first of several Content-Types.
  return ([type], body) => new Promise((resolve, reject) => {
    const parts = [];
    const parser = busboy({ headers: { "content-type": type }, limits, preservePath: true, defParamCharset: "utf8" });
    // A field is reported at its end, a file at its beginning. The next part doesn't begin before that.
    parser.on("field", (name, value, info) => {
      parts.push({ name: name ?? null, filename: null, type: info.mimeType, content: Buffer.from(value).toString("base64") });
    });
    parser.on("file", (name, stream, info) => {
      const chunks = [];
      // A file has no name if only its type makes it one.
      const part = { name: name ?? null, filename: info.filename ?? "", type: info.mimeType };
      parts.push(part);
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("error", reject);
      stream.on("end", () => { part.content = Buffer.concat(chunks).toString("base64"); });
    });
    parser.on("error", reject);
    parser.on("close", () => resolve(parts));
    parser.end(body);
    setTimeout(reject, 2000, new Error("it doesn't end"));
  });
}

const read = process.argv[2] === "busboy" ? withBusboy(createRequire(import.meta.url)("busboy")) : withFetch;
process.on("uncaughtException", () => {});  // a stream of busboy's that is no longer awaited
for await (const line of createInterface({ input: process.stdin })) {
  const { types, body, message } = JSON.parse(line);
  let answer;
  try {
    answer = { parts: await read(...(message ? await receive(Buffer.from(message, "base64")) : [types, Buffer.from(body, "base64")])) };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
