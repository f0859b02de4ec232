"""aiohttp's server, the parts read while they arrive."""

import sys

import aiohttp
from aiohttp import web

from rows import is_first, read_row

routes = web.RouteTableDef()


@routes.get("/")
async def versions(request):
    return web.Response(text=f"aiohttp {aiohttp.__version__}\n")


@routes.post("/form")
async def form(request):
    rows = [await read_row(part.name, part.filename, part.read_chunk) async for part in await request.multipart()]
    return web.Response(text="".join(rows))


@routes.post("/moved")
async def moved(request):
    return web.Response(status=307, headers={"Location": "/form"})


@routes.post("/busy/{key}")
async def busy(request):
    if is_first(request.match_info["key"]):
        return web.Response(text="busy\n", status=503, headers={"Retry-After": "1"})
    return await form(request)


@routes.post("/full")
async def full(request):
    return web.Response(text="too large\n", status=413)


app = web.Application()
app.add_routes(routes)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
