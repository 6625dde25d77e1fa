"""What an error looks like in a log: ERROR_LINES, and all that is derived from it.

The automaton's anchors, the parser's types of exceptions, the crashes, and the complaint that a
source ends with say the same of a line, because they come from these rows. Expressions are for
Hyperscan (raw bytes, `^` and `$` at line ends) and for `re` alike; a test holds every row to its
samples and its near misses.
"""

import re
from typing import NamedTuple

from logdoctor.formats.bare_codes import WARNED
from logdoctor.formats.exit_codes import DEATH_NOTICE, SIGNAL_STATUS
from logdoctor.formats.marked import Marked, fits_any
from logdoctor.formats.system_errors import SAID
from logdoctor.model import AnchorKind

HEADER_TEXT = "Traceback (most recent call last):"
"""How Python begins a traceback."""

ENDINGS = ("Error", "Exception", "ExceptionGroup", "Interrupt", "Exit")
"""How names of exceptions end that nothing else is called by."""

OTHER_ENDINGS = (
    "Timeout",
    "Failure",
    "Fault",
    "Died",
    "Crashed",
    "NotFound",
    "Unavailable",
    "Invalid",
    "Full",
    "Empty",
    "Expired",
    "Disconnected",
)
"""How names of exceptions end that settings end with as well (`ConnectTimeout: 30`): they are
exceptions where they say something in words.
"""

_END_OF_TYPE = r"(?:\((?:\w+\.)*[A-Z]\w*\))?(?:\x1b\[[0-9;]*m)*[ \t]*"
"""What may stand between the type of an exception and its colon (also the Chinese one)."""

_PRINTED = _END_OF_TYPE + r"(?::|：|\r?$)"
"""What stands behind a type that is printed, not only spoken of."""

_LETTER, _IDEOGRAPHS = r"[^\W\d_]", r"[^\x00-\x7f]{2}"
_WORD = rf"[(\"'`<\[]?{_LETTER}{{2}}"
_SKIPPED = r"(?:[^\s#]+[ \t]+){0,2}"
_IN_WORDS = rf"(?::|：)[ \t]*{_SKIPPED}(?:{_WORD}[^\s#]*[ \t]+{_SKIPPED}{_WORD}|{_IDEOGRAPHS})"
"""A message of two words at least; a number with its unit, a flag and a name are none."""

_IN_BYTES = ((_LETTER, r"[A-Za-z\x80-\xff]"), (_IDEOGRAPHS, r"[\x80-\xff]{6}"))
"""How letters are searched in UTF-8."""


def _one_of(endings: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(endings)})"


class ErrorLine(NamedTuple):
    """One way in which an error is printed.

    Attributes:
        name: what it is.
        kind: what it is to the automaton.
        expression: what lights up.
        samples: lines that do.
        near_misses: lines like them that do not.
        is_crash: whether it says by itself that a process came to its end.
        is_report: whether it only reports that something failed, of which the reason stands
            elsewhere.
        marks: of an error: texts of which each line that it fits has one.
    """

    name: str
    kind: AnchorKind
    expression: str
    samples: tuple[str, ...]
    near_misses: tuple[str, ...] = ()
    is_crash: bool = False
    is_report: bool = False
    marks: tuple[str, ...] = ()

    @property
    def marked(self) -> Marked:
        """What tells such a line from others."""
        return Marked(self.expression, self.marks)


_NOT_ZERO = r"(?:-[0-9]|[1-9])[0-9]{0,2}(?:[^0-9.:%/\w\n]|\.?[ \t\r]|\.?$)"

_A_COMMAND = (
    r"(?:\.(?:py|sh|bash|sbatch|slurm|job|exe)|\b(?:[Jj]ob|[Cc]ommand|[Pp]rocess|[Tt]ask|[Ss]cript"
    r"|[Pp]rogram|[Tt]raining|[Ww]orker|[Rr]ank|python3?|torchrun|srun|mpirun)(?: [0-9]+)?)"
)
_ENDS_SO = SIGNAL_STATUS + r"(?:[^\w .%:/\n]|\.?[ \t]*\r?$)"
"""Of a word that says other things as well, only a status that means a signal counts."""

