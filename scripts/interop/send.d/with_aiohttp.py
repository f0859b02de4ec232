"""aiohttp's server, the parts read while they arrive."""

import sys

import aiohttp
from aiohttp import web

from rows import read_row, unread


async def versions(request):
    return web.Response(text=f"aiohttp {aiohttp.__version__}\n")


async def form(request):
    if answer := unread(request.path):
        status, text, fields = answer
        return web.Response(text=text, status=status, headers=fields)
    rows = [await read_row(part.name, part.filename, part.read_chunk) async for part in await request.multipart()]
    return web.Response(text="".join(rows))


app = web.Application()
app.add_routes([web.get("/", versions), web.post("/{place:.*}", form)])
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
