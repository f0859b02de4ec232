"""Falcon's ASGI application, the parts read as they come. Served by uvicorn."""

from importlib.metadata import version

from falcon import asgi, media
import falcon

from rows import is_first, read_row


class Versions:
    async def on_get(self, request, response):
        response.text = f"Falcon {version('falcon')}, uvicorn {version('uvicorn')}\n"


class Form:
    async def on_post(self, request, response):
        response.text = ""
        async for part in await request.get_media():
            response.text += await read_row(part.name, part.filename, part.stream.read)


class Moved:
    async def on_post(self, request, response):
        response.status = 307
        response.set_header("Location", "/form")


class Busy(Form):
    async def on_post(self, request, response, key):
        if not is_first(key):
            return await super().on_post(request, response)
        response.status, response.text = 503, "busy\n"
        response.set_header("Retry-After", "1")


class Full:
    async def on_post(self, request, response):
        response.status, response.text = 413, "too large\n"


app = asgi.App()
app.req_options.media_handlers[falcon.MEDIA_MULTIPART] = media.MultipartFormHandler()
for place, resource in {"/": Versions(), "/form": Form(), "/moved": Moved(), "/busy/{key}": Busy(), "/full": Full()}.items():
    app.add_route(place, resource)
