"""What the system says of a call that failed, and what that means for the very call: SAID,
numbered, said_by_system, call_meaning.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.model import LocalText

SAID: Mapping[str, int] = MappingProxyType(
    {
        "Operation not permitted": 1,
        "No such file or directory": 2,
        "Input/output error": 5,
        "Argument list too long": 7,
        "Exec format error": 8,
        "Bad file descriptor": 9,
        "Resource temporarily unavailable": 11,
        "Cannot allocate memory": 12,
        "Permission denied": 13,
        "Bad address": 14,
        "Device or resource busy": 16,
        "File exists": 17,
        "No such device": 19,
        "Not a directory": 20,
        "Is a directory": 21,
        "Invalid argument": 22,
        "Too many open files in system": 23,
        "Too many open files": 24,
        "File too large": 27,
        "No space left on device": 28,
        "Read-only file system": 30,
        "Broken pipe": 32,
        "Operation not supported": 95,
        "Address family not supported by protocol": 97,
        "Address already in use": 98,
        "Cannot assign requested address": 99,
        "Network is down": 100,
        "Network is unreachable": 101,
        "Software caused connection abort": 103,
        "Connection reset by peer": 104,
        "No buffer space available": 105,
        "Transport endpoint is not connected": 107,
        "Connection timed out": 110,
        "Connection refused": 111,
        "Host is down": 112,
        "No route to host": 113,
        "Stale file handle": 116,
        "Remote I/O error": 121,
        "Disk quota exceeded": 122,
    }
)
"""What the C library says of each error number (strerror of glibc, in the C locale)."""

_NUMBER = r"\[Errno (\d{1,3})\]|\b[Ee]rrno[ =:]{1,2}(\d{1,3})\b"
_TEXTS = "|".join(sorted(SAID, key=len, reverse=True))


def numbered(text: str) -> int | None:
    """The number of the error that a text names in figures."""
    number = re.search(_NUMBER, text)
    return int(number[1] or number[2]) if number else None


def said_by_system(text: str) -> int | None:
    """The number of the error that a text names, in figures or in the system's words."""
    number, words = numbered(text), re.search(_TEXTS, text)
    return SAID[words[0]] if words and number is None else number


class CallFailed(NamedTuple):
    """What error numbers mean of one call.

    Attributes:
        call: its name, as a person is told.
        pattern: how messages say that it was called.
        sample: a message it fits.
        means: by number, what it means and what to do.
    """

    call: str
    pattern: str
    sample: str
    means: Mapping[int, LocalText]


_UNREACHABLE = LocalText(
    "no way leads there from this host: the address is of another network (a docker bridge, a "
    "second interface), or a firewall drops it. See from this host with nc -vz HOST PORT, and name "
    "the interface that the hosts share",
    "从本机到不了那里：地址属于别的网络（docker 网桥、另一块网卡），或被防火墙丢弃。"
    "在本机用 nc -vz HOST PORT 验证，并指定各主机共用的网卡",
)
_FILES = LocalText(
    "the process has as many files and sockets open as it may: ulimit -n tells how many; "
    "raise it in "
    "the shell, the service or the container that starts the run (--ulimit nofile=1048576)",
    "进程打开的文件与套接字已达上限：ulimit -n 可看上限；在启动任务的 shell、服务或容器中调大"
    "（--ulimit nofile=1048576）",
)
_LOCKED = LocalText(
    "the process may not lock so much memory: ulimit -l tells how much; start it with "
    "--ulimit memlock=-1 (Slurm: LimitMEMLOCK=infinity for slurmd)",
    "进程可锁定的内存不够：ulimit -l 可看上限；用 --ulimit memlock=-1 启动"
    "（Slurm：slurmd 的 LimitMEMLOCK=infinity）",
)
_GONE = LocalText(
    "the process at the other end is gone: why that ended is the question, and its log has the "
    "answer",
    "对端进程已不在：要查的是它为什么退出，看它的日志",
)
_FULL = LocalText(
    "the file system of that path is full: df -h PATH, and df -i PATH for the number of files",
    "该路径所在文件系统已满：用 df -h PATH 查看，文件数用 df -i PATH",
)
_FORBIDDEN = LocalText(
    "the container or its security profile (seccomp, SELinux, AppArmor) does not allow the call: "
    "try once with --security-opt seccomp=unconfined, and have that one call allowed",
    "容器或其安全策略（seccomp、SELinux、AppArmor）不允许该调用："
    "用 --security-opt seccomp=unconfined 试一次，再只放行这一个调用",
)
_OTHER_USER = LocalText(
    "the user of the process may not do that there: compare id with ls -ld PATH and its "
    "parents, in "
    "the container as well",
    "进程的用户在该处没有权限：对照 id 与 ls -ld PATH 及其各级上级目录，容器内也要看",
)

