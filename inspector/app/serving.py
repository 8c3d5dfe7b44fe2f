"""The app in a browser: one script, served by textual-serve to a few visitors at once, each in a process of their own.

It listens on this machine only. A page from elsewhere in the same browser could reach it there, and would then press
keys here; so a request must be addressed to this machine, and come from a page of ours. Nothing is fetched from the
network.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

import aiohttp_jinja2
from aiohttp import web
from textual_serve.server import Server

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
FULL = "Only {places} may look at once. Close another tab with this script, and load this page again."
FONT = (
    "<style>@font-face {{ font-family: 'Roboto Mono'; "
    "src: url('{static}fonts/RobotoMono-VariableFont_wght.ttf') }}</style>"
)
_ELSEWHERE = re.compile(r'<link\s[^>]*href="https?://fonts\.googleapis\.com[^>]*>')
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def command(words: Sequence[str]) -> str:
    """The one command that a visitor's process runs, for the shell that textual-serve hands it to."""
    whole = [sys.executable, "-m", "inspector", *words]
    return subprocess.list2cmdline(whole) if sys.platform == "win32" else shlex.join(whole)


class ScriptServer(Server):
    """Serves what ``words`` say to ``inspector``, and nothing else, to at most so many visitors at once."""

    def __init__(self, words: Sequence[str], *, name: str, port: int, visitors: int) -> None:
        super().__init__(command(words), HOST, port, title=f"inspector · {name}")
        self._name = name
        self._visitors = visitors
        self._here = 0

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(only_ours)
        return app

    async def handle_index(self, request: web.Request) -> Any:
        """The page; while all places are taken, one that says so."""
        if self._here >= self._visitors:
            full = f"<!doctype html><title>{escape(self.title)}</title><p id='full'>{escape(self._full())}</p>"
            return web.Response(status=503, text=full, content_type="text/html")
        static = f"{request.scheme}://{request.host}/static/"
        context = {
            "font_size": _number(request.query.get("fontsize"), 16),
            "app_websocket_url": f"ws://{request.host}/ws",
            "config": {"static": {"url": static}},
            "application": {"name": self.title},
        }
        page = aiohttp_jinja2.render_template("app_index.html", request, context)
        page.text = _ELSEWHERE.sub(FONT.format(static=static), page.text or "")
        page.headers.update({"Cache-Control": "no-store", "X-Frame-Options": "DENY"})
        return page

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A visitor, with a process of their own as long as they stay."""
        if self._here >= self._visitors:
            raise web.HTTPServiceUnavailable(text=self._full())
        self._here += 1
        try:
            return await super().handle_websocket(request)
        finally:
            self._here -= 1

    async def on_startup(self, app: web.Application) -> None:
        """Say where it is."""
        print(
            f"inspector: {self._name} is at {self.public_url}, for {self._places} at once; Ctrl-C ends it",
            file=sys.stderr,
            flush=True,
        )

    def initialize_logging(self) -> None:
        """Requests are nobody's business."""

    @property
    def _places(self) -> str:
        return "1 visitor" if self._visitors == 1 else f"{self._visitors} visitors"

    def _full(self) -> str:
        return FULL.format(places=self._places)


@web.middleware
async def only_ours(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what was not addressed to this machine, or comes from a page of others."""
    origin = request.headers.get("Origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.host
    if urlsplit(f"//{request.host}").hostname not in NAMES or foreign:
        raise web.HTTPForbidden(text="This is no page of this server's.")
    return await handler(request)


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isdecimal() else otherwise
