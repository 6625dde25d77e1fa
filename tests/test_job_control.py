"""A command under `logdoctor run` stops and goes on as it would in a shell without us; the shell here is a real one."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs bash")

PATIENCE_S = 40.0

ASKING = """
import os, sys, termios, tty
modes = termios.tcgetattr(0); modes[3] &= ~termios.ECHO; termios.tcsetattr(0, termios.TCSANOW, modes)
print('ready', flush=True)
for line in sys.stdin:
    print('got', line.strip(), bool(termios.tcgetattr(0)[3] & termios.ECHO), os.get_terminal_size().columns, flush=True)
    if 'end' in line: sys.exit(7)
"""
TICKING = """
import time
print('ready', flush=True)
try:
    for i in range(10_000): print('tick', flush=True); time.sleep(0.05)
except KeyboardInterrupt: print('interrupted')
"""


class Shell:
    """An interactive bash on a terminal of its own."""

    def __init__(self, folder: Path) -> None:
        self.master, slave = pty.openpty()
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PS1": "$ ",
            "PS2": "",
            "HISTFILE": "",
        }
        environment["RUN"] = f"{sys.executable} -m logdoctor run --"
        environment["PY"] = sys.executable
        for name, text in (("asking.py", ASKING), ("ticking.py", TICKING)):
            (folder / name).write_text(text)
        self.process = subprocess.Popen(
            ["/bin/bash", "--norc", "--noprofile", "--noediting", "-i"],
            cwd=folder,
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            preexec_fn=own_terminal,  # noqa: PLW1509
        )
        os.close(slave)
        self.seen = b""
        self.expect("$ ")

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def expect(self, text: str) -> None:
        """Reads until that has been printed; what comes after it is read by the next call."""
        deadline = time.monotonic() + PATIENCE_S
        while text.encode() not in self.seen:
            assert time.monotonic() < deadline, f"waited for {text!r}, got {self.seen!r}"
            if select.select([self.master], [], [], 0.5)[0]:
                self.seen += os.read(self.master, 4096)
        self.seen = self.seen.partition(text.encode())[2]

    def ask(self, text: str) -> None:
        """Types a command line, and reads until it has been carried out."""
        self.type(f"{text}; echo do''ne\n")
        self.expect("done")

    def end(self) -> None:
        os.close(self.master)
        self.process.kill()
        self.process.wait()


def own_terminal() -> None:
    signal.signal(
        signal.SIGHUP, signal.SIG_DFL
    )  # which the tests themselves ignore where nohup runs them
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    found = Shell(tmp_path)
    yield found
    found.end()


def stop(shell: Shell, command: str) -> None:
    shell.type(f"{command}\n")
    shell.expect("ready")
    shell.type("\x1a")
    shell.expect("Stopped")


def test_ctrl_z_gives_the_shell_back_and_fg_goes_on(shell: Shell) -> None:
    """The shell has its modes and echoes; the command has its own again, and its exit code is its own."""
    stop(shell, "$RUN $PY asking.py")
    shell.type("stty -a | tr ';' ' '\n")
    shell.expect(" icanon ")
    shell.expect(" echo ")
    for word in ("first", "second"):
        shell.type("fg\n")
        shell.expect("asking.py")
        shell.type(f"{word}\n")
        shell.expect(f"got {word} False")
        shell.type("\x1a")
        shell.expect("Stopped")
    shell.type("fg\n")
    shell.expect("asking.py")
    shell.type("end\n")
    shell.expect("got end False")
    shell.expect("$ ")
    shell.type("echo code $?; stty -a | tr ';' ' '\n")
    shell.expect("code 7")
    shell.expect(" icanon ")
    shell.expect(" echo ")


def test_a_terminal_that_changed_its_size_meanwhile(shell: Shell) -> None:
    """The command sees the new one."""
    stop(shell, "$RUN $PY asking.py")
    fcntl.ioctl(shell.master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 123, 0, 0))
    shell.type("fg\n")
    shell.expect("asking.py")
    shell.type("line\n")
    shell.expect("got line False 123")


def test_bg_goes_on_beside_the_shell(shell: Shell) -> None:
    """It prints on, what is typed is the shell's; after `fg` Ctrl-C is the command's."""
    stop(shell, "$RUN $PY ticking.py")
    shell.seen = b""
    shell.type("bg\n")
    shell.expect("tick\r")
    shell.ask("true")
    shell.expect("tick\r")
    shell.type("fg\n")
    shell.expect("tick\r\n")  # the real terminal makes no line ends any more
    shell.type("\x03")
    shell.expect("interrupted")
    shell.expect("$ ")
    shell.ask("true")


def test_a_command_of_the_background_that_reads_is_stopped(shell: Shell) -> None:
    """As by a terminal, until it is in front."""
    stop(shell, "$RUN $PY asking.py")
    shell.type("bg\n")
    shell.ask("until jobs | grep Stopped; do sleep 0.1; done")
    shell.type("fg\n")
    shell.expect("asking.py")
    shell.type("line\n")
    shell.expect("got line False")


def test_ctrl_z_between_pipes(shell: Shell) -> None:
    """There the command shares the group of this process, and all stop together."""
    stop(shell, "$RUN $PY ticking.py 2>&1 | (trap '' INT; cat)")
    shell.ask("true")
    shell.type("fg\n")
    shell.expect("tick\r")
    shell.type("\x03")
    shell.expect("interrupted")


def test_whoever_stops_the_command_alone_stops_the_job(shell: Shell) -> None:
    """And whoever lets it go on, lets the job go on."""
    shell.type("$RUN $PY ticking.py\n")
    shell.expect("ready")
    pid = pid_of(shell, "ticking.py")
    os.kill(pid, signal.SIGSTOP)
    shell.expect("Stopped")
    shell.ask("true")
    shell.seen = b""
    os.kill(pid, signal.SIGCONT)
    shell.expect("tick\r")
    shell.ask("kill %1")


def test_a_stop_signal_for_the_job_reaches_the_command(shell: Shell) -> None:
    """And SIGCONT."""
    shell.type("$RUN $PY ticking.py &\n")
    shell.expect("ready")
    shell.ask("kill -TSTP %1; sleep 0.3; jobs")
    shell.type("fg\n")
    shell.expect("tick\r")
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.ask("kill -CONT %1")
    shell.expect("tick\r")
    shell.ask("kill %1")


def test_a_signal_for_us_alone_is_forwarded(shell: Shell) -> None:
    """Where the terminal is the command's own, none comes from the keyboard."""
    shell.type("$RUN $PY ticking.py\n")
    shell.expect("ready")
    os.kill(parent_of(parent_of(pid_of(shell, "ticking.py"))), signal.SIGINT)
    shell.expect("interrupted")


