"""Chats are told, and a refusal is a refusal: the servers here stand on loopback and answer as the services document."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from apprise.plugins.discord import NotifyDiscord
from apprise.plugins.slack import NotifySlack

from logdoctor.errors import LogdoctorError
from logdoctor.live.chat import Message, chat
from logdoctor.live.notify import RefusedError, SendError

pytestmark = pytest.mark.filterwarnings("ignore:'imghdr':DeprecationWarning")
"""A module of Python that Apprise imports."""

SHORT = "step:1 - loss:0.5\nAssertionError: batch_size 32 < chunks 64\n"
SECRET = "SECdeadbeef"
MESSAGE = Message("logdoctor: ✖ GPU memory is full", "train.log:3\n│ CUDA out of memory")


class Service(ThreadingHTTPServer):
    """Answers each request with what `judge` makes of its path and body: status and document."""

    daemon_threads = True

    def __init__(self, judge: Callable[[str, Any], tuple[int, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.judge = judge
        self.taken: list[Any] = []
        self.refused: list[Any] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, told = self.server.judge(self.path, body)
        data = told.encode() if isinstance(told, str) else json.dumps(told).encode()
        is_taken = status < 300 and (
            not isinstance(told, dict) or not any(told.get(each, 0) for each in ("code", "errcode"))
        )
        (self.server.taken if is_taken else self.server.refused).append(body)
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


Serve = Callable[[Callable[[str, Any], tuple[int, Any]]], Service]


@pytest.fixture
def serve() -> Iterator[Serve]:
    started: list[Service] = []

    def start(judge: Callable[[str, Any], tuple[int, Any]]) -> Service:
        service = Service(judge)
        threading.Thread(target=service.serve_forever, args=(0.02,), daemon=True).start()
        started.append(service)
        return service

    yield start
    for service in started:
        service.shutdown()
        service.server_close()


def always(status: int, told: Any) -> Callable[[str, Any], tuple[int, Any]]:
    return lambda _path, _body: (status, told)


def feishu(path: str, body: Any) -> tuple[int, Any]:
    """https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot: HTTP 200 and a code."""
    if path != "/open-apis/bot/v2/hook/token":
        return 200, {
            "code": 19001,
            "data": {},
            "msg": "param invalid: incoming webhook access token invalid",
        }
    sign = base64.b64encode(
        hmac.new(f"{body.get('timestamp')}\n{SECRET}".encode(), b"", hashlib.sha256).digest()
    )
    if body.get("sign") != sign.decode() or abs(int(body["timestamp"]) - time.time()) > 3600:
        return 200, {
            "code": 19021,
            "data": {},
            "msg": "sign match fail or timestamp is not within one hour from current time",
        }
    if body["msg_type"] != "text" or not isinstance(body["content"]["text"], str):
        return 200, {"code": 9499, "data": {}, "msg": "Bad Request"}
    return 200, {
        "StatusCode": 0,
        "StatusMessage": "success",
        "code": 0,
        "data": {},
        "msg": "success",
    }


def dingtalk(path: str, body: Any) -> tuple[int, Any]:
    """https://open.dingtalk.com/document/robots/custom-robot-access: HTTP 200 and an errcode."""
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query))
    if query.get("access_token") != "token":
        return 200, {"errcode": 300005, "errmsg": "token is not exist"}
    said = f"{query.get('timestamp')}\n{SECRET}".encode()
    sign = base64.b64encode(hmac.new(SECRET.encode(), said, hashlib.sha256).digest()).decode()
    if query.get("sign") != sign or abs(int(query["timestamp"]) / 1000 - time.time()) > 3600:
        return 200, {"errcode": 310000, "errmsg": "sign not match"}
    if "logdoctor" not in body["text"]["content"]:
        return 200, {"errcode": 310000, "errmsg": "keywords not in content"}
    return 200, {"errcode": 0, "errmsg": "ok"}


def wecom(path: str, body: Any) -> tuple[int, Any]:
    """https://developer.work.weixin.qq.com/document/path/91770: 2048 bytes at most."""
    if path != "/cgi-bin/webhook/send?key=token":
        return 200, {
            "errcode": 93000,
            "errmsg": "invalid webhook url, hint: [x], from ip: 127.0.0.1",
        }
    if len(body["text"]["content"].encode()) > 2048:
        return 200, {"errcode": 40058, "errmsg": "text.content exceed max length 2048"}
    return 200, {"errcode": 0, "errmsg": "ok"}


