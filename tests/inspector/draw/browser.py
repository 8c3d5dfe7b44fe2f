"""A headless Chromium, driven over its own pipe: open a page, press keys, click, ask, and hear what it complains of."""

from __future__ import annotations

import base64
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
PROGRAM = None if sys.platform == "win32" else next((found for name in NAMES if (found := shutil.which(name))), None)
"""The pipe is handed over as POSIX does it."""
PATIENCE = 60.0
CODES = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Escape": 27, "Enter": 13, " ": 32}


class Browser:
    """One page in a browser of its own. ``errors`` are the console's errors, and whatever was asked of the network."""

    def __init__(self, folder: Path) -> None:
        to_read, our_write = os.pipe()
        our_read, to_write = os.pipe()
        options = (
            "--headless=new --no-sandbox --disable-gpu --remote-debugging-pipe --no-first-run --disable-dev-shm-usage"
        )
        command = f"exec {shlex.quote(str(PROGRAM))} {options} --user-data-dir={shlex.quote(str(folder))}"
        self._process = subprocess.Popen(
            ["bash", "-c", f"{command} 3<&{to_read} 4>&{to_write}"],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._out, self._in = our_write, our_read
        self._buffer, self._number = b"", 0
        self._session: str | None = None
        self.errors: list[str] = []
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._send(f"{domain}.enable")

    def open(self, path: Path, *, fragment: str = "", size: tuple[int, int] = (1280, 720), dark: bool = False) -> None:
        """Show a file from disk, and wait until its script has run."""
        self._send(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self._send("Emulation.setEmulatedMedia", features=[scheme, still])
        self._send("Page.navigate", url="about:blank")
        self._send("Page.navigate", url=path.as_uri() + fragment)
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def ask(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self._send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, script: str) -> None:
        """Until a JavaScript expression is true."""
        until = time.monotonic() + PATIENCE
        while not self.ask(script):
            assert time.monotonic() < until, f"{script} did not come true"
            time.sleep(0.02)

    def press(self, *keys: str) -> None:
        """Press and release keys, one after the other."""
        for key in keys:
            text = {"text": key} if len(key) == 1 else {}
            code = {"windowsVirtualKeyCode": CODES[key]} if key in CODES else {}
            self._send("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)
            self._send("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def click(self, selector: str) -> None:
        """Click in the middle of the first element that a selector finds."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.ask(f"{found}.scrollIntoView({{block: 'nearest', inline: 'nearest', behavior: 'instant'}})")
        x, y = self.ask(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({found}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def text(self, selector: str) -> str:
        """What an element says."""
        return str(self.ask(f"document.querySelector({json.dumps(selector)}).textContent"))

    def picture(self, path: Path) -> None:
        """A screenshot."""
        path.write_bytes(base64.b64decode(self._send("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        os.close(self._out)
        os.close(self._in)

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            heard = self._hear()
            if heard.get("id") == self._number:
                assert "error" not in heard, heard["error"]
                result: dict[str, Any] = heard["result"]
                return result
            self._note(heard.get("method"), heard.get("params", {}))

    def _hear(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            more = os.read(self._in, 1 << 16)
            assert more, "the browser is gone"
            self._buffer += more
        text, _, self._buffer = self._buffer.partition(b"\0")
        heard: dict[str, Any] = json.loads(text)
        return heard

    def _note(self, method: str | None, told: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(told["exceptionDetails"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in {"error", "warning"}:
            self.errors.append(told["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and told["type"] in {"error", "warning", "assert"}:
            self.errors.append(str(told["args"]))
        elif method == "Network.requestWillBeSent":
            url = told["request"]["url"]
            if not url.startswith(("file:", "data:", "about:")):
                self.errors.append(f"it asked for {url}")
