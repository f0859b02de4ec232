"""Falcon's ASGI application, the parts read as they come. Served by uvicorn."""

from importlib.metadata import version

from falcon import asgi, media
import falcon

from rows import read_row, unread


class Versions:
    async def on_get(self, request, response):
        response.text = f"Falcon {version('falcon')}, uvicorn {version('uvicorn')}\n"


class Form:
    async def on_post(self, request, response, place):
        if answer := unread(request.path):
            response.status, response.text, fields = answer
            response.set_headers(fields)
            return
        response.text = ""
        async for part in await request.get_media():
            response.text += await read_row(part.name, part.filename, part.stream.read)


app = asgi.App()
app.req_options.media_handlers[falcon.MEDIA_MULTIPART] = media.MultipartFormHandler()
app.add_route("/", Versions())
app.add_route("/{place:path}", Form())
