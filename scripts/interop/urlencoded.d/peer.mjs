// A question per line, answered by URLSearchParams: see scripts/interop/urlencoded.
import { createInterface } from 'node:readline';

const text = (base64) => Buffer.from(base64, 'base64').toString('utf8');
const base64 = (text) => Buffer.from(text, 'utf8').toString('base64');

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  let answer;
  if (question[0] === 'parse') {
    answer = [...new URLSearchParams(text(question[1]))].map((pair) => pair.map(base64));
  } else {
    const params = new URLSearchParams();
    for (const pair of question[1]) params.append(...pair.map((units) => String.fromCharCode(...units)));
    answer = base64(params.toString());
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
