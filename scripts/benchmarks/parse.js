// parse.js PARSER FILE BOUNDARY CHUNK, for scripts/bench: MB of a multipart body for each second of CPU time.
const fs = require('fs');
const seconds = require('./timing.js');
const [name, path, boundary] = process.argv.slice(2);
const size = Number(process.argv[5]);
const body = fs.readFileSync(path);
const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };

function withBusboy() {
  const busboy = require('busboy');
  return new Promise((resolve, reject) => {
    let parts = 0, bytes = 0;
    const limits = { fieldSize: Infinity, fields: Infinity, parts: Infinity, fileSize: Infinity };
    const parser = busboy({ headers, limits });
    parser.on('file', (field, stream) => {
      parts += field ? 1 : 0;
      stream.on('data', (data) => { bytes += data.length; });
    });
    // Fields come as text: of letters and digits here, as many as bytes.
    parser.on('field', (field, value) => { parts += field ? 1 : 0; bytes += value.length; });
    parser.on('close', () => resolve({ parts, bytes }));
    parser.on('error', reject);
    let position = 0;
    const feed = () => {
      while (position < body.length) {
        const chunk = body.subarray(position, position + size);
        position += size;
        if (!parser.write(chunk)) return parser.once('drain', feed);
      }
      parser.end();
    };
    feed();
  });
}

async function withUndici() {
  let parts = 0, bytes = 0;
  for (const [field, value] of await new Response(body, { headers }).formData()) {
    parts += field ? 1 : 0;
    bytes += typeof value === 'string' ? value.length : value.size;
  }
  return { parts, bytes };
}

async function main() {
  const parse = name === 'busboy' ? withBusboy : withUndici;
  const found = await parse();
  const taken = await seconds(parse);
  console.log(`parts ${found.parts}\nbytes ${found.bytes}\nrate ${Math.round(body.length / taken / 1e6)}`);
}

main().catch((error) => { console.error(error); process.exit(1); });
