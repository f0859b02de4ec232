// form.mjs PARSER PORT: Node's http with the form read by undici (Node's own Response) or by busboy, Debian's node-busboy.
import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { Readable } from "node:stream";

const [parser, port] = process.argv.slice(2);
const line = (name, filename, size, sha256) => JSON.stringify({ name, filename, size, sha256 }) + "\n";

async function undici(request) {
  const response = new Response(Readable.toWeb(request), { headers: { "Content-Type": request.headers["content-type"] } });
  let text = "";
  for (const [name, value] of await response.formData()) {
    const isFile = typeof value !== "string";
    const bytes = Buffer.from(isFile ? await value.arrayBuffer() : value);
    text += line(name, isFile ? value.name : null, bytes.length, createHash("sha256").update(bytes).digest("hex"));
  }
  return text;
}

function busboy(request) {
  // import ignores NODE_PATH.
  const make = createRequire(import.meta.url)("busboy");
  return new Promise((resolve, reject) => {
    const rows = [];
    const parts = make({ headers: request.headers, defParamCharset: "utf8" });
    parts.on("field", (name, value) => {
      rows.push(line(name, null, Buffer.byteLength(value), createHash("sha256").update(value).digest("hex")));
    });
    parts.on("file", (name, file, { filename }) => {
      const digest = createHash("sha256");
      let size = 0;
      const index = rows.push("") - 1;
      file.on("data", (piece) => { size += piece.length; digest.update(piece); });
      file.on("end", () => { rows[index] = line(name, filename, size, digest.digest("hex")); });
    });
    parts.on("error", reject);
    parts.on("close", () => resolve(rows.join("")));
    request.pipe(parts);
  });
}

function isFirst(key) {
  try {
    closeSync(openSync(`busy-${key}`, "wx"));
    return true;
  } catch {
    return false;
  }
}

createServer(async (request, response) => {
  const [, place, key] = request.url.split("/");
  if (request.method === "GET") response.end(`Node ${process.versions.node}, undici ${process.versions.undici}\n`);
  else if (place === "moved") response.writeHead(307, { Location: "/form" }).end();
  else if (place === "full") response.writeHead(413).end("too large\n");
  else if (place === "busy" && isFirst(key)) response.writeHead(503, { "Retry-After": "1" }).end("busy\n");
  else {
    try {
      response.end(await { undici, busboy }[parser](request));
    } catch (error) {
      response.writeHead(400).end(`${error}\n`);
    }
  }
}).listen(Number(port), "127.0.0.1");