ERROR_LINES = (
    ErrorLine(
        "Python's traceback",
        AnchorKind.TRACEBACK,
        r"Traceback \(most recent|recent call last\):",
        (HEADER_TEXT, "Trace?ack (most recent call last):"),
        ("The traceback is printed above.",),
    ),
    ErrorLine(
        "frames, entries of torchrun's table, parts of a container's line",
        AnchorKind.FRAME,
        r"\", line [0-9]+|exitcode ? ?: -?[0-9]+ \(pid|std(?:out|err) P ",
        (
            '  File "/app/train.py", line 12, in main',
            "  exitcode  : -9 (pid: 4011)",
            "2019-04-30T02:12:41.8443515Z stdout P text",
        ),
        ("exitcode: 0", "see line 12 of train.py"),
    ),
    ErrorLine(
        "frames and lines of code as IPython and rich's boxes have them",
        AnchorKind.FRAME,
        (
            r"\.py:[0-9]+, in [A-Za-z_<]|\.py in [A-Za-z_<][A-Za-z0-9_.<>]*\("
            r"|(?:Cell|Input) In ?\[[0-9]+\], (?:line [0-9]|in <)|<ipython-input-[^>\n]{1,60}> in "
            r"|(?:^|[ \t])-{1,4}> [0-9]{1,6} +[^ \t\r\n]|❱ +[0-9]{1,6} "
        ),
        (
            "File ~/app/engine.py:49, in Cache.fill(self)",
            "/opt/app/engine.py in fill(self)",
            "Cell In[3], line 5",
            "Input In [3], in <cell line: 1>()",
            "<ipython-input-3-0f2d6d1e7c1a> in <module>",
            "---> 49     self.pages = self.take(count)",
            "│ ❱  49 │   self.pages = self.take(count)  │",
        ),
        ("lr 0.1 -> 0.05", "engine.py, line 49", "the rule in engine.py:49 holds"),
    ),
    ErrorLine(
        "an exception",
        AnchorKind.ERROR,
        r"[A-Za-z_.]" + _one_of(ENDINGS) + _PRINTED,
        (
            "RolloutError: waited 30 s for the rollout server, giving up",
            "ray.exceptions.RayTaskError(ValueError): a bad one",
            "binascii.Error: Incorrect padding",
            "KeyboardInterrupt",
            "ValueError： 维度不一致",
        ),
        ("it may raise ValueError when the queue is empty", "Error handling: enabled"),
        marks=ENDINGS,
    ),
    ErrorLine(
        "an exception whose name may be that of a setting",
        AnchorKind.ERROR,
        r"[A-Za-z_.]" + _one_of(OTHER_ENDINGS) + _END_OF_TYPE + _IN_WORDS,
        (
            "RolloutTimeout: waited 30 s for the rollout server, giving up",
            "queue.Full: no room for 3 more samples",
            "EngineDied: exit code 9",
            "ServerUnavailable: 3 of 8 workers did not answer",
            "subprocess.TimeoutExpired: Command 'sleep 9' timed out after 3 seconds",
            "RolloutTimeout: 等待推理服务超时，放弃",
        ),
        (
            "ConnectTimeout: 30",
            "ConnectTimeout: 30 seconds",
            "StrategyFull: FULL_SHARD",
            "ServerUnavailable: false",
            "RolloutTimeout: 300  # how long to wait for a server",
            "a RolloutTimeout is raised where a server does not answer",
            "QueueFull:",
        ),
        marks=OTHER_ENDINGS,
    ),
    ErrorLine(
        "a level after which programs end",
        AnchorKind.ERROR,
        r"\b(?:FATAL|CRITICAL)\b",
        ("FATAL: out of tokens", "[CRITICAL] WORKER TIMEOUT (pid:7)"),
        ("nonfatal: retrying", "critical_path: 12"),
        marks=("FATAL", "CRITICAL"),
    ),
    ErrorLine(
        "Python's own end",
        AnchorKind.ERROR,
        r"Fatal Python error",
        ("Fatal Python error: Segmentation fault",),
        is_crash=True,
        marks=("Fatal Python error",),
    ),
    ErrorLine(
        "an uncaught C++ exception",
        AnchorKind.ERROR,
        r"terminate called after throwing",
        ("terminate called after throwing an instance of 'c10::Error'",),
        ("the handler is called after throwing away the batch",),
        is_crash=True,
        marks=("terminate called after throwing",),
    ),
    ErrorLine(
        "a signal that ends a process",
        AnchorKind.ERROR,
        r"[Ss]egmentation fault|(?:^|[^\w-])Bus error|core dumped|\*\*\* SIG[A-Z]{3,4} ",
        (
            "run.sh: line 7:  4012 Segmentation fault      (core dumped) python train.py",
            "*** SIGSEGV received at time=1733 ***",
            "Bus error (core dumped)",
        ),
        (
            "core dump is disabled",
            "handler for SIGTERM installed",
            "the D-Bus error org.freedesktop.DBus error",
        ),
        is_crash=True,
        marks=("egmentation fault", "Bus error", "core dumped", "*** SIG"),
    ),
    ErrorLine(
        "a shell's notice of a command that a signal ended",
        AnchorKind.ERROR,
        DEATH_NOTICE,
        (
            "job.sh: line 3:  9837 CPU time limit exceeded python train.py",
            "job.sh: line 2: 26262 File size limit exceededpython train.py",
            "/var/spool/slurmd/job7/slurm_script: line 40: 125 Aborted   (core dumped) ./run",
            "run.sh: line 12:  4012 Killed                  python train.py",
        ),
        (
            "job.sh: line 3: the CPU time limit exceeded what was asked for",
            "reading line 12: 4 killed processes of the list",
        ),
        is_crash=True,
        marks=("line ",),
    ),
    ErrorLine(
        "a shell's complaint of a line of a script",
        AnchorKind.ERROR,
        (
            r"(?:\b(?:ba|z|da|k)?sh|\.(?:sh|bash|sbatch|slurm|job)|slurm_script): "
            r"(?:line )?[0-9]+: (?:[^ :\n]+: [a-zA-Z]|syntax error)"
        ),
        (
            "run.sh: line 12: python3.12: command not found",
            "/bin/sh: 1: nvcc: not found",
            "/var/spool/slurmd/job12/slurm_script: line 7: /opt/env.sh: No such file or directory",
            "train.sh: line 40: syntax error near unexpected token `fi'",
        ),
        ("run.sh: line 12 was skipped", "sh: 1 of 3"),
        is_report=True,
        marks=("sh: ", ".sbatch: ", ".slurm: ", ".job: ", "slurm_script: "),
    ),
    ErrorLine(
        "tests that failed",
        AnchorKind.ERROR,
        (
            r"\bFAILED [^ ]{1,200}::[^ ]"
            r"|={3,} .{0,60}\b[1-9][0-9]{0,5} (?:failed|errors?)\b.{0,80} in [0-9]"
            r"|FAILED \((?:failures|errors)=[1-9]"
        ),
        (
            "FAILED tests/test_ops.py::test_fold - assert 1 == 2",
            "===== 2 failed, 7 passed in 3.10s =====",
            "FAILED (failures=2, errors=1)",
        ),
        ("===== 7 passed in 3.10s =====", "0 failed, 7 passed", "failed: 0"),
        is_report=True,
        marks=("FAILED ", "==="),
    ),
    ErrorLine(
        "faulthandler's alarm",
        AnchorKind.ERROR,
        r"Timeout \([0-9]{1,4}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?\)!",
        ("Timeout (0:00:20)!", "Timeout (1:00:00.500000)!"),
        ("Timeout (0:00:20)", "Timeout: 20"),
        is_report=True,
        marks=("Timeout (",),
    ),
    ErrorLine(
        "a process that ended with a code other than 0",
        AnchorKind.ERROR,
        (
            r"\b[Ee]xit(?:ed|s|ing)?(?: with)?(?: (?:a |an )?(?:non-zero |exit |return |error ))?"
            r"[ _-]?(?:code|status)[ :=]{1,3}\(?"
            + _NOT_ZERO
            + r"|\b[Rr]eturn(?:ed|s)?[ _-]?(?:with )?"
            r"(?:exit )?code[ :=]{1,3}"
            + _NOT_ZERO
            + r"|\bexited with "
            + _NOT_ZERO
            + r"|\b(?:(?:[Ee]xit[Cc]ode|EXIT[ _](?:CODE|STATUS)) ?[:=]? ?"
            r"|(?:rc|RC|returncode) ?[:=] ?)"
            + _NOT_ZERO
            + r"|\b(?:exited|ended|terminated|finished|died)(?: abnormally)? with "
            r"(?:an? )?(?:non-zero |error |exit |return ){0,2}(?:code|status)[ :=]{1,3}"
            + _NOT_ZERO
            + r"|\b[Ee]xited \([1-9][0-9]{0,2}\)|(?:^|[\])>:|] )\+{1,3} exit [1-9]"
            + r"|退出(?:码|代码|状态)(?:[ :=]|：|为){0,3}"
            + _NOT_ZERO
            + rf"|(?:\brc ?[:=] ?|{_A_COMMAND} (?:ended|failed|died|finished) with ){_ENDS_SO}"
        ),
        (
            "Rank 3 exited with code 1",
            "job finished, exit code: 2",
            "worker 4 exited with exit code -11",
            "launcher: exited with status 127",
            "the command returned code 3",
            "the last step ended, rc=1",
            "pod terminated: exitCode: 137",
            "EXIT CODE 1",
            "python exited abnormally with status 3",
            "ended with error code 1",
            "container trainer_1 exited (1)",
            "+ exit 1",
            "进程已结束，退出码：1",
            "train.py ended with 152",
            "[job] FAILED rc=139",
            "worker 3 died with 137.",
        ),
        (
            "exit code: 0",
            "exited with code 0",
            "see the list of exit codes",
            "exit_code=0",
            "episode ended with 137 points",
            "rc=0",
            "sum.py ended with 152 rows",
            "rc=137.5",
            "version 2.1rc1",
            "torch 2.5 rc1",
        ),
        is_report=True,
        marks=(
            "xit",
            "EXIT",
            "eturn",
            "rc:",
            "rc=",
            "rc ",
            "RC:",
            "RC=",
            "RC ",
            "code",
            "status",
            "退出",
            "ed with ",
        ),
    ),
    ErrorLine(
        "a process that a signal has ended",
        AnchorKind.ERROR,
        (
            r"\b(?:[Tt]erminated|[Kk]illed|[Dd]ied|[Cc]rashed|[Ee]xited|[Aa]borted)"
            r"(?: (?:by|with|on))?(?: the)? "
            r"(?:signal (?:[346-9]|11)\b|(?:signal )?\(?SIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)\b)"
            r"|\b(?:[Cc]aught|[Rr]eceived|[Gg]ot) (?:fatal )?(?:signal )?"
            r"SIG(?:SEGV|ABRT|BUS|ILL|FPE)\b"
            r"|(?:^|[\])>:|] )Aborted\s*$"
        ),
        (
            "worker 3 was terminated by signal 9",
            "Killed by signal 11",
            "worker died with signal 6 (SIGABRT)",
            "Process 12 terminated with signal SIGKILL",
            "received SIGSEGV, dumping stacks",
            "Aborted",
        ),
        ("terminated by signal 15", "a handler for SIGSEGV is installed", "Aborted by the user"),
        is_report=True,
        marks=("signal ", "SIG", "Aborted"),
    ),
    ErrorLine(
        "a build or an installation that failed",
        AnchorKind.ERROR,
        (
            r"\bmake(?:\[[0-9]+\])?: \*\*\* |\bCMake Error|\bnpm ERR! |\bninja: build stopped: "
            r"|\berror(?:\[E[0-9]+\])?: could not compile "
            r"|\bE: (?:Unable|Package|Failed|Sub-process) |\bERROR conda\."
        ),
        (
            "make[2]: *** [Makefile:12: all] Error 2",
            "CMake Error at CMakeLists.txt:7 (find_package):",
            "npm ERR! code ENOENT",
            "ninja: build stopped: subcommand failed.",
            "error: could not compile `tokenizers` (lib) due to 2 previous errors",
            "E: Unable to locate package libfoo",
            "ERROR conda.core.link:_execute(700): An error occurred while installing",
        ),
        ("make: Nothing to be done for 'all'.", "CMake Warning at CMakeLists.txt:7"),
        is_report=True,
        marks=(
            "*** ",
            "CMake Error",
            "npm ERR! ",
            "ninja: ",
            "could not compile ",
            "E: ",
            "ERROR conda.",
        ),
    ),
    ErrorLine(
        "a service that failed",
        AnchorKind.ERROR,
        (
            r"Main process exited, code=(?:exited|killed|dumped), status=[1-9]|Failed with result "
            r"'[a-z]"
        ),
        (
            "train.service: Main process exited, code=exited, status=1/FAILURE",
            "train.service: Failed with result 'exit-code'.",
        ),
        ("train.service: Main process exited, code=exited, status=0/SUCCESS",),
        is_report=True,
        marks=("Main process exited", "Failed with result"),
    ),
    ErrorLine(
        "why a call of the system failed",
        AnchorKind.REASON,
        rf"{'|'.join(SAID)}|\[Errno [0-9]{{1,3}}\]|\b[Ee]rrno[ =:]{{1,2}}[0-9]{{1,3}}\b",
        (
            "fabricd: open /dev/fabric3: No such device",
            "could not open /data/merges.bin: Permission denied",
            "bind failed with errno 98",
        ),
        ("errno is not set", "permission to read was granted"),
    ),
    ErrorLine(
        "what NCCL warns of",
        AnchorKind.REASON,
        rf"(?:{WARNED}) .{{0,300}}(?:[Ff]ail|[Ee]rror|[Cc]ould not|[Uu]nable|[Cc]annot)",
        (
            "misc/shmutils.cc:45 NCCL WARN Call to shm_open failed : Too many open files",
            "include/socket.h:300 WARN Socket creation failed : Address family not supported",
        ),
        ("NCCL WARN MIN_BUF is 4", "NCCL INFO 3 channels are in use"),
    ),
)

