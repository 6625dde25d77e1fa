"""Diagnoses to a command or a web hook: Notifier.

Each diagnosis is sent by a thread of its own kind, so that a slow receiver never holds up the tail;
what cannot be sent is told, and the rest goes on.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import queue
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from logdoctor.texts.secrets import redacted

WAITING_LIMIT = 100
"""Diagnoses that wait to be sent; more are dropped, and counted."""

MINUTE_S = 60.0


class Patience(NamedTuple):
    """How long a receiver is waited for.

    Attributes:
        timeout_s: seconds for one try.
        pauses_s: seconds before each further try.
    """

    timeout_s: float = 10.0
    pauses_s: tuple[float, ...] = (1.0, 4.0, 16.0)


class SendError(Exception):
    """A diagnosis could not be sent; another try may help."""


class RefusedError(SendError):
    """The receiver will never take it (HTTP 4xx, a redirection): no further try."""


Send = Callable[[bytes, float], None]
"""Sends a payload within so many seconds.

Raises:
    SendError: it did not arrive.
"""


class _NowhereElse(urllib.request.HTTPRedirectHandler):
    """Makes an error of a redirection: urllib would follow it with a GET, and without the
    payload.
    """

    def redirect_request(self, *_: object) -> None:
        return None


MAY_PASS = (408, 425, 429)
"""HTTP's client errors behind which another try may succeed."""

MOST_ANSWER = 65_536
"""Bytes of an answer that are looked at."""


def webhook(url: str) -> Send:
    """Posts JSON to that URL; anything but 2xx is a failure, and a redirection is a final one.

    Name and password in the URL are sent as HTTP's basic authentication, and never shown.
    """
    post = poster(url)

    def send(payload: bytes, timeout_s: float) -> None:
        post(payload, timeout_s)

    return lambda payload, timeout_s: within(timeout_s, send, payload)


def poster(url: str) -> Callable[[bytes, float], bytes]:
    """The same, with the answer's body, and without a limit on the whole.

    Raises:
        SendError: it did not arrive.
    """
    opener = urllib.request.build_opener(_NowhereElse)
    address, authorization = _without_credentials(url)
    headers = {"Content-Type": "application/json", "User-Agent": "logdoctor", **authorization}

    def post(payload: bytes, timeout_s: float) -> bytes:
        # the command line checks the scheme
        request = urllib.request.Request(address, payload, headers)  # noqa: S310
        try:
            with opener.open(request, timeout=timeout_s) as answer:
                return bytes(answer.read(MOST_ANSWER))
        except urllib.error.HTTPError as error:
            kind = RefusedError if is_refusal(error.code) else SendError
            place = error.headers.get("Location")
            error.close()
            to = f", moved to {redacted(place)}" if place else ""
            raise kind(f"HTTP {error.code}{to}") from error
        except http.client.HTTPException as error:
            raise SendError(f"the answer is no HTTP ({type(error).__name__})") from error
        except (OSError, ValueError) as error:
            raise SendError(redacted(str(getattr(error, "reason", error)))) from error

    return post


def is_refusal(status: int) -> bool:
    """Whether HTTP's status says that the same is never taken; a redirection is not followed."""
    return 300 <= status < 500 and status not in MAY_PASS  # noqa: PLR2004  # HTTP's classes


def _without_credentials(url: str) -> tuple[str, dict[str, str]]:
    """The URL without name and password, and the header that says them."""
    parts = urllib.parse.urlsplit(url)
    said, _, place = parts.netloc.rpartition("@")
    if not said:
        return url, {}
    token = base64.b64encode(urllib.parse.unquote_to_bytes(said)).decode()
    return parts._replace(netloc=place).geturl(), {"Authorization": f"Basic {token}"}


def within(timeout_s: float, send: Send, payload: bytes) -> None:
    """Sends, and gives up after that time also where the receiver answers a byte at a time."""
    raised: list[Exception] = []

    def run() -> None:
        try:
            send(payload, timeout_s)
        except Exception as error:  # noqa: BLE001  # raised where it is waited for
            error.__cause__ = error.__context__ = None  # they hold connections open
            raised.append(error.with_traceback(None))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout_s)
    if thread.is_alive():
        raise SendError(f"no whole answer within {timeout_s:g} s")
    if raised:
        raise raised.pop()


