"""The app in a browser: only the named script, only from our own page, only so many at once; keys and clicks work."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import textwrap
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("textual_serve")

from inspector.app.serving import ScriptServer, command
from tests.inspector.draw.browser import PROGRAM, Browser

ROOT = str(Path(__file__).resolve().parents[3])
PATIENCE = 90.0
SCRIPT = """
    import minigrad as mg
    print("a visit")
    W = mg.tensor([3.0], requires_grad=True)
    loss = (W * W).sum()
    loss.backward()
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Serves the script as a command does, and gives its address."""
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT), encoding="utf-8")
    servers: list[subprocess.Popen[bytes]] = []

    def start(*options: str) -> str:
        port = free_port()
        words = ["serve", "--port", str(port), *options, "script.py"]
        environment = {**os.environ, "PYTHONPATH": ROOT}
        server = subprocess.Popen(
            [sys.executable, "-m", "inspector", *words], cwd=tmp_path, env=environment, stderr=subprocess.PIPE
        )
        servers.append(server)
        assert server.stderr is not None
        assert b"script.py is at" in server.stderr.readline()
        _wait_until_it_listens(port)
        return f"http://127.0.0.1:{port}/"

    yield start
    for server in servers:
        server.terminate()
        server.communicate(timeout=20)


def _wait_until_it_listens(port: int) -> None:
    """It tells its address a moment before."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < until, f"nobody listens at port {port}"
            time.sleep(0.05)
        else:
            return


def status_of(address: str, **headers: str) -> int:
    """The answer's status."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_a_visitor_runs_the_named_script_whatever_it_is_called() -> None:
    if sys.platform != "win32":
        assert command(["run", "a b; rm -rf $HOME.py"]).endswith("-m inspector run 'a b; rm -rf $HOME.py'")
    server = ScriptServer(["run", "x.py"], name="<x>.py", port=8000, visitors=1)
    assert server.host == "127.0.0.1"


def test_pages_of_others_are_refused_and_nothing_is_fetched_from_elsewhere(serve: Callable[..., str]) -> None:
    address = serve()
    assert status_of(address) == 200
    assert status_of(address, Host="evil.example") == 403
    assert status_of(address + "ws", Origin="http://evil.example") == 403
    assert status_of(address, Origin=address.rstrip("/")) == 200
    with urllib.request.urlopen(address, timeout=20) as page:
        text = page.read().decode()
    assert "script.py" in text
    assert "https://" not in text


@pytest.mark.browser
@pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")
def test_a_browsers_keys_and_clicks_steer_the_script_and_a_second_visitor_is_told_to_wait(
    serve: Callable[..., str], tmp_path: Path
) -> None:
    address = serve("--live", "--visitors", "1")
    with contextlib.closing(Browser(tmp_path / "profile")) as browser:
        page = Page(browser, address)
        page.shows("waiting")
        page.click_at(0.5, 0.4)  # takes the keys
        browser.press("n")
        page.shows("▶ SumBackward0")
        page.click_at(0.83, 0.005)  # on the state of the script, in the upper right corner
        page.shows("exit status 0")
        assert status_of(address) == 503
        page.leave()
    until = time.monotonic() + PATIENCE
    while status_of(address) == 503:
        assert time.monotonic() < until
        time.sleep(0.2)


class Page:
    """A served app. What its terminal shows is read from the stream that draws it, for it paints on a canvas."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        browser._send("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)
        browser._send("Page.addScriptToEvaluateOnNewDocument", source=LISTENER)
        browser._send("Page.navigate", url=address)

    def shows(self, words: str) -> None:
        """Wait until words are drawn."""
        until = time.monotonic() + PATIENCE
        while words not in str(self.browser.ask("window.drawn || ''")):
            assert time.monotonic() < until, f"{words!r} did not come up:\n{self.browser.ask('window.drawn')[-2000:]}"
            time.sleep(0.1)
        self.browser.ask("window.drawn = ''")

    def click_at(self, across: float, down: float) -> None:
        """Click at a share of the terminal's width and height."""
        screen = "document.querySelector('.xterm-screen').getBoundingClientRect()"
        x, y = self.browser.ask(f"(b => [b.x + b.width * {across}, b.y + b.height * {down}])({screen})")
        for kind in ("mousePressed", "mouseReleased"):
            self.browser._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def leave(self) -> None:
        self.browser._send("Page.navigate", url="about:blank")


LISTENER = r"""
window.drawn = "";
const Socket = window.WebSocket;
window.WebSocket = function (...given) {
    const socket = new Socket(...given);
    const decoder = new TextDecoder();
    socket.addEventListener("message", async event => {
        if (typeof event.data === "string") return;
        const data = event.data instanceof Blob ? await event.data.arrayBuffer() : event.data;
        window.drawn += decoder.decode(data).replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
    });
    return socket;
};
window.WebSocket.prototype = Socket.prototype;
for (const name of ["CONNECTING", "OPEN", "CLOSING", "CLOSED"]) window.WebSocket[name] = Socket[name];
"""