@pytest.mark.parametrize("generations", [1, 2], ids=["the leader", "logdoctor"])
def test_a_kill_above_the_command_hangs_its_terminal_up(shell: Shell, generations: int) -> None:
    """It ends, as where a terminal is closed, and the shell is back."""
    shell.type("$RUN $PY ticking.py\n")
    shell.expect("ready")
    command = above = pid_of(shell, "ticking.py")
    for _ in range(generations):
        above = parent_of(above)
    os.kill(above, signal.SIGKILL)
    shell.expect("$ ")
    deadline = time.monotonic() + PATIENCE_S
    while Path(f"/proc/{command}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{command}").exists()


def test_ctrl_z_without_a_shell_that_could_let_it_go_on(tmp_path: Path) -> None:
    """It is ignored, as the system does without us."""
    (tmp_path / "asking.py").write_text(ASKING)
    master, slave = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [
        sys.executable,
        "-m",
        "logdoctor",
        "run",
        "--",
        sys.executable,
        str(tmp_path / "asking.py"),
    ]
    with subprocess.Popen(
        command,
        env=environment,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        preexec_fn=own_terminal,  # noqa: PLW1509
    ) as process:
        os.close(slave)
        for awaited, typed in ((b"ready", b"\x1aline\n"), (b"got line", b"\x1aend\n")):
            text = b""
            while awaited not in text:
                assert select.select([master], [], [], PATIENCE_S)[0], text
                text += os.read(master, 1000)
            os.write(master, typed)
        assert process.wait(PATIENCE_S) == 7
    os.close(master)


def pid_of(shell: Shell, name: str) -> int:
    """The process that runs that script, without ours around it."""
    lines = subprocess.run(
        ["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    rows = [line.split() for line in lines]
    script = Path(f"/proc/{shell.process.pid}/cwd").resolve()
    found = [
        int(row[0])
        for row in rows
        if row[1:] == [sys.executable, name] and Path(f"/proc/{row[0]}/cwd").resolve() == script
    ]
    assert len(found) == 1
    return found[0]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
