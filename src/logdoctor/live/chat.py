"""Diagnoses to people's chats: chat, which sends a Message.

Feishu, Lark, DingTalk and WeCom are spoken to here: they answer HTTP 200 to what they refuse, and
say so in the body only, and Apprise (2.2: plugins feishu, lark, dingtalk, wecombot) looks at the
status alone, so that an alert with a wrong keyword or signature is lost without a word. All other
services are Apprise's (logdoctor[notify]).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from logdoctor.errors import LogdoctorError
from logdoctor.live.notify import RefusedError, Send, SendError, is_refusal, poster, within
from logdoctor.texts.secrets import redacted

Clock = Callable[[], float]

_STATUS = re.compile(r"error=(\d{3})")


class Message(NamedTuple):
    """What a chat is told: one line, and some more; plain texts."""

    title: str
    text: str

    def payload(self) -> bytes:
        """As notifiers keep and send it."""
        return json.dumps(self._asdict(), ensure_ascii=False).encode("utf-8", "replace")


def message_of(payload: bytes) -> Message:
    """The message of a payload."""
    return Message(**json.loads(payload))


class _Bot(NamedTuple):
    """A service whose answers are looked into.

    Attributes:
        host: whose URLs are this service's.
        url: where the token of a short form goes.
        code: the key of the answer's code, which is 0 where it was taken.
        busy: codes that may pass: too many messages, or an overload.
        most: bytes of a message that it takes.
    """

    name: str
    host: str
    url: str
    code: str
    busy: frozenset[int]
    most: int


_FEISHU = _Bot(
    "feishu",
    "open.feishu.cn",
    "https://open.feishu.cn/open-apis/bot/v2/hook/{}",
    "code",
    frozenset({11232, 11233}),
    20_000,
)
_BOTS = (
    _FEISHU,
    _FEISHU._replace(
        name="lark",
        host="open.larksuite.com",
        url="https://open.larksuite.com/open-apis/bot/v2/hook/{}",
    ),
    _Bot(
        "dingtalk",
        "oapi.dingtalk.com",
        "https://oapi.dingtalk.com/robot/send?access_token={}",
        "errcode",
        frozenset({-1, 130101}),
        20_000,
    ),
    _Bot(
        "wecom",
        "qyapi.weixin.qq.com",
        "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={}",
        "errcode",
        frozenset({-1, 45009}),
        2048,
    ),
)
_SAME = {"wecombot": "wecom"}
"""Apprise's word for it."""


def chat(url: str, clock: Clock = time.time) -> tuple[str, Send]:
    """What the service is called, which tells nothing secret, and what sends a message's payload to
    it.

    The URL is the service's own, one of Apprise's, or the service's name before a URL of the user's
    own relay, as `feishu+https://relay.example/hook`; a signing secret stands in it as
    `secret=…`.

    Raises:
        LogdoctorError: nobody knows that service, or Apprise is not installed.
    """
    found = _bot_of(url)
    if found is None:
        return _by_apprise(url)
    bot, address = found
    address, secret = _without_secret(address)

    def send(payload: bytes, timeout_s: float) -> None:
        message = message_of(payload)
        target, body = _request(bot, address, secret, message, clock())
        answer = poster(target)(json.dumps(body, ensure_ascii=False).encode(), timeout_s)
        _judge(bot, answer)

    return bot.name, lambda payload, timeout_s: within(timeout_s, send, payload)


def _bot_of(url: str) -> tuple[_Bot, str] | None:
    scheme, _, rest = url.partition("://")
    name, _, over = scheme.lower().partition("+")
    name = _SAME.get(name, name)
    for bot in _BOTS:
        if name == bot.name and over in {"http", "https"}:
            return bot, f"{over}://{rest}"
        if name == bot.name:
            secret, _, token = rest.partition("?")[0].strip("/").rpartition("@")
            more = f"&secret={secret}" if secret else ""
            whole = bot.url.format(token) + more
            return bot, whole if "?" in whole else whole.replace("&", "?", 1)
        if name in {"http", "https"} and urllib.parse.urlsplit(url).hostname == bot.host:
            return bot, url
    return None


