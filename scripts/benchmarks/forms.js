// Receives small forms as a Node app would, with busboy: prints its address.
const http = require('http');
const busboy = require('busboy');

function decode(request, answer) {
  const value = {};
  const parser = busboy({ headers: request.headers });
  parser.on('field', (name, text) => { value[name] = text; });
  parser.on('file', (name, file, info) => {
    const chunks = [];
    file.on('data', (chunk) => chunks.push(chunk));
    file.on('end', () => { value[name] = { filename: info.filename, content: Buffer.concat(chunks) }; });
  });
  parser.on('close', () => {
    const texts = value.name.length + value.email.length + value.city.length;
    const filename = value.photo ? value.photo.filename.length : 0;
    answer(200, String(texts + Number(value.age) + (value.agrees === 'on' ? 1000 : 0) + filename));
  });
  parser.on('error', (error) => answer(400, String(error)));
  request.pipe(parser);
}

function raw(request, answer) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => answer(200, String(Buffer.concat(chunks).length)));
}

const server = http.createServer((request, response) => {
  const answer = (status, text) => { response.writeHead(status); response.end(text); };
  if (request.url === '/raw') raw(request, answer); else decode(request, answer);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
