// Node's URLSearchParams, for scripts/bench: MB of input for each second of CPU time.
const fs = require('fs');
const seconds = require('./timing.js');
const raw = fs.readFileSync(process.argv[2]);
const texts = raw.toString('utf8').split('\0').slice(0, -1);
const pairs = [];
for (let i = 0; i < texts.length; i += 2) pairs.push([texts[i], texts[i + 1]]);
const encoded = fs.readFileSync(process.argv[3], 'utf8');
async function main() {
  let output, decoded;
  const encode = await seconds(() => { output = new URLSearchParams(pairs).toString(); });
  if (output !== encoded) throw new Error('not what the reference encoded');
  const decode = await seconds(() => { decoded = [...new URLSearchParams(encoded)]; });
  if (JSON.stringify(decoded) !== JSON.stringify(pairs)) throw new Error('not the pairs that were encoded');
  console.log(`encode ${Math.round(raw.length / encode / 1e6)}\ndecode ${Math.round(encoded.length / decode / 1e6)}`);
}

main().catch((error) => { console.error(error); process.exit(1); });