EXCEPTION = (
    rf"(?:[A-Za-z_]\w*\.)*(?:_{{0,2}}[A-Z]\w*|(?<=\.)){_one_of(ENDINGS + OTHER_ENDINGS)}"
    r"(?:\([\w.]+\))?(?=\s*(?::(?!:)|：)|\s*$)"
)
"""The type of an exception at the beginning of a line; behind two colons stands a member of it."""

TYPE = r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:\([\w.]+\))?(?=\s*[:：]\s|[:：]?\s*$|[:：]$)"
"""What may be one where a traceback ends."""

MAY_BE_TYPED = r"[\w.]{3,80}(?:\([\w.]+\))?(?::|$)"
"""What patterns for exceptions are tried on."""

BEGINS_EXCEPTION = rf"[A-Za-z_][\w.]*(?:{_one_of(ENDINGS)}\b|{_one_of(OTHER_ENDINGS)}(?=: ))"
"""What tells in the middle of a line that an exception is printed from there on."""

DELIBERATE = (
    r"(?:\w+\.)*(?:KeyboardInterrupt|SystemExit|GeneratorExit|StopIteration|StopAsyncIteration)\b"
)
"""Exceptions that are no errors by themselves."""

CRASH = tuple(row.marked for row in ERROR_LINES if row.is_crash)
"""What says by itself that a process came to its end."""