def command(line: str) -> Send:
    """Runs a shell command with the payload on its stdin; an exit code other than 0 is a failure
    that is not tried again.
    """

    def send(payload: bytes, timeout_s: float) -> None:
        process = subprocess.Popen(  # noqa: S602  # the user's own command line
            line,
            shell=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            _, complaint = process.communicate(payload, timeout_s)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise RefusedError(f"killed after {timeout_s:g} s") from error
        if process.returncode:
            last = complaint.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise RefusedError(": ".join([f"exit code {process.returncode}", *last]))

    return send


class Notifier:
    """Sends payloads to one receiver, in their order; `name` is what it is called by."""

    def __init__(
        self,
        name: str,
        send: Send,
        complain: Callable[[str], None],
        per_minute: int,
        patience: Patience | None = None,
    ) -> None:
        """`complain` is told, from another thread, what could not be sent; no more than
        `per_minute` are sent.
        """
        self.name = name
        self._send = send
        self._complain = complain
        self._per_minute = per_minute
        self._patience = patience or Patience()
        self._waiting: queue.Queue[bytes | None] = queue.Queue(WAITING_LIMIT)
        self._unsent: list[bytes] = []
        self._lock = threading.Lock()  # of what is unsent
        self._sent: deque[float] = deque(maxlen=per_minute)
        self._dropped = 0
        self._is_ending = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def unsent(self) -> tuple[bytes, ...]:
        """What was taken, and has neither arrived nor been given up, in its order."""
        with self._lock:
            return tuple(self._unsent)

    def go_on_with(self, payloads: Iterable[bytes]) -> None:
        """Takes what an earlier call has left unsent; those were counted then."""
        for payload in payloads:
            self._take(payload)

    def notify(self, payload: bytes) -> None:
        """Takes a payload to be sent; never waits."""
        now = time.monotonic()
        if len(self._sent) == self._per_minute and now - self._sent[0] < MINUTE_S:
            self._dropped += 1
        elif self._take(payload):
            self._sent.append(now)

    def end(self, timeout_s: float) -> None:
        """Waits for what is still to be sent, but no longer; says what was not."""
        if self._thread:
            self._is_ending.set()
            # the thread is behind; it is not waited for beyond the time
            with contextlib.suppress(queue.Full):
                self._waiting.put_nowait(None)
            self._thread.join(timeout_s)
            if self._thread.is_alive():
                self._complain(
                    f"{self.name}: gave up after {timeout_s:g} s; {self._waiting.qsize()} or "
                    f"more diagnoses were not sent"
                )
        if self._dropped:
            self._complain(
                f"{self.name}: {self._dropped} diagnoses were left out (at most "
                f"{self._per_minute} a minute)"
            )

    def _take(self, payload: bytes) -> bool:
        with self._lock:
            self._unsent.append(payload)
        try:
            self._waiting.put_nowait(payload)
        except queue.Full:
            self._dropped += 1
            self._settle(payload)
            return False
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        return True

    def _settle(self, payload: bytes) -> None:
        with self._lock:
            self._unsent.remove(payload)

    def _work(self) -> None:
        while (payload := self._waiting.get()) is not None:
            if self._try(payload):
                self._settle(payload)

    def _try(self, payload: bytes) -> bool:
        """Whether it has arrived or never will; else the end came between two tries."""
        problem, is_settled = "", True
        for pause_s in (0.0, *self._patience.pauses_s):
            if pause_s and self._is_ending.wait(pause_s):
                is_settled = False
                break
            try:
                self._send(payload, self._patience.timeout_s)
            except SendError as error:
                problem = str(error)
                if isinstance(error, RefusedError):
                    break
            except Exception as error:  # noqa: BLE001  # the next one may be sent
                problem = f"logdoctor failed on it ({type(error).__name__}); please report this"
                break
            else:
                return True
        self._complain(f"{self.name}: a diagnosis was not sent: {problem}")
        return is_settled
