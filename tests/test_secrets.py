"""What is never shown: every form of secret, in every writing, and what only looks like one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.model import ScanOptions
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.texts.digits import without_digits
from logdoctor.texts.secrets import (
    _RULES,
    HIDDEN,
    _hidden,
    _Rule,
    redacted,
    redacted_lines,
    secrets_in,
    without_these,
)

RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def drawn(length: int, letters: str = LETTERS, seed: int = 1) -> str:
    """Text as a program draws it: no key of anybody stands in this file."""
    return "".join(Random(seed).choices(letters, k=length))


LONG = "abcdef0123456789ghijklmnop"
VALUES = (LONG, "hunter2x!", "Zk3+9fQ/tR7w==", drawn(40), drawn(32, "0123456789abcdef"))

# {X} is a secret of any kind, {L} one that a program drew
PLACES = (
    "ValueError: cmd failed: train.py --api-key {X}",
    "train.py --token {X}",
    "train.py --secret-key {X} --lr 3",
    "train.py --aws-secret {X}",
    "wandb: WANDB_API_KEY {L}",
    "curl -u admin:{X} https://h/x",
    "sshpass -p {X} ssh root@h",
    "mysql -uroot -p{X} db",
    "swanlab login -k {X}",
    "Authorization: {X}",
    "{'Authorization': '{X}'}",
    "Cookie: session={X}; theme=dark",
    "Set-Cookie: sid={X}; Path=/",
    '"auth": "{L}"',
    '"identitytoken": "{X}"',
    "client-key-data: {X}",
    '{\\"api_key\\": \\"{X}\\"}',
    '"{\\\\\\"password\\\\\\": \\\\\\"{X}\\\\\\"}"',
    "https://hooks.slack.com/services/T00000000/B00000000/{L}",
    "https://discord.com/api/webhooks/123456789012345678/{L}",
    "DB_PASS={X}",
    "passphrase: {X}",
    "Incorrect API key provided: {X}",
    "hf_token: !secret {X}",
    "('password', '{X}')",
    "ak={L} sk={L}",
    "密码是 {X}",
    "密码为 {X}",
    "令牌: {X}",
    "访问密钥 {X}",
    "Command '['python', 'x.py', '--token', '{X}']' returned",
    "os.environ: {'MY_TOKEN': '{L}', 'B': 1}",
    "<password>{X}</password>",
    "requirepass {L}",
    "Namespace(api_key='{X}', lr=1)",
    "Config(api_key={X}, timeout=5)",
    "machine h login u password {X}",
    "//registry.npmjs.org/:_authToken={X}",
    "password={X}&user=a",
    'export OPENAI_API_KEY="{X}"',
    "X-Api-Key: {X}",
    "-H 'X-API-Key: {X}'",
    'apiKey: "{X}"',
    "clientSecret={X}",
    "[credentials] aws_secret_access_key = {X}",
    "docker login -u me -p {X} reg",
    "huggingface-cli login --token {X}",
    "redis-cli -h x -a {X}",
    "TOKEN={X}",
    "token: {L}",
    "HF_TOKEN {L}",
    "export HF_TOKEN={X}",
    "Environment=DB_PASSWORD={X}",
    "  - name: DB_PASSWORD\\n    value: {X}",
    'env: [{"name": "API_TOKEN", "value": "{X}"}]',
    "SECRET_KEY_BASE={L}",
    '"refresh_token":"{X}"',
    "'client_secret': b'{X}'",
    "--set auth.password={X}",
    "--from-literal=password={X}",
    "kubectl create secret generic s --from-literal=token={X}",
    "-e MYSQL_ROOT_PASSWORD={X}",
    "spring.datasource.password={X}",
    "ANSIBLE_VAULT_PASSWORD: {X}",
    "sudo: echo {X} | sudo -S ls",
    'echo "{X}" | docker login --password-stdin',
    "PGPASSWORD={X} psql",
    "Server=db;User Id=sa;Password={X};",
    "mongodb+srv://u:{X}@cluster0.mongodb.net/db",
    "amqp://guest:{X}@mq:5672//",
    "redis://:{X}@cache",
    "https://oauth2:{X}@gitlab.com/x.git",
    "https://{L}@github.com/x.git",
    "ftp://u:{X}@h/",
    "proxy http://u:{X}@proxy:3128",
    "X-Auth-Token: {X}",
    "X-Vault-Token: {X}",
    "Private-Token: {X}",
    "x-goog-api-key: {X}",
    "api-key: {X}",
    "Ocp-Apim-Subscription-Key: {X}",
    "DD-API-KEY: {X}",
    "Proxy-Authorization: Basic {L}",
    "authorization='Bearer {X}'",
    '"Authorization": "Token {X}"',
    "AccessKeyId={L} AccessKeySecret={X}",
    "accessKeySecret: {X}",
    "OSS_ACCESS_KEY_SECRET={X}",
    "oss.accessKeySecret={X}",
    "secretKey={X}",
    "s3.secret-key: {X}",
    "fs.s3a.secret.key={X}",
    "fs.azure.account.key.acc.blob.core.windows.net={L}",
    "MINIO_ROOT_PASSWORD={X}",
    "tls_private_key_password={X}",
    "keystore_password: {X}",
    "ssl.keystore.password={X}",
    'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{X}";',
    'WANDB_API_KEY="{L}"',
    'wandb.login(key="{L}")',
    "wandb.login(key='{L}')",
    'swanlab.login(api_key="{X}")',
    'login(token="{X}")',
    "hf auth login --token {X}",
    "comet_ml.init(api_key={X})",
    "NEPTUNE_API_TOKEN={L}",
    "MLFLOW_TRACKING_PASSWORD={X}",
    'openai.api_key = "{X}"',
    'client = OpenAI(api_key="{X}", base_url="http://x")',
    "api_key='{X}' is invalid",
    "Invalid API key: {X}",
    'invalid token "{L}"',
    "Access denied using password {X}",
    "the password for root is {X}",
    "Password set to {L}",
    "generated password: {X}",
    "Your new password: {X}",
    "root password is now {L}",
    "jupyter http://localhost:8888/?token={L}",
    "http://127.0.0.1:8888/lab?token={X}",
    "https://h/x?api_key={X}&b=1",
    "https://h/x?access_token={X}",
    "https://b.s3.amazonaws.com/k?X-Amz-Credential=AKIA&X-Amz-Signature={L}",
    "https://b.oss-cn.aliyuncs.com/k?OSSAccessKeyId=x&Signature={X}",
    "https://acc.blob.core.windows.net/c?sv=2020&sig={X}",
    "https://oapi.dingtalk.com/robot/send?access_token={X}",
    "https://sctapi.ftqq.com/{L}.send",
    "https://outlook.office.com/webhook/1a2b3c4d-1111-2222-3333-444455556666@1a2b/IncomingWebhook/{L}/x",
    "https://maker.ifttt.com/trigger/x/with/key/{L}",
    "https://open.larksuite.com/open-apis/bot/v2/hook/{L}",
    "https://hooks.slack.com/triggers/T0/1/{L}",
    "密码：{X}",
    "密码:{X}",
    "口令={X}",
    "密钥为：{X}",
    "密码设置为 {X}",
    "访问令牌：{X}",
    "令牌为{L}",
    "用户密码改为{X}",
    "数据库密码是：{X}",
    "API 密钥：{X}",
    "私钥: {X}",
    "密码“{X}”错误",
    "--wandb-key {X}",
    "--wandb_api_key={X}",
    "--hf-token={X}",
    "--hf_token {X}",
    "--openai-api-key {X}",
    "--auth-token {X}",
    "-Djavax.net.ssl.keyStorePassword={X}",
    "-storepass {X}",
    "--passphrase {X}",
    "['--api-key', '{X}']",
    '["--password","{X}"]',
    "args: --token={X} --lr 1",
    "model.api_key=={X}",
    "password => {X}",
    ':password => "{X}"',
    '"password" : "{X}"',
    "password = {X}",
    "password\t{L}",
    "passwd={X}",
    "pwd={X}",
    "PASSWORD='{X}'",
    'secret="{X}"',
    "secret: {X}",
    "client_secret: {X}",
    '"secret":"{X}"',
    "signing_secret={X}",
    "SLACK_SIGNING_SECRET={X}",
    "encryption_key={X}",
    "jwt_secret={X}",
    "session_token={X}",
    "aws_session_token = {L}",
    "id_token: {X}",
    "csrf_token={X}",
    "ssh_key_passphrase={X}",
    "xoxb-1234567890-{L}",
    "token: ENC[{L}]",
    "bearer_token: {X}",
    "BEARER {L}",
    "Cookie: {L}",
    "cookies={'session': '{L}'}",
    "JSESSIONID={X}",
    "sessionid={L}",
    "root:{X}@tcp(127.0.0.1:3306)/db",
    "user/{X}@//ora:1521/db",
)

ISSUED = (
    "gsk_{L}",
    "nvapi-{L}",
    "npm_{L}",
    "pypi-AgEI{L}",
    "sk_live_{L}",
    "r8_{L}",
    "hvs.{L}",
    "SG.{L}.{L}",
    "tvly-{L}",
    "ya29.{L}",
    "xapp-1-A0-{L}",
    "ghs_{L}{L}",
    "glpat-{L}",
    "github_pat_{L}",
    "ghp_{L}",
    "sk-ant-api03-{L}",
    "sk-or-v1-{L}",
    "dop_v1_{L}",
    "hf_{L}",
    "pcsk_{L}",
    "lsv2_pt_{L}",
    "dckr_pat_{L}",
    "glsa_{L}_1234",
    "rk_live_{L}",
    "xai-{L}",
    "figd_{L}",
    "tskey-auth-{L}",
    "CFPAT-{L}",
    "EAACEdEose0{L}",
    "fm2_{L}",
    "shpat_{L}",
    "sntrys_{L}",
    "AKIA{U}",
    "ASIA{U}",
    "wandb_v1_{L}{L}",
    "gho_{L}{L}",
    "ghu_{L}{L}",
    "ghr_{L}{L}",
    "glptt-{L}",
    "xoxp-1-{L}",
    "sk-proj-{L}",
    "jina_{L}",
    "fw_{L}",
    "csk-{L}",
    "pplx-{L}",
    "hvb.{L}",
    "GOCSPX-{L}",
    "1//0{L}",
    "AIza{L}{L}",
    "ALTAK-{L}",
    "ntn_{L}",
    "lin_api_{L}",
    "phx_{L}",
    "PMAK-{L}",
    "sq0csp-{L}",
    "abcdefghij1234.atlasv1.{L}",
    "whsec_{L}",
    "key-0123456789abcdef0123456789abcdef",
    "rpa_{L}",
    "tgp_v1_{L}",
    "shpss_{L}",
    "doo_v1_{L}",
    "dckr_oat_{L}",
    "nfp_{L}",
    "HRKU-{L}",
    "sntryu_{L}",
    "glc_{L}",
)

WHOLE = (
    "Authorization: Basic YTpiYw==",
    "Authorization: Bearer abc123",
    "https://open.feishu.cn/open-apis/bot/v2/hook/1a2b3c4d-1111-2222-3333-444455556666",
    "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa",
    "https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage",
    "AKIDz8krbsJ5yKBZQpn74WFkmLPx3gnPhESA",
    "0123456789abcdef0123456789abcdef.AbCdEf0123456789",
    "AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "postgres://root:hunter2/x@h",
    "https://xyz.webhook.office.com/webhookb2/1a2b3c4d-1111-2222-3333-444455556666",
    "dapi0123456789abcdef0123456789abcdef",
    "LTAI5tabcdefghijklmnop",
    "AKLTabcdefghijklmnopqrst",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk",
    '{"auths": {"https://index.docker.io/v1/": {"auth": "dXNlcjpwYXNzd29yZA=="}}}',
)

NAMES = (
    "api_key",
    "apikey",
    "API-KEY",
    "api.key",
    "apiKey",
    "access_key",
    "accessKey",
    "secret_access_key",
    "aws_secret_access_key",
    "private_key",
    "client_secret",
    "clientSecret",
    "secret",
    "secret_key",
    "password",
    "passwd",
    "passphrase",
    "db_password",
    "MYSQL_ROOT_PASSWORD",
    "PGPASSWORD",
    "access_token",
    "accessToken",
    "refresh_token",
    "auth_token",
    "HF_TOKEN",
    "GITHUB_TOKEN",
    "WANDB_API_KEY",
    "OPENAI_API_KEY",
    "OSS_ACCESS_KEY_SECRET",
    "SMTP_PASS",
)
WRITINGS = (
    "{name}={value}",
    "{name}: {value}",
    '"{name}": "{value}"',
    "'{name}': '{value}'",
    "export {name}={value}",
    "Config({name}='{value}', steps=3)",
    "--{name} {value} --steps 3",
    "--{name}={value}",
    '{{\\"{name}\\": \\"{value}\\"}}',
    "('{name}', '{value}')",
    '{name} = "{value}"',
    'os.environ["{name}"] = "{value}"',
    "{name}：{value}",
)


def places() -> list[tuple[str, str]]:
    """Each text with the secret in it."""
    return [
        (form.replace("{X}", value).replace("{L}", LONG), value if "{X}" in form else LONG)
        for form in PLACES
        for value in (VALUES if "{X}" in form else [LONG])
    ]


@pytest.mark.parametrize(("text", "secret"), places())
def test_a_secret_is_hidden_where_it_stands(text: str, secret: str) -> None:
    """Flags, headers, addresses, commands, files of settings, hooks, in both languages."""
    shown = redacted(f"ValueError: {text}")
    assert HIDDEN in shown
    assert secret not in shown


@pytest.mark.parametrize("form", ISSUED)
def test_what_an_issuer_gives_out_is_hidden_anywhere(form: str) -> None:
    """By its form alone, in the middle of a sentence."""
    text = form.replace("{L}", drawn(26)).replace("{U}", drawn(16, LETTERS[26:]))
    assert redacted(f"cannot use {text} here") == f"cannot use {HIDDEN} here"


@pytest.mark.parametrize("text", WHOLE)
def test_a_secret_of_a_form_of_its_own_is_hidden(text: str) -> None:
    """What these lines say is gone."""
    assert HIDDEN in redacted(text)


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("name", NAMES)
def test_the_value_of_a_name_is_hidden_in_every_writing(name: str, writing: str) -> None:
    """Thirty names, a dozen notations, values that are drawn and values that are chosen."""
    for value in VALUES:
        text = writing.format(name=name, value=value)
        assert value not in redacted(text), text
        assert "steps" not in text or "3" in redacted(text)


@pytest.mark.parametrize(
    "text",
    [
        "AssertionError: batch_size 32 < chunks 64",
        "max_tokens_per_mb=20480",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  model.safetensors",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "--hash=sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "request 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed failed",
        "GPU-1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed is lost",
        "token_count: 123456789",
        "token: 4096",
        "Estimated FLOPs per token: 1.356602e+07",
        "tokens/s: 12345.6, per token: 0.01ms",
        "api_key not configured (no-tty). call wandb.login(key=[your_api_key])",
        "api_key=os.environ['OPENAI_API_KEY']",
        "api_key: Optional[str] = None, password=None, token=None",
        "api_key=$OPENAI_API_KEY",
        "curl -H 'Authorization: Bearer $TOKEN' http://h/v1/models",
        "tokenizer: Qwen2TokenizerFast",
        "tokenizer=Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4",
        "pad_token: <|endoftext|>, eos_token: </s>, unk_token='[UNK]'",
        "model token: Qwen2.5-7B-Instruct",
        "auth: /root/.docker/config.json",
        "Cannot handle batch sizes > 1 if no padding token is defined.",
        "ValueError: the token is expired, the secret is missing",
        "Invalid API key: not found",
        "password: incorrect",
        "PWD is unset; Bearer token is missing; Basic usage follows",
        "wandb: Use `wandb login --relogin` to force relogin",
        "http://10.0.0.1:8000/v1/chat/completions?model=Qwen2.5-7B&stream=true",
        "git@github.com:org/repo.git",
        "see https://docs.ray.io/en/latest/cluster/kubernetes/index.html#webhooks",
        "signature: (self, hidden_states: torch.Tensor, past_key_values=None)",
        "past_key_values: DynamicCache, key_value_heads=8, hidden_key: 3",
        "KeyError: 'model.layers.0.self_attn.q_proj.weight'",
        "FenceInsertionPass::dependOnSharedEncOperand(mlir::Value): Assertion",
        'MountVolume.SetUp failed for volume "hf-token" : secret "hf-token" not found',
        "podman run -p 30000:30000 -v ~/.cache/huggingface:/root/.cache image",
        "mysql -h 10.0.0.1 -P 3306 -u root",
        "密码错误，请重试",
        "令牌数: 4096",
        "ray session_2025-01-02_03-04-05_123456_789",
        "cuda:0 nccl 2.21.5+cuda12.4 libnccl.so.2",
        "world_info=eyJsb2NhbGhvc3QiOiBbMCwgMSwgMiwgMywgNCwgNSwgNiwgN119 --master_addr=1",
    ],
)
def test_ordinary_text_is_not_masked(text: str) -> None:
    """Numbers, hashes, ids, names of models, paths, types, placeholders and advice stay."""
    assert redacted(text) == text


@given(
    st.sampled_from([text for text, _ in places()]), st.text("0123456789", min_size=64, max_size=64)
)
def test_a_secret_with_other_digits_is_one_as_well(text: str, digits: str) -> None:
    """It is remembered of texts without their digits whether they hold one: a long text, of which
    nothing is remembered, is masked where a short one is.
    """
    other = re.sub(r"\d", lambda found: digits[found.start() % 64], text)
    assert (HIDDEN in redacted(other)) is (HIDDEN in redacted("- " * 250 + other))


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (
            ["- name: DB_PASSWORD", "  value: hunter2x"],
            ("- name: DB_PASSWORD", f"  value: {HIDDEN}"),
        ),
        (["'--token',", " 'hunter2x',"], ("'--token',", f" '{HIDDEN}',")),
        (["'password',", "RuntimeError: x"], ("'password',", "RuntimeError: x")),
        (["a", drawn(64), "abcDEF=", "next line"], ("a", HIDDEN, HIDDEN, "next line")),
        ([f"(Worker pid=1) {drawn(64)}", "(Worker pid=1) abcDEF="], (HIDDEN, HIDDEN)),
        (["abcd==", "-----END PRIVATE KEY-----"], (HIDDEN, "-----END PRIVATE KEY-----")),
    ],
)
def test_lines_know_the_line_above(lines: list[str], shown: tuple[str, ...]) -> None:
    """An argument below its flag, a value below its name, a key wherever it was cut."""
    assert redacted_lines(lines) == shown


def test_what_is_hidden_in_a_line_is_hidden_wherever_it_stands_alone() -> None:
    """A capture has lost the name that stood before it."""
    secrets = secrets_in([f"ValueError: bad password: {LONG}, sure"])
    assert secrets == (LONG,)
    assert without_these(f"is {LONG}", secrets) == f"is {HIDDEN}"
    assert without_these("is kept", secrets) == "is kept"


@pytest.mark.parametrize(
    "piece",
    [
        "password ",
        "key=",
        "a://b:c",
        "secret_key.a",
        "login( key",
        "--a-a-password ",
        "token: ",
        '\\\\"password',
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    """A line of the greatest length, made of what begins the rules, is masked within a second."""
    start = process_time()
    redacted((piece * 16384)[:16384])
    assert process_time() - start < 1


@pytest.mark.parametrize("form", ["text", "json", "markdown", "jsonl", "html"])
def test_no_report_shows_a_secret(run_cli: RunCli, form: str) -> None:
    """Neither as evidence, as a title, nor as what a signature captured."""
    log = f"""Traceback (most recent call last):
  File "train.py", line 3, in <module>
    run(["--token", "{LONG}"])