BOTS = {
    "feishu": (feishu, "/open-apis/bot/v2/hook/{token}?secret={secret}"),
    "dingtalk": (dingtalk, "/robot/send?access_token={token}&secret={secret}"),
    "wecom": (wecom, "/cgi-bin/webhook/send?key={token}"),
}


def tell(url: str, message: Message = MESSAGE) -> str:
    name, send = chat(url)
    send(message.payload(), 10)
    return name


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_is_told(serve: Serve, name: str) -> None:
    """Signed where it asks for that, with all of the message."""
    judge, path = BOTS[name]
    service = serve(judge)
    assert tell(f"{name}+{service.url}{path.format(token='token', secret=SECRET)}") == name
    assert (len(service.taken), service.refused) == (1, [])
    said = service.taken[0].get("content") or service.taken[0]["text"]
    assert next(iter(said.values())) == f"{MESSAGE.title}\n{MESSAGE.text}"


@pytest.mark.parametrize("name", BOTS)
def test_a_refusal_within_http_200_is_a_refusal(serve: Serve, name: str) -> None:
    """With the service's own words, and never tried again; the token is not in them."""
    judge, path = BOTS[name]
    service = serve(judge)
    with pytest.raises(RefusedError, match=rf"^{name} says \d+: .+") as refusal:
        tell(f"{name}+{service.url}{path.format(token='WRONGTOKEN', secret='wrong')}")
    assert "WRONGTOKEN" not in str(refusal.value)
    assert service.taken == []


def test_what_may_pass_is_tried_again(serve: Serve) -> None:
    """Too many messages, an overload, HTTP 5xx."""
    for name, answer in (
        (
            "feishu",
            (
                200,
                {
                    "code": 11232,
                    "msg": "frequency limited psm[lark.oapi.app_platform_runtime]appID[1500]",
                },
            ),
        ),
        (
            "dingtalk",
            (200, {"errcode": 130101, "errmsg": "send too fast, exceed 20 times per minute"}),
        ),
        ("wecom", (200, {"errcode": 45009, "errmsg": "api freq out of limit"})),
        ("wecom", (502, "bad gateway")),
    ):
        service = serve(always(*answer))
        with pytest.raises(SendError) as error:
            tell(f"{name}+{service.url}/hook?x=1")
        assert not isinstance(error.value, RefusedError)


def test_an_answer_of_somebody_else_is_no_delivery(serve: Serve) -> None:
    """As of a proxy that answers everything with a page."""
    for told in ("<html>log in</html>", {"ok": True}, [0]):
        service = serve(always(200, told))
        with pytest.raises(RefusedError, match="the answer is none of feishu's"):
            tell(f"feishu+{service.url}/hook")


def test_a_long_message_is_cut_where_the_service_would_refuse_it(serve: Serve) -> None:
    """In bytes, between characters."""
    service = serve(wecom)
    tell(f"wecom+{service.url}/cgi-bin/webhook/send?key=token", Message("题", "显存不足" * 500))
    text = service.taken[0]["text"]["content"]
    assert (text[-1], len(text.encode()) <= 2048, "�" in text) == ("…", True, False)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://open.feishu.cn/open-apis/bot/v2/hook/abc", "feishu"),
        ("https://open.larksuite.com/open-apis/bot/v2/hook/abc", "lark"),
        ("feishu://abc", "feishu"),
        ("dingtalk://SECx@abc", "dingtalk"),
        ("https://oapi.dingtalk.com/robot/send?access_token=abc", "dingtalk"),
        ("wecombot://abc", "wecom"),
        ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=abc", "wecom"),
        ("https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", "slack"),
        ("https://discord.com/api/webhooks/4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", "discord"),
        ("mailtos://user:password@example.org?to=me@example.org", "e-mail"),
    ],
)
def test_services_are_known_by_their_own_urls(url: str, name: str) -> None:
    """And by Apprise's; nothing is sent."""
    assert chat(url)[0] == name


def test_what_nobody_knows_is_said_before_anything_is_read() -> None:
    """Without the URL, in which a token may stand."""
    with pytest.raises(LogdoctorError, match="no chat or mail service") as error:
        chat("https://alerts.example/TOKEN")
    assert "TOKEN" not in str(error.value)


