"""Roots behind URLs: a real S3 server (moto's) and a real web server, both run here."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from benchmarks.texts.archived_runs import HEALTHY, make_runs, sample, write
from logdoctor.archive.batch import Root, judge_roots
from logdoctor.archive.roots import open_tree
from logdoctor.archive.store import Store
from logdoctor.archive.workers import InlineEngine, Rules
from logdoctor.model import ScanOptions
from logdoctor.search.automaton import Automaton

RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of botocore and moto
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "made-up", "AWS_SECRET_ACCESS_KEY": "made-up"}


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of a server that speaks S3."""
    pytest.importorskip("s3fs", reason="needs logdoctor[cloud]")
    server = pytest.importorskip("moto.server", reason="needs moto[server]").ThreadedMotoServer(
        port=0, verbose=False
    )
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def environment(s3: str, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    kept["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME") or str(
        Path.home() / ".cache"
    )  # of compiled signatures
    return {
        **kept,
        "AWS_ENDPOINT_URL": s3,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "HOME": "/nonexistent",
        **more,
    }


def upload(s3: str, bucket: str, root: Path) -> None:
    boto3 = pytest.importorskip("boto3")
    client = boto3.client(
        "s3",
        endpoint_url=s3,
        region_name="us-east-1",
        aws_access_key_id="made-up",
        aws_secret_access_key="made-up",
    )
    client.create_bucket(Bucket=bucket)
    for file in root.rglob("*"):
        if file.is_file():
            client.put_object(
                Bucket=bucket, Key=file.relative_to(root).as_posix(), Body=file.read_bytes()
            )


def without_file_times(data: bytes) -> Any:
    """A document of an archive, all of whose runs say when they were written."""
    told = json.loads(data)
    assert all(run.pop("written") for run in told["runs"])
    for group in (*told["causes"], *told["unknown_errors"]):
        if group["by_file_time"]:
            del group["first_seen"], group["last_seen"]
    return told


def test_a_bucket_is_judged_as_the_same_folder_is(s3: str, run_cli: RunCli, tmp_path: Path) -> None:
    """All layouts, archives and compressions, but for when a file was written, which is when it was
    uploaded; the second call reads only what is new or changed.
    """
    make_runs(tmp_path / "runs")
    upload(s3, "runs", tmp_path / "runs")
    local = run_cli("batch", "--format", "json", tmp_path / "runs")
    store = ("--store", tmp_path / "s.sqlite")
    known = environment(s3, **CREDENTIALS)
    remote = run_cli("batch", "--format", "json", *store, "s3://runs", environment=known)
    assert (remote.returncode, remote.stderr) == (1, b"")
    assert without_file_times(remote.stdout) == without_file_times(local.stdout)
    write(tmp_path / "more" / "plain" / "run-c" / "train.log", sample("ray-worker-killed"))
    upload(s3, "runs", tmp_path / "more")
    again: Any = json.loads(
        run_cli("batch", "--format", "json", *store, "s3://runs/", environment=known).stdout
    )
    assert len(again["runs"]) == len(json.loads(local.stdout)["runs"]) + 1


def test_one_object_is_one_run(s3: str, run_cli: RunCli, tmp_path: Path) -> None:
    """Named as its last part."""
    write(tmp_path / "logs" / "train.log", HEALTHY)
    upload(s3, "one", tmp_path)
    found = json.loads(
        run_cli(
            "batch",
            "--format",
            "json",
            "s3://one/logs/train.log",
            environment=environment(s3, **CREDENTIALS),
        ).stdout
    )
    assert [(run["run"], run["sources"], run["verdict"]) for run in found["runs"]] == [
        ("train.log", 1, None)
    ]


def test_missing_credentials_and_buckets_are_one_line(s3: str, run_cli: RunCli) -> None:
    """No traceback; exit code 2."""
    without = run_cli("batch", "s3://runs", environment=environment(s3))
    nowhere = run_cli("batch", "s3://nowhere/x", environment=environment(s3, **CREDENTIALS))
    assert (without.returncode, without.stderr.decode()) == (
        2,
        "logdoctor: s3://runs: credentials are missing; set them as for the store's own client (for S3 AWS_ACCESS_KEY_ID or a profile)\n",
    )
    assert (nowhere.returncode, nowhere.stderr.decode()) == (
        2,
        "logdoctor: s3://nowhere/x: there is nothing\n",
    )


def test_an_unknown_protocol_is_one_line(run_cli: RunCli) -> None:
    """With what is known instead; a password in the URL is not repeated."""
    done = run_cli("batch", "gopher://user:hunter22@host/x")
    assert (
        done.returncode,
        done.stderr.count(b"\n"),
        b"hunter22" in done.stderr,
        b"gopher://host/x: " in done.stderr,
    ) == (2, 1, False, True)


def test_a_web_server_gives_files_and_archives(run_cli: RunCli, tmp_path: Path) -> None:
    """A page that lists a folder is followed."""
    pytest.importorskip("aiohttp", reason="needs logdoctor[cloud]")
    make_runs(tmp_path / "runs")
    handler = functools.partial(_Quiet, directory=str(tmp_path / "runs"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        archive = json.loads(
            run_cli("batch", "--format", "json", f"{url}/packed/old.tar.gz").stdout
        )
        folder = json.loads(run_cli("batch", "--format", "json", f"{url}/plain").stdout)
    finally:
        server.shutdown()
        server.server_close()
    assert [run["run"] for run in archive["runs"]] == [
        "old.tar.gz/2025/older.tar/deep",
        "old.tar.gz/2025/r0",
        "old.tar.gz/2025/r1",
    ]
    assert [run["run"] for run in folder["runs"]] == ["run-a", "run-b"]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Says nothing."""


def test_without_the_extra_the_error_says_what_to_install(tmp_path: Path) -> None:
    """For URLs, Ray and Parquet."""
    code = "import sys; sys.modules[sys.argv[1]] = None; sys.argv[1:2] = []; from logdoctor.cli.main import main; main()"
    for package, extra, arguments in (
        ("fsspec", "cloud", ["s3://x"]),
        ("ray", "ray", ["--engine", "ray", str(tmp_path)]),
        ("pyarrow", "parquet", ["--format", "parquet", str(tmp_path)]),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, package, "batch", *arguments],
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (
            done.returncode,
            done.stderr.count(b"\n"),
            f"pip install 'logdoctor[{extra}]'".encode() in done.stderr,
        ) == (2, 1, True)


@pytest.fixture(scope="module")
def gcs() -> Iterator[str]:
    """The address of a server that speaks Google's storage protocol."""
    pytest.importorskip("gcsfs", reason="needs gcsfs")
    server = pytest.importorskip(
        "gcp_storage_emulator.server", reason="needs gcp-storage-emulator"
    ).create_server("127.0.0.1", 0, in_memory=True, default_bucket="runs")
    server.start()
    host, port = server._api._httpd.socket.getsockname()
    yield f"http://{host}:{port}"
    server.stop()


def test_google_s_buckets_are_judged_as_the_same_folder_is(
    gcs: str, run_cli: RunCli, tmp_path: Path
) -> None:
    """Through gcsfs, from a local emulator."""
    make_runs(tmp_path / "runs")
    for file in (tmp_path / "runs").rglob("*"):
        if file.is_file():
            name = quote(file.relative_to(tmp_path / "runs").as_posix(), safe="")
            request = Request(
                f"{gcs}/upload/storage/v1/b/runs/o?uploadType=media&name={name}",
                data=file.read_bytes(),
                method="POST",
            )
            with urlopen(request) as answer:
                assert answer.status == 200
    local = run_cli("batch", "--format", "json", tmp_path / "runs")
    remote = run_cli(
        "batch",
        "--format",
        "json",
        "gs://runs",
        environment={**os.environ, "STORAGE_EMULATOR_HOST": gcs, "GOOGLE_CLOUD_PROJECT": "made-up"},
    )
    assert (remote.returncode, remote.stdout == local.stdout) == (
        1,
        True,
    )  # gcsfs itself says on stderr that it has no credentials


def test_file_systems_of_arrow_and_in_memory_are_judged_as_the_same_folder_is(
    automaton: Automaton, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """hdfs:// is fsspec's wrapper around one of Arrow's, here around another; oss:// and others list like fsspec's own in memory."""
    fsspec = pytest.importorskip("fsspec", reason="needs logdoctor[cloud]")
    arrow = pytest.importorskip("fsspec.implementations.arrow", reason="needs pyarrow")
    local_files = pytest.importorskip("pyarrow.fs", reason="needs pyarrow").LocalFileSystem()
    monkeypatch.setattr(
        arrow.HadoopFileSystem,
        "__init__",
        lambda self, **_: arrow.ArrowFSWrapper.__init__(self, local_files),
    )
    monkeypatch.setattr(arrow.HadoopFileSystem, "_get_kwargs_from_urls", lambda _path: {})
    make_runs(tmp_path / "runs")
    memory = fsspec.filesystem("memory", skip_instance_cache=True)
    memory.put(f"{tmp_path}/runs", "/team", recursive=True)
    expected = judged(automaton, str(tmp_path / "runs"), "runs")
    assert len(expected) > 10
    assert judged(automaton, f"hdfs://{tmp_path}/runs", "runs") == expected
    assert judged(automaton, "memory://team", "team") == expected


def judged(automaton: Automaton, root: str, name: str) -> dict[str, str | None]:
    """Verdicts by run; `name` is that of the root, which names runs where it is one."""
    store = Store(None)
    rules = Rules((), "", ScanOptions(config={}, config_places={}), "test")
    problems = judge_roots(
        [Root(root, open_tree(root))],
        store,
        InlineEngine(automaton, rules),
        rules="r",
        run_glob=None,
        on_progress=lambda _: None,
    )
    assert problems == ()
    return {
        record.run.replace(name, "ROOT", 1) if record.run == name else record.run: record.verdict
        for _, record in store.records()
    }
