"""FastAPI, whose files of more than 1 MiB go to disk. Served by uvicorn."""

from importlib.metadata import version

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse

from rows import row, unread

app = FastAPI()


@app.get("/")
def versions():
    names = ("fastapi", "starlette", "python-multipart", "uvicorn")
    return PlainTextResponse(", ".join(f"{name} {version(name)}" for name in names) + "\n")


@app.post("/{place:path}")
async def form(request: Request):
    if answer := unread(request.url.path):
        status, text, fields = answer
        return PlainTextResponse(text, status, fields)
    async with request.form() as parts:
        rows = [
            row(name, None, value) if isinstance(value, str) else row(name, value.filename, value.file)
            for name, value in parts.multi_items()
        ]
    return PlainTextResponse("".join(rows))
