"""The program says that it leaves out what failed.

A harness skips what crashed and goes on with the next. Where that happened three times, it was much
of what there was to do: then it is a failure all the same.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "skipped-by-program", Verdict.RECOVERED
SAYS = Phrase(
    "the program says that it leaves out what failed (line {line})",
    "程序说明已跳过失败的部分（第 {line} 行）",
)
_LEFT_OUT = """\
[skip] Failed to load symnco_tsp50.ckpt: Attempting to deserialize object on CUDA device 7 but \
torch.cuda.device_count() is 6. Please use torch.load with map_location to map your storages to \
an existing device.
"""
_HUNG = "HW Exception by GPU node-2 (Agent handle: 0x63aace0cf9a0) reason :GPU Hang\n"
FIRES = (
    _LEFT_OUT,
    _HUNG + "[warn] problem 47 eval crashed (exit 134); marking skipped\n",
)
SILENT = (
    3 * _LEFT_OUT,
    _HUNG + "[warn] problem 47 eval crashed (exit 134)\n",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The failure's own line."""
    if failure.is_habit or not failure.is_left_out:
        return None
    return Proof((failure.at,))
