"""Which files are dumps of a hung run: begins_as_dump, is_dump_name, holds_dump.

What a process that hangs leaves is no log: its flight recorder, its stacks. Such files are known by
how they begin; their names only say which files of a folder are worth a look.
"""

import os
import re
import stat

HEAD = 512
"""First bytes by which a dump is known."""

_NAME = r"(?i).*\d(?:\.(?:json|pickle|pkl))?"
_PICKLE = rb"(?s)\x80[\x02-\x05](?:\x95.{8})?[}(\]c\x8cX]"
_RECORDER = rb"""(?xs)\s*\{\s*
    "(?:comm_lib_version|nccl_version|entries|pg_config|pg_status|version)"\s*:.*
    "(?:entries|pg_config|pg_status|comm_lib_version|nccl_version|collective_seq_id)"\s*:"""
_STACKS = rb"""(?x)\s*(?:Process\ \d+:\ [^\n]*\nPython\ v\d
    |Stack\ dump\ for\ \S+\ +\d+\s
    |(?:PARTIAL\ DATA:\ [^=]{0,400})?===\ Rank\ \d+:\ [^\n]*\ ===\r?\n
    |(?:Timeout\ \(\d+:\d\d:\d\d(?:\.\d+)?\)!\s+)?
     (?:Current\ thread|Thread)\ 0x[0-9a-fA-F]+\ [^\n]{0,80}\(most\ recent\ call\ first\):
    |\[\s*\{\s*"pid":\s*\d+,\s*"thread_id":
    |Attaching\ to\ process\ \d+
    |(?:\[New\ LWP\ \d+\]\r?\n|\[Thread\ debugging\ using\ \w+\ enabled\]))"""
_RAS = rb"""(?x)NCCL\ version\ [^\n]+\nCUDA\ runtime\ version\ [^\n]+\n\s*Job\ summary
    |Job\ summary\n=+\n\s*Nodes\ +Processes\b
    |\{\s*"nccl_version":[^\n]*\n\s*"cuda_runtime_version":"""
_RAS_BEGIN = (b"NCCL version ", b"Job summary", b"{")
_STACKS_BEGIN = (
    b"Process ", b"Stack dump for ", b"PARTIAL DATA: ", b"=== Rank ", b"Timeout (",
    b"Current thread 0x", b"Thread 0x", b"[", b"Attaching to process ",
)  # fmt: skip
"""What is looked for before an expression is compiled, which most starts do without."""


def is_dump_name(name: str) -> bool:
    """Whether a file of this name (no path) may be one rank's dump: its rank stands at the end."""
    return re.fullmatch(_NAME, name) is not None


def is_pickle(head: bytes) -> bool:
    """Whether bytes begin as a pickle does."""
    return head[:1] == b"\x80" and re.match(_PICKLE, head) is not None


def begins_as_stacks(head: bytes) -> bool:
    """Whether the first bytes of a file are those of stacks."""
    begun = head[:HEAD].lstrip()
    return begun.startswith(_STACKS_BEGIN) and re.match(_STACKS, begun) is not None


def may_be_log(head: bytes) -> bool:
    """Whether a file that begins as stacks do may be a log all the same: any but one of JSON."""
    return re.match(rb"\s*\[\s*\{", head) is None


def begins_as_ras(head: bytes) -> bool:
    """Whether the first bytes of a file are those of reports of NCCL's RAS."""
    begun = head[:HEAD].lstrip()
    return begun.startswith(_RAS_BEGIN) and re.match(_RAS, begun) is not None


def begins_as_dump(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a dump."""
    begun = head[:HEAD].lstrip()
    is_recorder = begun[:1] == b"{" and re.match(_RECORDER, begun) is not None
    return is_recorder or is_pickle(head) or begins_as_stacks(begun) or begins_as_ras(begun)


def holds_dump(path: str) -> bool:
    """Whether a plain file of this path is a dump; a file that cannot be read is none."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return begins_as_dump(file.read(HEAD))
    except OSError:
        return False
