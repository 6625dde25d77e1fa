"""What Python's own exceptions and the system's error numbers mean, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logdoctor.formats.system_errors import call_meaning, numbered
from logdoctor.model import LocalText

ERRNO_MEANINGS: Mapping[int, LocalText] = MappingProxyType(
    {
        1: LocalText("the operation is not permitted", "不允许该操作"),
        2: LocalText("there is no such file or directory", "没有该文件或目录"),
        4: LocalText("a signal interrupted the call", "调用被信号打断"),
        5: LocalText("the disk or network file system failed", "磁盘或网络文件系统出错"),
        7: LocalText(
            "the arguments of the command and its environment are too long together",
            "命令参数与环境变量合计过长",
        ),
        8: LocalText("the file is no program for this machine", "该文件不是本机可执行的程序"),
        9: LocalText("the file or connection was closed already", "文件或连接已被关闭"),
        11: LocalText("a resource is used up for now", "资源暂时不可用"),
        12: LocalText("the host had no memory left", "主机内存不足"),
        13: LocalText("the user of this process may not do that", "当前用户没有相应权限"),
        14: LocalText(
            "the kernel was given memory that the process does not have",
            "传给内核的内存地址不属于该进程",
        ),
        16: LocalText("the file or device is in use", "文件或设备正被占用"),
        17: LocalText("the file is there already", "文件已存在"),
        18: LocalText("a file cannot be renamed to another file system", "文件不能跨文件系统改名"),
        19: LocalText("there is no such device", "没有该设备"),
        20: LocalText(
            "a part of the path is a file, not a directory", "路径中的某一级是文件而不是目录"
        ),
        21: LocalText("the path is a directory", "该路径是目录"),
        22: LocalText("the system does not accept an argument", "系统不接受某个参数"),
        23: LocalText("the whole system has too many open files", "系统打开的文件过多"),
        24: LocalText(
            "this process has too many open files (ulimit -n)", "进程打开的文件过多（ulimit -n）"
        ),
        26: LocalText("the file is being executed", "文件正在被执行"),
        27: LocalText(
            "the file is larger than the file system or ulimit -f allows",
            "文件超过文件系统或 ulimit -f 的上限",
        ),
        28: LocalText("the file system is full", "文件系统已满"),
        30: LocalText("the file system can only be read", "文件系统只读"),
        32: LocalText("the other end of a pipe or socket was gone", "管道或套接字另一端已不在"),
        36: LocalText("a file name is too long", "文件名过长"),
        39: LocalText("the directory is not empty", "目录非空"),
        40: LocalText("links lead to each other in a circle", "符号链接互相指向，形成循环"),
        90: LocalText("a message is too long for the socket", "消息超过套接字允许的长度"),
        95: LocalText("the file system or device cannot do that", "该文件系统或设备不支持此操作"),
        97: LocalText(
            "the system has no such kind of address (IPv6, mostly)",
            "系统不支持该地址族（多为 IPv6）",
        ),
        98: LocalText("another process uses the port already", "端口已被其他进程占用"),
        99: LocalText("this host does not have that address", "本机没有该地址"),
        100: LocalText("the network is down", "网络未启用"),
        101: LocalText("there is no route to that network", "网络不可达"),
        103: LocalText("this host's own system ended the connection", "连接被本机系统中止"),
        104: LocalText("the other end closed the connection", "对端关闭了连接"),
        105: LocalText("the kernel has no room for more network buffers", "内核网络缓冲区不足"),
        107: LocalText("the socket is not connected", "套接字尚未连接"),
        110: LocalText("the connection timed out", "连接超时"),
        111: LocalText("nobody listened at that address and port", "该地址和端口没有进程在监听"),
        112: LocalText("the other host is down", "对方主机不在线"),
        113: LocalText("there is no route to that host", "无法到达该主机"),
        116: LocalText(
            "the file on the network file system was replaced or removed",
            "网络文件系统上的文件已被替换或删除",
        ),
        121: LocalText(
            "the device or network file system failed on the other side",
            "设备或网络文件系统的远端出错",
        ),
        122: LocalText("the disk quota is used up", "磁盘配额已用尽"),
    }
)
"""By the number, as Linux has it (include/uapi/asm-generic/errno*.h)."""

EXCEPTION_MEANINGS: Mapping[str, LocalText] = MappingProxyType(
    {
        "AssertionError": LocalText(
            "an assert in the code did not hold", "代码中的 assert 条件不成立"
        ),
        "AttributeError": LocalText(
            "an object has no attribute of that name", "对象没有该名称的属性"
        ),
        "BrokenPipeError": LocalText(
            "the process at the other end of a pipe or socket was gone",
            "管道或套接字另一端的进程已不在",
        ),
        "ConnectionRefusedError": ERRNO_MEANINGS[111],
        "ConnectionResetError": ERRNO_MEANINGS[104],
        "EOFError": LocalText(
            "a file or connection ended before what was expected", "文件或连接提前结束"
        ),
        "FileExistsError": ERRNO_MEANINGS[17],
        "FileNotFoundError": LocalText("there is no such file on this node", "本节点上没有该文件"),
        "ImportError": LocalText(
            "a module was found, and could not be loaded or lacks the name",
            "模块存在，但加载失败或缺少所需名称",
        ),
        "IndexError": LocalText("an index lies beyond the end", "下标超出范围"),
        "KeyError": LocalText("a mapping has no such key", "映射中没有该键"),
        "MemoryError": ERRNO_MEANINGS[12],
        "ModuleNotFoundError": LocalText(
            "the module is not installed in this environment", "当前环境未安装该模块"
        ),
        "NameError": LocalText("the name was never assigned", "该名称从未赋值"),
        "NotImplementedError": LocalText(
            "the code has no implementation for this case", "代码没有实现这种情况"
        ),
        "PermissionError": ERRNO_MEANINGS[13],
        "RecursionError": LocalText("a function called itself without an end", "函数无限递归"),
        "StopIteration": LocalText(
            "an iterator was empty and nobody caught that", "迭代器已耗尽，而异常未被捕获"
        ),
        "TimeoutError": LocalText(
            "what was waited for did not come in time", "等待的操作未在时限内完成"
        ),
        "TypeError": LocalText(
            "a value has a type that the operation or call does not take",
            "该操作或调用不接受这种类型的值",
        ),
        "UnboundLocalError": LocalText(
            "a variable was read before the function assigned it", "变量在函数内赋值之前被读取"
        ),
        "UnicodeDecodeError": LocalText(
            "the bytes are not text in the encoding that was assumed",
            "字节内容不符合所假定的编码",
        ),
        "ValueError": LocalText(
            "the value has the right type, and is not one that the code accepts",
            "值的类型正确，但内容不符合要求",
        ),
        "ZeroDivisionError": LocalText("something was divided by 0", "除数为 0"),
    }
)
"""By the class, as far as that says more than the message; not RuntimeError, which says nothing."""


def meaning_of(exception: str | None, message: str) -> tuple[str, LocalText] | None:
    """The call and the error number, the number alone, or else the class, and what it means; None
    where none of them says more than the message.
    """
    of_call = call_meaning(message)
    if of_call:
        return of_call
    number = numbered(message)
    if number is not None and number in ERRNO_MEANINGS:
        return f"errno {number}", ERRNO_MEANINGS[number]
    name = (exception or "").rpartition(".")[2]
    return (name, EXCEPTION_MEANINGS[name]) if name in EXCEPTION_MEANINGS else None