def _without_secret(url: str) -> tuple[str, str]:
    parts = urllib.parse.urlsplit(url)
    query = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
    secret = next((value for name, value in query if name == "secret"), "")
    left = urllib.parse.urlencode([pair for pair in query if pair[0] != "secret"])
    return parts._replace(query=left).geturl(), secret


def _request(
    bot: _Bot, address: str, secret: str, message: Message, now: float
) -> tuple[str, Mapping[str, Any]]:
    """Where to post what, signed as the service documents."""
    text = _within_bytes(f"{message.title}\n{message.text}", bot.most)
    if bot.code == "code":  # Feishu and Lark
        body: dict[str, Any] = {"msg_type": "text", "content": {"text": text}}
        if secret:
            stamp = str(int(now))
            key = f"{stamp}\n{secret}".encode()
            body |= {"timestamp": stamp, "sign": _signature(key, b"")}
        return address, body
    body = {"msgtype": "text", "text": {"content": text}}
    if not secret:
        return address, body
    stamp = str(int(now * 1000))
    sign = urllib.parse.quote_plus(_signature(secret.encode(), f"{stamp}\n{secret}".encode()))
    return f"{address}&timestamp={stamp}&sign={sign}", body


def _signature(key: bytes, text: bytes) -> str:
    return base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()


def _within_bytes(text: str, most: int) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= most else data[: most - 3].decode("utf-8", "ignore") + "…"


def _judge(bot: _Bot, answer: bytes) -> None:
    """Raises RefusedError or SendError where the service did not take it."""
    try:
        told = json.loads(answer)
        code = told.get(bot.code, told.get("StatusCode")) if isinstance(told, dict) else None
    except ValueError:
        told, code = {}, None
    if code == 0:
        return
    if not isinstance(code, int):
        raise RefusedError(f"the answer is none of {bot.name}'s")
    said = redacted(str(told.get("msg") or told.get("errmsg") or ""))[:200]
    kind = SendError if code in bot.busy else RefusedError
    raise kind(f"{bot.name} says {code}: {said}")


def _by_apprise(url: str) -> tuple[str, Send]:
    try:
        import apprise  # noqa: PLC0415  # needs logdoctor[notify]
    except ImportError as error:
        raise LogdoctorError(
            "--notify needs the package apprise for this service; pip install 'logdoctor[notify]'"
        ) from error
    capture: Any = apprise.LogCapture  # it has no annotations
    asset = apprise.AppriseAsset(app_id="logdoctor", app_desc="logdoctor", async_mode=False)
    service = apprise.Apprise(asset=asset)
    with capture(level=apprise.logging.CRITICAL):  # what it says may show the URL
        is_known = service.add(url)
    if not is_known:
        raise LogdoctorError(
            "--notify: no chat or mail service that logdoctor or Apprise knows (docs/chat.md has "
            "examples); --webhook posts JSON to any URL"
        )
    name = str(service[0].service_name).lower()

    def send(payload: bytes, _timeout_s: float) -> None:
        message = message_of(payload)
        with capture(level=apprise.logging.WARNING, fmt="%(message)s") as said:
            taken = service.notify(
                title=message.title,
                body=message.text,
                notify_type=apprise.NotifyType.FAILURE,
                body_format=apprise.NotifyFormat.TEXT,
            )
            complaint = said.getvalue().strip()
        if not taken:
            raise _complaint(redacted(complaint.splitlines()[-1][:200]) if complaint else name)

    return name, lambda payload, timeout_s: within(timeout_s, send, payload)


def _complaint(said: str) -> SendError:
    status = _STATUS.search(said)
    is_final = status is not None and is_refusal(int(status[1]))
    return RefusedError(said) if is_final else SendError(said)
