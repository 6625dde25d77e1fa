"""Receivers that fail and hang never hold up the tail; the servers here are real ones on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from logdoctor.notify import Notifier, Patience, command, webhook

QUICK = Patience(timeout_s=0.4, pauses_s=(0.02, 0.02, 0.02))


class Receiver(ThreadingHTTPServer):
    """Answers with the codes in `answers`, then 200; hangs where the code is 0."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[int] = []
        self.bodies: list[bytes] = []
        self.released = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/hook"


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        code = self.server.answers.pop(0) if self.server.answers else 200
        if code == 0:
            self.server.released.wait(20)
            return
        if code == 200:
            self.server.bodies.append(body)
        self.send_response(code)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()
    thread.join()


def sent(receiver: Receiver, *answers: int, payloads: tuple[bytes, ...] = (b"{}",), per_minute: int = 10) -> list[str]:
    """What it complains of, after everything was sent or given up."""
    receiver.answers[:] = answers
    complaints: list[str] = []
    notifier = Notifier("--webhook", webhook(receiver.url), complaints.append, per_minute, QUICK)
    for payload in payloads:
        notifier.notify(payload)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and len(receiver.bodies) < min(len(payloads), per_minute) and not complaints:
        time.sleep(0.01)
    notifier.end(5)
    return complaints


def test_a_payload_arrives_as_it_is(receiver: Receiver) -> None:
    """In UTF-8."""
    payload = json.dumps({"title": "显存不足"}, ensure_ascii=False).encode()
    assert (sent(receiver, payloads=(payload,)), receiver.bodies) == ([], [payload])


def test_a_receiver_that_fails_is_tried_again(receiver: Receiver) -> None:
    """With pauses between; 500 and 429 may pass."""
    assert (sent(receiver, 500, 429, 503), receiver.bodies) == ([], [b"{}"])


def test_a_receiver_that_hangs_is_given_up_and_tried_again(receiver: Receiver) -> None:
    """After the time-out of each try."""
    assert (sent(receiver, 0, 0), receiver.bodies) == ([], [b"{}"])


def test_a_receiver_that_never_works_is_told_once(receiver: Receiver) -> None:
    """With what it said last; the next payload is sent all the same."""
    assert sent(receiver, 500, 500, 500, 500, payloads=(b"1", b"2")) == ["--webhook: a diagnosis was not sent: HTTP 500"]
    assert receiver.bodies == [b"2"]


def test_a_refusal_is_final(receiver: Receiver) -> None:
    """A wrong URL is no better the second time."""
    assert sent(receiver, 404) == ["--webhook: a diagnosis was not sent: HTTP 404"]


def test_nobody_there() -> None:
    """A port that nobody listens to."""
    complaints: list[str] = []
    notifier = Notifier("--webhook", webhook("http://127.0.0.1:9/"), complaints.append, 10, QUICK)
    notifier.notify(b"{}")
    time.sleep(0.3)
    notifier.end(5)
    assert len(complaints) == 1
    assert "refused" in complaints[0]


def test_notifying_never_waits(receiver: Receiver) -> None:
    """A hundred payloads to a receiver that hangs take no time; at the end it is waited for as long as agreed."""
    receiver.answers[:] = [0] * 1000
    complaints: list[str] = []
    notifier = Notifier("--webhook", webhook(receiver.url), complaints.append, 1000, Patience(10, (10,)))
    start = time.monotonic()
    for _ in range(150):
        notifier.notify(b"{}")
    assert time.monotonic() - start < 1
    notifier.end(0.1)
    assert time.monotonic() - start < 3
    assert "gave up" in complaints[0]
    assert "diagnoses were left out" in complaints[1]


def test_no_more_than_so_many_a_minute(receiver: Receiver) -> None:
    """The rest is counted."""
    complaints = sent(receiver, payloads=(b"1", b"2", b"3", b"4", b"5"), per_minute=2)
    assert (receiver.bodies, complaints) == ([b"1", b"2"], ["--webhook: 3 diagnoses were left out (at most 2 a minute)"])


def test_a_command_gets_the_payload_on_stdin(tmp_path: Path) -> None:
    """And says on stderr what is wrong."""
    complaints: list[str] = []
    notifier = Notifier("--exec", command(f"cat >> {tmp_path / 'got'}"), complaints.append, 10, QUICK)
    notifier.notify(b"one\n")
    notifier.notify(b"two\n")
    notifier.end(10)
    assert ((tmp_path / "got").read_bytes(), complaints) == (b"one\ntwo\n", [])


@pytest.mark.parametrize(("line", "complaint"), [("echo no room >&2; exit 3", "exit code 3: no room"), ("sleep 30", "killed after 0.4 s")])
def test_a_command_that_fails_or_hangs(line: str, complaint: str) -> None:
    """It is not run again."""
    complaints: list[str] = []
    notifier = Notifier("--exec", command(line), complaints.append, 10, QUICK)
    notifier.notify(b"{}")
    notifier.end(10)
    assert complaints == [f"--exec: a diagnosis was not sent: {complaint}"]