ValueError: cmd failed: train.py --api-key {LONG}
openai.AuthenticationError: Error code: 401 - Incorrect API key provided: {LONG}.
KeyError: 'password={LONG}'
"""
    shown = run_cli("scan", "--format", form, stdin=log.encode()).stdout.decode()
    assert HIDDEN in shown
    assert LONG not in shown


@pytest.mark.slow
def test_no_capture_that_a_remedy_needs_is_masked(automaton: Automaton) -> None:
    """Of each example of the database: what it says is the same, masked or not."""
    for signature in automaton.database.signatures:
        for example in signature.examples:
            shown, plain = (
                scan_text(automaton, example.text, ScanOptions(redact=redact))
                for redact in (True, False)
            )
            for masked, whole in zip(shown.diagnoses, plain.diagnoses, strict=True):
                assert masked.captures == whole.captures, signature.id
                assert masked.remedies == whole.remedies, signature.id


@pytest.mark.parametrize(
    "rule", [each for each in _RULES if each.near], ids=lambda each: each.pattern[:60]
)
@given(data=st.data())
def test_what_a_rule_hides_is_not_passed_over(rule: _Rule, data: st.DataObject) -> None:
    """Whatever its expression fits has one of its marks, and fits what is asked before it."""
    folded = without_digits(data.draw(st.from_regex(rule.pattern)).lower())
    assert any(each in folded for each in rule.marks)
    assert re.search(rule.near, folded)


_PIECES = (
    *("api_key", "API-Key=", "key.a", "Secret", "access token", "hf_token: ", "sessionid", "pwd"),
    *(
        "MYPASS",
        "my_PW=",
        "passphrase is ",
        "ſecret",
        "\u212aey",
        "İd",
        "s for ",
        "'",
        '"',
        "=",
        " ",
    ),
    *("a8Zk3", "9f$x", ": ", "\n", "密"),
)


@pytest.mark.parametrize(
    "rule", [each for each in _RULES if each.begins], ids=lambda each: each.pattern[-60:]
)
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_rule_is_tried_wherever_it_may_begin(rule: _Rule, data: st.DataObject) -> None:
    """As if it was at every place, in texts of what it fits and of what names are made of."""
    pieces = st.one_of(st.sampled_from(_PIECES), st.from_regex(rule.pattern), st.text(max_size=3))
    text = "".join(data.draw(st.lists(pieces, max_size=8)))

    def hiding(match: re.Match[str]) -> str:
        return f"<{match.start()}:{match[0]}:{match.groupdict()}>"

    assert _hidden(rule, text, hiding) == re.sub(rule.pattern, hiding, text)
