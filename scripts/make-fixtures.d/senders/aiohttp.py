import asyncio
import json
import sys

# This script's folder is where Python looks first, and it holds an aiohttp.py.
del sys.path[0]
import aiohttp

# Quoted, as is the default, names are escaped as in URLs, and one beyond ASCII fails an assertion of aiohttp's own.
is_quoted = sys.argv[1] != "--unquoted"
url, form = sys.argv[-2], json.load(open(sys.argv[-1]))


async def main():
    data = aiohttp.FormData(quote_fields=is_quoted)
    for name, value in form["fields"]:
        data.add_field(name.replace("ä", "a") if is_quoted else name, value)
    filename = form["file"]["filename"]
    data.add_field(form["file"]["name"], open(filename, "rb"), filename=filename)
    data.add_field(form["unfilledFile"], b"", filename="")
    async with aiohttp.ClientSession() as session:
        (await session.post(url, data=data)).raise_for_status()


asyncio.run(main())
print("aiohttp", aiohttp.__version__)
