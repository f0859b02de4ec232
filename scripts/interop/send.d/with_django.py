"""Django with its own limits, whose files of more than 2.5 MB go to disk. Its own development server."""

import sys
from importlib.metadata import version

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import run
from django.http import HttpResponse
from django.urls import path, re_path

from rows import row, unread

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="loopback", MIDDLEWARE=[])


def versions(request):
    return HttpResponse(f"Django {version('django')}, its own server\n")


def form(request):
    if answer := unread(request.path):
        status, text, fields = answer
        return HttpResponse(text, status=status, headers=fields)
    fields = [row(name, None, value) for name, values in request.POST.lists() for value in values]
    files = [row(name, file.name, file) for name, files in request.FILES.lists() for file in files]
    return HttpResponse("".join(fields + files))


urlpatterns = [path("", versions), re_path(".+", form)]


if __name__ == "__main__":
    django.setup()
    run("127.0.0.1", int(sys.argv[1]), WSGIHandler(), threading=True)
