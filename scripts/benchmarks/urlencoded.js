// Node's URLSearchParams, for scripts/bench: MB of input for each second of CPU time.
const fs = require('fs');
const raw = fs.readFileSync(process.argv[2]);
const texts = raw.toString('utf8').split('\0').slice(0, -1);
const pairs = [];
for (let i = 0; i < texts.length; i += 2) pairs.push([texts[i], texts[i + 1]]);
const encoded = fs.readFileSync(process.argv[3], 'utf8');
function seconds(work) {
  work();
  const rounds = [];
  for (let round = 0; round < 5; round++) {
    const start = process.cpuUsage();
    let runs = 0, used = 0;
    do { work(); runs++; const u = process.cpuUsage(start); used = (u.user + u.system) / 1e6; } while (used < 0.05);
    rounds.push(used / runs);
  }
  return rounds.sort((a, b) => a - b)[2];
}
let output, decoded;
const encode = seconds(() => { output = new URLSearchParams(pairs).toString(); });
if (output !== encoded) throw new Error('not what the reference encoded');
const decode = seconds(() => { decoded = [...new URLSearchParams(encoded)]; });
if (JSON.stringify(decoded) !== JSON.stringify(pairs)) throw new Error('not the pairs that were encoded');
console.log(`encode ${Math.round(raw.length / encode / 1e6)}\ndecode ${Math.round(encoded.length / decode / 1e6)}`);
