"""Django with its own limits, whose files of more than 2.5 MB go to disk. Its own development server."""

import sys
from importlib.metadata import version

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import run
from django.http import HttpResponse
from django.urls import path

from rows import is_first, row

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="loopback", MIDDLEWARE=[])


def versions(request):
    return HttpResponse(f"Django {version('django')}, its own server\n")


def form(request):
    fields = [row(name, None, value) for name, values in request.POST.lists() for value in values]
    files = [row(name, file.name, file) for name, files in request.FILES.lists() for file in files]
    return HttpResponse("".join(fields + files))


def moved(request):
    return HttpResponse(status=307, headers={"Location": "/form"})


def busy(request, key):
    return HttpResponse("busy\n", status=503, headers={"Retry-After": "1"}) if is_first(key) else form(request)


def full(request):
    return HttpResponse("too large\n", status=413)


urlpatterns = [path("", versions), path("form", form), path("moved", moved), path("busy/<key>", busy), path("full", full)]


if __name__ == "__main__":
    django.setup()
    run("127.0.0.1", int(sys.argv[1]), WSGIHandler(), threading=True)
