"""Receivers that fail and hang never hold up the tail; the servers here are real ones on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from logdoctor.errors import SourceError
from logdoctor.live.notify import Notifier, Patience, SendError, command, webhook
from logdoctor.live.state import LiveState, read_state, write_state

QUICK = Patience(timeout_s=0.4, pauses_s=(0.02, 0.02, 0.02))


class Receiver(ThreadingHTTPServer):
    """Answers with the codes in `answers`, then 200; hangs where the code is 0."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[int] = []
        self.bodies: list[bytes] = []
        self.hung: list[bytes] = []
        self.released = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/hook"


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        code = self.server.answers.pop(0) if self.server.answers else 200
        if code == 0:
            self.server.hung.append(body)
            self.server.released.wait(20)
            return
        if code == 200:
            self.server.bodies.append(body)
        self.send_response(code)
        if 300 <= code < 400:
            self.send_header("Location", f"{self.server.url}/moved")
        self.end_headers()

    def do_GET(self) -> None:
        self.server.bodies.append(b"GET")
        self.send_response(200)
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


def sent(
    receiver: Receiver, *answers: int, payloads: tuple[bytes, ...] = (b"{}",), per_minute: int = 10
) -> list[str]:
    """What it complains of, after everything was sent or given up."""
    receiver.answers[:] = answers
    complaints: list[str] = []
    notifier = Notifier("--webhook", webhook(receiver.url), complaints.append, per_minute, QUICK)
    for payload in payloads:
        notifier.notify(payload)
    deadline = time.monotonic() + 5
    while (
        time.monotonic() < deadline
        and len(receiver.bodies) < min(len(payloads), per_minute)
        and not complaints
    ):
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
    assert sent(receiver, 500, 500, 500, 500, payloads=(b"1", b"2")) == [
        "--webhook: a diagnosis was not sent: HTTP 500"
    ]
    assert receiver.bodies == [b"2"]


def test_a_refusal_is_final(receiver: Receiver) -> None:
    """A wrong URL is no better the second time."""
    assert sent(receiver, 404) == ["--webhook: a diagnosis was not sent: HTTP 404"]


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirection_is_a_refusal_that_names_the_new_place(receiver: Receiver, code: int) -> None:
    """Nothing is asked for there: a GET without the payload would look as if it were sent."""
    assert (sent(receiver, code), receiver.bodies) == (
        [f"--webhook: a diagnosis was not sent: HTTP {code}, moved to {receiver.url}/moved"],
        [],
    )


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
    notifier = Notifier(
        "--webhook", webhook(receiver.url), complaints.append, 1000, Patience(10, (10,))
    )
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
    assert (receiver.bodies, complaints) == (
        [b"1", b"2"],
        ["--webhook: 3 diagnoses were left out (at most 2 a minute)"],
    )


def test_a_command_gets_the_payload_on_stdin(tmp_path: Path) -> None:
    """And says on stderr what is wrong."""
    complaints: list[str] = []
    notifier = Notifier(
        "--exec", command(f"cat >> {tmp_path / 'got'}"), complaints.append, 10, QUICK
    )
    notifier.notify(b"one\n")
    notifier.notify(b"two\n")
    notifier.end(10)
    assert ((tmp_path / "got").read_bytes(), complaints) == (b"one\ntwo\n", [])


@pytest.mark.parametrize(
    ("line", "complaint"),
    [("echo no room >&2; exit 3", "exit code 3: no room"), ("sleep 30", "killed after 0.4 s")],
)
def test_a_command_that_fails_or_hangs(line: str, complaint: str) -> None:
    """It is not run again."""
    complaints: list[str] = []
    notifier = Notifier("--exec", command(line), complaints.append, 10, QUICK)
    notifier.notify(b"{}")
    notifier.end(10)
    assert complaints == [f"--exec: a diagnosis was not sent: {complaint}"]


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_is_unsent_is_known_until_it_has_arrived_or_was_refused(receiver: Receiver) -> None:
    """And goes on with another notifier, before what is new."""
    receiver.answers[:] = [404, 0]
    first = Notifier("--webhook", webhook(receiver.url), lambda _: None, 10)
    for payload in (b"refused", b"hangs", b"waits"):
        first.notify(payload)
    until(lambda: first.unsent == (b"hangs", b"waits"))
    second = Notifier("--webhook", webhook(receiver.url), lambda _: None, 1, QUICK)
    second.go_on_with(first.unsent)
    second.notify(b"new")
    second.end(10)
    assert (receiver.bodies, second.unsent) == ([b"hangs", b"waits", b"new"], ())