_A_CRASH = r"[Ss]egmentation fault"
_OF_ANOTHER = r"(?!(?:after|because|crashed|died|due|following|from|got|hit|on|since|was|were)\b)"
"""What a word behind such a one is not: then the crash itself has happened."""

_SPOKEN_OF = (
    rf"{_A_CRASH}s|Bus errors"
    r"|(?:\b(?:may|might|can|could|will|would|shall|should|must|not|never|likely|without|avoid(?:s|ed"
    r"|ing)?|prevent(?:s|ed|ing)?|fix(?:es|ed|ing)?|cause|to (?:cause|notify|trigger))|n't)"
    rf"(?: {_OF_ANOTHER}[\w,/]+){{0,5}} {_A_CRASH}"
    r"|\b(?:(?:[Ee]xit|[Rr]eturn|[Ff]ail)s?|[Dd]ies?) with (?:an? )?(?:non-zero |exit |return "
    r"|error )*(?:code|status)[ :=]+-?\d+ (?:if|when|unless)\b"
)
"""Crashes of which a sentence says that they may come, do not come, or are mended; those in the
plural; and with what a program ends when something happens: nobody prints that of his own end.
"""

REPORT = tuple(row.marked for row in ERROR_LINES if row.is_report)
"""What only reports that something failed."""