def slack(_path: str, body: Any) -> tuple[int, Any]:
    """https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks: words, and a status."""
    return (200, "ok") if body.get("text") or body.get("attachments") else (400, "no_text")


def test_slack_is_told_by_apprise(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its refusals are final: 403, 404 and 410 are of the webhook, not of the moment."""
    url = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/"
    service = serve(slack)
    monkeypatch.setattr(NotifySlack, "webhook_url", service.url)
    assert tell(url) == "slack"
    assert "GPU memory is full" in json.dumps(service.taken, ensure_ascii=False)
    for status, kind in (
        (403, RefusedError),
        (404, RefusedError),
        (410, RefusedError),
        (500, SendError),
    ):
        service.judge = always(status, "invalid_token")
        with pytest.raises(kind) as error:
            tell(url)
        assert isinstance(error.value, RefusedError) == (kind is RefusedError)
        assert "TIiajkdnlazkcOXrIdevi7FQ" not in str(error.value)


def test_discord_is_told_by_apprise(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """https://docs.discord.com/developers/resources/webhook: 204 without a body."""
    service = serve(always(204, ""))
    monkeypatch.setattr(NotifyDiscord, "notify_url", service.url)
    assert tell("discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js") == "discord"
    assert "GPU memory is full" in json.dumps(service.taken, ensure_ascii=False)
    service.judge = always(401, {"message": "Invalid Webhook Token", "code": 50027})
    with pytest.raises(RefusedError):
        tell("discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js")


def tail(
    log: Path, *options: str, environment: dict[str, str] | None = None
) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "logdoctor", "tail", *options, str(log)]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )


def wait_for(is_so: Callable[[], object]) -> None:
    until = time.monotonic() + 90
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_killed_tail_tells_nothing_twice(serve: Serve, tmp_path: Path) -> None:
    """SIGKILL after the message has arrived; the secret stands in a file, and is never printed."""
    service = serve(wecom)
    log, state, place = tmp_path / "train.log", tmp_path / "state.json", tmp_path / "url"
    log.write_text(SHORT + "secret: sk-proj-" + "a1B2c3D4" * 6 + "\n", encoding="utf-8")
    place.write_text(f"wecom+{service.url}/cgi-bin/webhook/send?key=token\n", encoding="utf-8")
    options = ["--notify", f"file:{place}", "--lang", "zh", "--state", str(state)]
    killed = tail(log, *options)
    try:
        wait_for(
            lambda: (
                service.taken
                and b'"unsent"' in state.read_bytes()
                and b"\\u" not in state.read_bytes().partition(b"unsent")[2]
            )
        )
        time.sleep(1.5)
    finally:
        killed.kill()
        _, said = killed.communicate()
    again = tail(log, *options, "--until-idle", "1")
    _, more = again.communicate(timeout=90)
    (message,) = service.taken
    assert message["text"]["content"].startswith("logdoctor: ✖ 猜测：32 条样本")
    assert b"key=token" not in said + more
    assert b"key=token" not in state.read_bytes()
    assert "a1B2c3D4a1B2" not in str(service.taken)


def test_a_refused_message_is_said(serve: Serve, tmp_path: Path) -> None:
    """With the service's words; the verdict comes all the same, and no URL is shown."""
    service = serve(wecom)
    log = tmp_path / "train.log"
    log.write_text(SHORT, encoding="utf-8")
    url = f"wecom+{service.url}/cgi-bin/webhook/send?key=WRONGTOKEN"
    _, said = tail(log, "--notify", url, "--until-idle", "1").communicate(timeout=90)
    assert b"a diagnosis was not sent: wecom says 93000: invalid webhook url" in said
    assert b"WRONGTOKEN" not in said


@pytest.mark.parametrize(
    "given", ["env:LOGDOCTOR_NO_SUCH", "file:/no/such", "https://alerts.example/x"]
)
def test_a_receiver_that_cannot_be_used_is_said_first(given: str, tmp_path: Path) -> None:
    """Exit code 2, before a line is read."""
    done = tail(tmp_path / "none.log", "--notify", given)
    _, said = done.communicate(timeout=90)
    assert (done.returncode, said.startswith(b"logdoctor: --notify")) == (2, True)
