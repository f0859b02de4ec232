"""FastAPI, whose files of more than 1 MiB go to disk. Served by uvicorn."""

from importlib.metadata import version

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, RedirectResponse

from rows import is_first, row

app = FastAPI()


@app.get("/")
def versions():
    names = ("fastapi", "starlette", "python-multipart", "uvicorn")
    return PlainTextResponse(", ".join(f"{name} {version(name)}" for name in names) + "\n")


@app.post("/form")
async def form(request: Request):
    async with request.form() as parts:
        rows = [
            row(name, None, value) if isinstance(value, str) else row(name, value.filename, value.file)
            for name, value in parts.multi_items()
        ]
    return PlainTextResponse("".join(rows))


@app.post("/moved")
def moved():
    return RedirectResponse("/form", 307)


@app.post("/busy/{key}")
async def busy(key: str, request: Request):
    if is_first(key):
        return PlainTextResponse("busy\n", 503, {"Retry-After": "1"})
    return await form(request)


@app.post("/full")
def full():
    return PlainTextResponse("too large\n", 413)