DELIBERATE_ENDS = r"(?:\w+\.)*(?:Stop(?:Async)?Iteration\b|SystemExit: -?[1-9])"
"""Of these, what is an error where nobody caught it."""

_ERRORS = tuple(row for row in ERROR_LINES if row.kind is AnchorKind.ERROR)
FAILURE = Marked(
    "|".join(
        (
            "Traceback|[Ee]rror|ERROR|Exception|[Ff]ailed|Killed",
            *(row.expression for row in _ERRORS),
        )
    ),
    (
        *("Traceback", "rror", "ERROR", "Exception", "ailed", "Killed"),
        *(mark for row in _ERRORS for mark in row.marks),
    ),
)
"""What no line says before something failed."""

_ABORT = "F[0-9]{4} [0-9]{2}:[0-9]{2}:"
"""How glog's fatal records begin, after which the process aborts."""

ERROR_LEVEL = rf"(?i:\b(?:error|fatal|critical)\b)|错误|\b{_ABORT}"
"""How the prefix of a record says that it is an error."""

_REFUSED_BY_THE_SYSTEM = (
    r"(?:No such file or directory|Permission denied|No space left on device|Disk quota exceeded"
    r"|Input/output error|Read-only file system|File exists|(?:Is|Not) a directory"
    r"|Stale file handle|Cannot allocate memory)"
)
"""What the C library says of errno, as the programs of a shell script pass it on."""