CALLS = (
    CallFailed(
        "connect",
        r"(?i)\bconnect(?:\(\)|ing|ion)?\b|socketStartConnect",
        "Call to connect failed: Connection refused",
        MappingProxyType(
            {
                111: LocalText(
                    "nobody listens at that address and port: the process there has ended, is not "
                    "up yet, or listens on another interface or port. See there with ss -ltnp",
                    "该地址和端口没有进程在监听：那边的进程已退出、尚未启动，"
                    "或监听在别的网卡或端口。"
                    "在那台机器上用 ss -ltnp 查看",
                ),
                101: _UNREACHABLE,
                110: _UNREACHABLE,
                113: _UNREACHABLE,
                97: LocalText(
                    "one side uses IPv6 and the other has none: name an IPv4 address or host",
                    "一端用 IPv6 而另一端没有：改用 IPv4 地址或主机名",
                ),
                99: LocalText(
                    "no local port is left, or the address to connect from is not this "
                    "host's: ss -s "
                    "counts the connections, net.ipv4.ip_local_port_range has the ports",
                    "本地端口用尽，或发起连接的地址不属于本机：用 ss -s 看连接数，"
                    "端口范围见 net.ipv4.ip_local_port_range",
                ),
            }
        ),
    ),
    CallFailed(
        "bind",
        r"(?i)\bbind(?:\(\)|ing)?\b",
        "bind: Address already in use",
        MappingProxyType(
            {
                98: LocalText(
                    "another process has the port: ss -ltnp | grep :PORT names it; end "
                    "what is left "
                    "of an earlier run, or take another port",
                    "端口被其他进程占用：ss -ltnp | grep :PORT 可看是谁；结束残留进程，"
                    "或换一个端口",
                ),
                99: LocalText(
                    "the address is not one of this host's: ip -br addr lists them; bind "
                    "to 0.0.0.0, "
                    "or give each node its own address",
                    "该地址不属于本机：用 ip -br addr 列出本机地址；绑定 0.0.0.0，"
                    "或给每个节点各自的地址",
                ),
                13: LocalText(
                    "ports below 1024 are root's: take a higher one",
                    "1024 以下的端口只有 root 能用：换一个更大的端口",
                ),
            }
        ),
    ),
    CallFailed(
        "shm_open",
        r"\bshm_open\b|\bftruncate\b|\bposix_fallocate\b|/dev/shm",
        "Call to posix_fallocate failed : No space left on device",
        MappingProxyType(
            {
                24: _FILES,
                28: LocalText(
                    "the shared memory is full or too small: df -h /dev/shm; start the "
                    "container with "
                    "--shm-size=16g or --ipc=host, and remove files of ended runs",
                    "共享内存太小或已满：用 df -h /dev/shm 查看；用 --shm-size=16g 或 "
                    "--ipc=host 启动容器，"
                    "并清理已结束任务留下的文件",
                ),
                2: LocalText(
                    "there is no /dev/shm in this container, or the process that made the segment "
                    "has another one: share it with --ipc=host",
                    "容器里没有 /dev/shm，或创建该共享内存的进程用的是另一个：用 --ipc=host 共享",
                ),
                13: _OTHER_USER,
            }
        ),
    ),
    CallFailed(
        "mmap",
        r"\bmmap\b|\bmunmap\b|\bmemory[- ]map",
        "Call to mmap failed : Cannot allocate memory",
        MappingProxyType(
            {
                1: _FORBIDDEN,
                12: LocalText(
                    "the host or the container has no memory left for it, or the process "
                    "has as many "
                    "mappings as it may: free -g, the limit of the cgroup, vm.max_map_count",
                    "主机或容器内存不足，或进程的映射数已达上限：查 free -g、cgroup 上限、"
                    "vm.max_map_count",
                ),
                13: _OTHER_USER,
                19: LocalText(
                    "the file system of that file cannot map it (some network and FUSE "
                    "mounts): copy "
                    "the file to a local disk",
                    "该文件所在文件系统不支持映射（部分网络或 FUSE 挂载）：把文件复制到本地盘",
                ),
            }
        ),
    ),
    CallFailed(
        "fork",
        r"(?i)\bv?fork\b|\bclone3?\b|pthread_create|start(?:ing)? (?:a )?(?:new )?thread"
        r"|thread creation",
        "pthread_create failed: Resource temporarily unavailable",
        MappingProxyType(
            {
                1: _FORBIDDEN,
                11: LocalText(
                    "the user or the container has as many processes and threads as it may: ulimit "
                    "-u and pids.max of the cgroup tell how many (docker --pids-limit); "
                    "fewer threads "
                    "in each process (OMP_NUM_THREADS, data loader workers) need fewer",
                    "该用户或容器的进程与线程数已达上限：看 ulimit -u 与 cgroup 的 pids.max"
                    "（docker --pids-limit）；减少每个进程的线程（OMP_NUM_THREADS、data "
                    "loader worker）也可",
                ),
                12: LocalText(
                    "the host has no memory left to promise to a further process: free -g, and "
                    "vm.overcommit_memory",
                    "主机已没有内存可分给新进程：查 free -g 与 vm.overcommit_memory",
                ),
            }
        ),
    ),
    CallFailed(
        "socket",
        r"(?i)\bsocket(?:\(\)| creation| call)?\b",
        "Socket creation failed : Address family not supported by protocol",
        MappingProxyType(
            {
                1: _FORBIDDEN,
                13: _FORBIDDEN,
                24: _FILES,
                32: _GONE,
                97: LocalText(
                    "this host or container has no IPv6 (or not that kind of socket): keep to IPv4 "
                    "(NCCL_SOCKET_FAMILY=AF_INET, an IPv4 address for the server)",
                    "本机或容器没有 IPv6（或不支持该类套接字）：只用 IPv4"
                    "（NCCL_SOCKET_FAMILY=AF_INET，服务端写 IPv4 地址）",
                ),
                104: _GONE,
            }
        ),
    ),
    CallFailed(
        "ibv",
        r"\bibv_\w+|\bmlock(?:all)?\b|\bcudaHostRegister\b",
        "Call to ibv_reg_mr failed with error Cannot allocate memory",
        MappingProxyType({12: _LOCKED, 1: _LOCKED, 11: _LOCKED}),
    ),
    CallFailed(
        "exec",
        r"(?i)\bexec(?:v[pe]{0,2}|l[pe]?)?\b|\bexecut",
        "execve /opt/run.sh: Exec format error",
        MappingProxyType(
            {
                2: LocalText(
                    "the program, or the interpreter in its first line, is not there on this node",
                    "本节点上没有该程序，或没有其首行指定的解释器",
                ),
                8: LocalText(
                    "the file is a program of another architecture (file PATH), or a "
                    "script without "
                    "a first line #!",
                    "该程序属于其他架构（用 file PATH 查看），或脚本缺少 #! 首行",
                ),
                13: LocalText(
                    "the file is not executable, or its file system is mounted noexec: ls -l PATH, "
                    "findmnt -T PATH",
                    "文件没有执行权限，或所在文件系统以 noexec 挂载：ls -l PATH、findmnt -T PATH",
                ),
            }
        ),
    ),
    CallFailed(
        "recv",
        r"(?i)\b(?:recv|send|read|write|sendmsg|recvmsg)(?:\(\)|ing)?\b",
        "recv: Connection reset by peer",
        MappingProxyType({28: _FULL, 32: _GONE, 103: _GONE, 104: _GONE}),
    ),
    CallFailed(
        "open",
        r"(?i)\b(?:f?open(?:at)?|creat(?:e|ing)?|mkdir|stat|access)(?:\(\)|ing)?\b",
        "could not open /data/merges.bin: Permission denied",
        MappingProxyType(
            {
                2: LocalText(
                    "the path is not there for this process: look on that very node and in its "
                    "container, where another mount or working directory may hold",
                    "该进程看不到这个路径：到那个节点、那个容器里看，挂载或工作目录可能不同",
                ),
                13: _OTHER_USER,
                19: LocalText(
                    "the device is not there: the container was not given it (--device, "
                    "--gpus all), "
                    "or its driver is not loaded (lsmod, dmesg)",
                    "设备不存在：没有传给容器（--device、--gpus all），"
                    "或驱动未加载（lsmod、dmesg）",
                ),
                24: _FILES,
                28: _FULL,
                30: LocalText(
                    "that mount can only be read: write to another path, or mount it rw",
                    "该挂载点只读：换一个路径写，或以 rw 挂载",
                ),
                116: LocalText(
                    "the file was replaced or removed on the server while it was open: "
                    "start again, "
                    "and let no job rewrite what others read",
                    "文件在打开期间被替换或删除：重新启动，且不要让别的任务改写正在被读的文件",
                ),
                122: LocalText(
                    "the quota of the user or the project is used up: quota -s, or lfs quota",
                    "用户或项目的配额已用尽：quota -s 或 lfs quota",
                ),
            }
        ),
    ),
)
"""What error numbers mean of the calls that runs die of (the manual pages of section 2); the more
special call first.
"""


def call_meaning(text: str) -> tuple[str, LocalText] | None:
    """What the error number that a text names means of the call that it names: both as a person
    is told, and what to do; None where it names no such pair.
    """
    number = said_by_system(text)
    said = re.sub(_TEXTS, "", text)
    for row in CALLS:
        if number is not None and number in row.means and re.search(row.pattern, said):
            return f"{row.call}, errno {number}", row.means[number]
    return None
