"""Which files are dumps of a hung run: begins_as_dump, is_dump_name, holds_dump.

What a process that hangs leaves is no log: its flight recorder, its stacks. Such files are known by
how they begin; their names only say which files of a folder are worth a look.
"""

import os
import re
import stat

HEAD = 512
"""First bytes by which a dump is known."""

_NAME = re.compile(r"(?i).*\d(?:\.(?:json|pickle|pkl))?")
_PICKLE = re.compile(rb"\x80[\x02-\x05](?:\x95.{8})?[}(\]c\x8cX]", re.DOTALL)
_RECORDER = re.compile(
    rb"""\s*\{\s*"(?:comm_lib_version|nccl_version|entries|pg_config|pg_status|version)"\s*:.*
    "(?:entries|pg_config|pg_status|comm_lib_version|nccl_version|collective_seq_id)"\s*:""",
    re.DOTALL | re.VERBOSE,
)


_STACKS = re.compile(
    rb"""\s*(?:Process\ \d+:\ [^\n]*\nPython\ v\d
    |Stack\ dump\ for\ \S+\ +\d+\s
    |(?:PARTIAL\ DATA:\ [^=]{0,400})?===\ Rank\ \d+:\ [^\n]*\ ===\r?\n
    |(?:Timeout\ \(\d+:\d\d:\d\d(?:\.\d+)?\)!\s+)?
     (?:Current\ thread|Thread)\ 0x[0-9a-fA-F]+\ [^\n]{0,80}\(most\ recent\ call\ first\):
    |\[\s*\{\s*"pid":\s*\d+,\s*"thread_id":
    |Attaching\ to\ process\ \d+)""",
    re.VERBOSE,
)


def is_dump_name(name: str) -> bool:
    """Whether a file of this name (no path) may be one rank's dump: its rank stands at the end."""
    return _NAME.fullmatch(name) is not None


def is_pickle(head: bytes) -> bool:
    """Whether bytes begin as a pickle does."""
    return _PICKLE.match(head) is not None


def begins_as_stacks(head: bytes) -> bool:
    """Whether the first bytes of a file are those of stacks."""
    return _STACKS.match(head[:HEAD]) is not None


def begins_as_dump(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a dump."""
    return is_pickle(head) or begins_as_stacks(head) or _RECORDER.match(head[:HEAD]) is not None


def holds_dump(path: str) -> bool:
    """Whether a plain file of this path is a dump; a file that cannot be read is none."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return begins_as_dump(file.read(HEAD))
    except OSError:
        return False