_OPTION = r"(?:option|flag|argument|parameter|switch|subcommand|command)s?\b"
_OF_ITS_CALL = (
    r"(?i:(?:unknown|unrecogni[sz]ed|invalid|illegal|ambiguous|unexpected|unsupported|no such"
    rf"|missing) (?:command[- ]line |required |positional |extra )?{_OPTION}(?: ?[-:'\"`]| [a-z]\b)"
    rf"|{_OPTION} [^\s]{{1,80}} (?:requires|needs|expects) (?:a|an|one)\b"
    r"|option requires an argument|flag (?:provided but not defined|needs an argument))"
    r"(?!.{0,400}\b(?:ignor|skipp|will be|instead))"
)
"""How parsers of command lines refuse what a program was called with."""

COMPLAINT = (
    r"(?:[A-Za-z][\w.+-]{1,40}: ){0,2}"
    r"(?:(?:Fatal error|[Ee]rror|ERROR|[Ff]atal|FATAL|CRITICAL|Exception|错误) "
    rf"?[:：] ?|(?=cannot .{{1,400}}: {_REFUSED_BY_THE_SYSTEM}$|{_OF_ITS_CALL}))"
    r"(?P<said>[^\d\s].*)"
)
"""A line that says of itself that it is an error, also behind the names of the host and of the
program that has it (`slurmstepd: error: …`, `cp: cannot stat 'x': No such file or directory`), or
that a program cannot be called so (`run.sh: invalid option -- 'z'`); at the end of a source, and
above a mere report that something failed, it is all that some programs say.
"""

NAMES_REASON = (
    r"(?:^|[\s\[(=])--?[A-Za-z]|['\"`‘“][^\s'\"`]|[\w~.}]?/[\w.]|\w[._=]\w|\w\[|[:：] *\S"
    r"|\b[a-z]+[A-Z]\w|\b\d"
)
"""What only a complaint holds that names why: an option, a quoted word, a path, a key, a value, a
cause behind a colon. `job failed` and `aborting` name nothing.
"""

IN_COMPLAINTS = f"(?i)error|fatal|critical|exception|cannot |错误|{_OF_ITS_CALL}|{_ABORT}".encode()
"""What all complaints and records of errors hold, to be searched in bytes."""


def anchors() -> tuple[tuple[AnchorKind, bytes], ...]:
    """What the automaton searches in raw bytes, line by line."""
    return tuple((row.kind, _searched(row.expression)) for row in ERROR_LINES)


def _searched(expression: str) -> bytes:
    for in_text, in_bytes in _IN_BYTES:
        expression = expression.replace(in_text, in_bytes)
    return expression.encode()


def tells_of_crash(message: str) -> bool:
    """Whether a message says that a process came to its end, and does not only speak of such."""
    return _tells(CRASH, message)


def tells_of_report(text: str) -> bool:
    """Whether a line reports that something failed, and does not only speak of such."""
    return _tells(REPORT, text)


def _tells(rows: tuple[Marked, ...], text: str) -> bool:
    return fits_any(rows, text) and fits_any(rows, re.sub(_SPOKEN_OF, "", text))


def is_said(exception: str, message: str) -> bool:
    """Whether a message that begins with this type tells of an exception: it says something, and
    is not the value of a setting.
    """
    if exception.partition("(")[0].endswith(ENDINGS):
        return ":" in message or "：" in message
    return re.search(_IN_WORDS, message) is not None
