"""A headless Chromium, driven over a pipe by its own protocol: no package is needed for it."""

import base64
import json
import os
import select
import shutil
import subprocess
import time

BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)


class Chromium:
    """One browser with one page; a context manager."""

    def __init__(self, profile, *, width=1100, height=900, dark=False):
        ours, self._in = os.pipe()
        self._out, theirs = os.pipe()
        options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-extensions", "--disable-background-networking",
            "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank",
        ]  # fmt: skip

        def pipes():  # the protocol reads from 3 and writes to 4
            read, write = os.dup(ours), os.dup(theirs)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            [BROWSER, *options], preexec_fn=pipes, pass_fds=(3, 4), stderr=subprocess.DEVNULL
        )
        os.close(ours)
        os.close(theirs)
        self._number, self._text, self._session = 0, b"", None
        self.events = []
        found = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=found, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=width < 500,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(20)
        os.close(self._in)
        os.close(self._out)

    def call(self, method, **given):
        """The result of a command."""
        message = self._answer(method, **given)
        assert "error" not in message, message
        return message["result"]

    def _answer(self, method, **given):
        """What the browser says to a command; events on the way are kept."""
        self._number += 1
        said = {"id": self._number, "method": method, "params": given}
        if self._session:
            said["sessionId"] = self._session
        os.write(self._in, json.dumps(said).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._number:
                return message
            self.events.append(message)

    def _message(self):
        until = time.monotonic() + 60
        while b"\0" not in self._text:
            ready, _, _ = select.select([self._out], [], [], 1)
            assert time.monotonic() < until, "the browser is silent"
            if ready:
                part = os.read(self._out, 1 << 20)
                assert part, "the browser has gone"
                self._text += part
        message, _, self._text = self._text.partition(b"\0")
        return json.loads(message)

    def run(self, script):
        """The value of an expression in the page; asked again of the next page if this one goes."""
        for _ in range(40):
            said = self._answer("Runtime.evaluate", expression=script, returnByValue=True)
            if "navigated or closed" not in said.get("error", {}).get("message", ""):
                break
            time.sleep(0.05)
        assert "error" not in said, said
        found = said["result"]
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def open(self, url):
        """Go there, and wait until it is drawn."""
        self.call("Page.navigate", url=url)
        self.wait(f"document.readyState === 'complete' && location.href === {json.dumps(url)}")

    def wait(self, script, seconds=20):
        """Until an expression is true."""
        until = time.monotonic() + seconds
        while not self.run(f"!!({script})"):
            assert time.monotonic() < until, f"{script} stays false at {self.run('location.href')}"
            time.sleep(0.05)

    def key(self, name, text=""):
        """Press a key, as a hand would."""
        code = {"Tab": 9, "Enter": 13, "ArrowDown": 40}.get(name, 0)
        given = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        text = "\r" if name == "Enter" else text
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **given)
        self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def write(self, text):
        """Into what has the focus."""
        self.call("Input.insertText", text=text)

    def picture(self, path, *, full=True):
        """A PNG of the page."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(found["data"]))

    def complaints(self):
        """What the console and the policy say."""
        self.run("1")
        logs = [each["params"] for each in self.events if each.get("method") == "Log.entryAdded"]
        thrown = [each for each in self.events if each.get("method") == "Runtime.exceptionThrown"]
        return [each["entry"]["text"] for each in logs] + thrown