def test_what_is_tried_again_when_the_end_comes_stays_unsent(receiver: Receiver) -> None:
    """It is not known whether the next try would have helped."""
    receiver.answers[:] = [503]
    complaints: list[str] = []
    notifier = Notifier(
        "--webhook", webhook(receiver.url), complaints.append, 10, Patience(5, (60,))
    )
    notifier.notify(b"{}")
    until(lambda: not receiver.answers)
    notifier.end(10)
    assert (notifier.unsent, complaints) == (
        (b"{}",),
        ["--webhook: a diagnosis was not sent: HTTP 503"],
    )


OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB\n"


def tail(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    words = [
        sys.executable,
        "-m",
        "logdoctor",
        "tail",
        "--state",
        str(folder / "state"),
        *options,
        str(folder / "train.log"),
    ]
    return subprocess.Popen(
        words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def unsent(folder: Path) -> list[str]:
    """Signatures of what the state keeps to be sent."""
    state = read_state(str(folder / "state")) if (folder / "state").exists() else LiveState()
    return [
        json.loads(payload)["signature_id"]
        for payloads in state.unsent.values()
        for payload in payloads
    ]


def test_a_kill_loses_no_diagnosis_that_a_receiver_has_not_taken(
    receiver: Receiver, tmp_path: Path
) -> None:
    """The next call sends it, before anything else, and once."""
    receiver.answers[:] = [0]
    (tmp_path / "train.log").write_text(OOM)
    with tail(tmp_path, "--webhook", receiver.url) as killed:
        until(lambda: len(receiver.hung) == 1 and unsent(tmp_path) == ["cuda-out-of-memory"])
        killed.kill()
    with tail(tmp_path, "--webhook", receiver.url) as second:
        until(lambda: len(receiver.bodies) == 1 and not unsent(tmp_path))
        second.send_signal(signal.SIGKILL)
    with tail(tmp_path, "--webhook", receiver.url, "--until-idle", "0.5") as third:
        third.communicate(timeout=60)
    assert [json.loads(body)["signature_id"] for body in receiver.bodies] == ["cuda-out-of-memory"]
    assert receiver.hung == receiver.bodies


@pytest.mark.slow  # it waits for what does not answer
def test_an_end_keeps_for_the_next_call_what_could_not_be_sent(tmp_path: Path) -> None:
    """It says so; a call without the receiver keeps it too, and one that has it runs the command."""
    (tmp_path / "train.log").write_text(OOM)
    refused = ("--webhook", "http://127.0.0.1:9/", "--until-idle", "0")
    with tail(tmp_path, *refused) as first:
        said = first.communicate(timeout=60)[1]
    assert b"state: keeps 1 diagnosis to be sent by the next call" in said
    with tail(tmp_path, "--exec", f"cat >> {tmp_path / 'got'}", "--until-idle", "0") as second:
        second.communicate(timeout=60)
    assert (unsent(tmp_path), (tmp_path / "got").exists()) == (["cuda-out-of-memory"], False)


@pytest.mark.slow  # a command that takes seconds is killed
def test_an_exec_that_was_running_when_all_was_killed_is_run_again(tmp_path: Path) -> None:
    """At least once is what is promised."""
    (tmp_path / "train.log").write_text(OOM)
    with tail(
        tmp_path,
        "--exec",
        f"echo begun >> {tmp_path / 'got'}; sleep 5; echo ended >> {tmp_path / 'got'}",
    ) as killed:
        until(lambda: (tmp_path / "got").exists() and unsent(tmp_path) == ["cuda-out-of-memory"])
        killed.kill()
    with tail(
        tmp_path, "--exec", f"echo again >> {tmp_path / 'got'}", "--until-idle", "0.5"
    ) as second:
        second.communicate(timeout=60)
    assert ("again" in (tmp_path / "got").read_text().split(), unsent(tmp_path)) == (True, [])


@pytest.mark.parametrize("value", [["{}"], {"--webhook": 5}, None])
def test_a_state_with_a_broken_list_of_what_is_unsent_is_refused(
    tmp_path: Path, value: object
) -> None:
    """As any that is none."""
    write_state(str(tmp_path / "state"), LiveState())
    content = json.loads((tmp_path / "state").read_text())
    (tmp_path / "state").write_text(json.dumps({**content, "unsent": value}))
    with pytest.raises(SourceError, match="not a state of `logdoctor tail`"):
        read_state(str(tmp_path / "state"))


def raw_server(answer: bytes, drip_s: float = 0.0) -> tuple[str, Callable[[], list[bytes]]]:
    """The URL's host and port of one that answers these bytes to whatever comes, and what came."""
    listener = socket.create_server(("127.0.0.1", 0))
    heard: list[bytes] = []

    def serve() -> None:
        while True:
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                heard.append(connection.recv(65536))
                for byte in (answer[i : i + 1] for i in range(len(answer))) if drip_s else [answer]:
                    connection.sendall(byte)
                    time.sleep(drip_s)

    threading.Thread(target=serve, daemon=True).start()
    return f"127.0.0.1:{listener.getsockname()[1]}", lambda: heard


ANSWERS = {
    "garbage": b"garbage\r\n\r\n",
    "nothing": b"",
    "no number": b"HTTP/1.1 abc OK\r\n\r\n",
    "long line": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 1000 + b"\r\n",
    "no text": b"\xff\xfe\x00",
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
    "redirect with a secret": b"HTTP/1.1 302 Found\r\nLocation: http://u:hunter2@h/\r\n\r\n",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_any_answer_is_put_in_words_and_the_rest_is_sent(name: str) -> None:
    """For each diagnosis, with as many tries as may help."""
    host, heard = raw_server(ANSWERS[name])
    complaints: list[str] = []
    notifier = Notifier("--webhook", webhook(f"http://{host}/"), complaints.append, 10, QUICK)
    for _ in range(3):
        notifier.notify(b"{}")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and len(complaints) < 3:
        time.sleep(0.01)
    notifier.end(1)
    assert len(complaints) == 3
    assert len(heard()) >= 3
    assert notifier.unsent == ()
    assert "hunter2" not in str(complaints)
    assert "please report" not in str(complaints)


def test_an_answer_of_a_byte_at_a_time_is_not_waited_for() -> None:
    """The time for one try is for all of it."""
    host, _ = raw_server(b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 100, drip_s=0.1)
    with pytest.raises(SendError, match=r"no whole answer within 0\.3 s"):
        webhook(f"http://{host}/")(b"{}", 0.3)


def test_tls_that_is_none_is_put_in_words() -> None:
    """A server that speaks plain HTTP."""
    host, _ = raw_server(b"HTTP/1.1 200 OK\r\n\r\n")
    with pytest.raises(SendError, match=r"(?i)ssl|record|wrong version"):
        webhook(f"https://{host}/")(b"{}", 5)


def test_credentials_in_the_url_are_used_and_not_shown() -> None:
    """As HTTP's basic authentication."""
    host, heard = raw_server(b"HTTP/1.1 401 No\r\n\r\n")
    with pytest.raises(SendError) as raised:
        webhook(f"http://us%40er:hunter2@{host}/x")(b"{}", 5)
    assert "hunter2" not in str(raised.value)
    assert b"Authorization: Basic dXNAZXI6aHVudGVyMg==" in heard()[0]
    assert f"Host: {host}".encode() in heard()[0]


@pytest.mark.parametrize(
    "url", ["http://user:pass@h:x/", "http://", "http://[::1/", "http://h:99999/"]
)
def test_a_url_that_cannot_be_read_is_refused_without_showing_it(url: str) -> None:
    """At the start, where somebody sees it."""
    done = subprocess.run(
        [sys.executable, "-m", "logdoctor", "tail", "--webhook", url, "x"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"its host or its port cannot be read" in done.stderr
    assert b"pass@" not in done.stderr


def test_a_sender_that_fails_in_itself_goes_on() -> None:
    """What nobody foresaw costs one diagnosis."""
    complaints: list[str] = []
    arrived: list[bytes] = []

    def send(payload: bytes, _timeout_s: float) -> None:
        if payload == b"1":
            raise ZeroDivisionError
        arrived.append(payload)

    notifier = Notifier("x", send, complaints.append, 10, QUICK)
    notifier.notify(b"1")
    notifier.notify(b"2")
    notifier.end(5)
    assert arrived == [b"2"]
    assert complaints == [
        "x: a diagnosis was not sent: logdoctor failed on it (ZeroDivisionError); please report this"
    ]
