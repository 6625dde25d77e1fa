"""The table of lines that tell about the run: MARKERS, and the order of frameworks.

It has the rows of all `frameworks`, and those that belong to none. A line is read with all rows
that fit it, in the order of the table: by kind, what a framework prints before what anybody may.
"""

from logdoctor.formats.assembled import APPLICATIONS, FORMATS, PARTS
from logdoctor.formats.rows import Marker, MarkerKind, installed, phase, told
from logdoctor.model import Phase

__all__ = [
    "APPLICATIONS",
    "FRAMEWORK_ORDER",
    "MARKERS",
    "OF_THE_COURSE",
    "SERVER_START",
    "Marker",
    "MarkerKind",
]

OF_THE_COURSE = frozenset(
    {
        MarkerKind.FRAMEWORK,
        MarkerKind.PHASE,
        MarkerKind.PROGRESS,
        MarkerKind.METRIC,
        MarkerKind.WORLD,
    }
)
"""What healthy logs are full of, and tell again and again."""

FRAMEWORK_ORDER = (*APPLICATIONS, *PARTS)
"""All frameworks: before what a run is built on, what it is."""

_COMMON = (
    installed("flash-attn"),
    *phase(
        Phase.CHECKPOINT,
        (
            r"[Ss]aving checkpoint (?:at|to|episode)|save checkpoint",
            "Saving checkpoint at step 3...",
        ),
    ),
    *told(
        MarkerKind.PROGRESS,
        (
            (
                r"\bEpoch(?:\(train\))? ?\[ *[0-9]+(?:/[0-9]+)?\] ?\[ *(?P<step>[0-9]+)/ "
                r"*(?P<total>[0-9]+)\]"
            ),
            (
                "Epoch [2/70][210/2860]  lr: 9.4e-05, eta: 3 days, 1:22:25, iter_time: 1.34, "
                "mask_bce_loss: 0.0087"
            ),
        ),
        (
            (
                r"\b(?:[Ee]poch[ =:\[#]{1,2}[0-9]+\b.{0,20}\b)?"
                r"(?:[Ss]tep|[Ii]ter(?:ation)?|[Ee]poch)[ =:\[#]{1,2}"
                r"(?P<step>[0-9]+)\b.{0,80}\b(?:loss|reward|acc)"
            ),
            "step 30 loss 0.1234",
        ),
    ),
    *told(
        MarkerKind.PROGRESS,
        (
            r"^\{['\"](?:global_|_|train/)?(?:step|iteration)['\"]: (?P<step>[0-9]+), ['\"]",
            '{"step": 3, "data": {"actor/pg_loss": 0.12}}',
        ),
        (
            r"Train Epoch: [0-9]+ \[[0-9]+/[0-9]+ \([0-9]+%\)\][ \t]+Loss: ",
            "Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.305",
        ),
    ),
    *told(
        MarkerKind.METRIC,
        (
            r"(?:it/s|s/it)\b.{0,300}[ ,](?:train|train_)?(?:loss|reward)(?:_step|_epoch)?=",
            "Epoch 0:  12%|█▏        | 12/100 [00:10<00:20,  5.1it/s, v_num=0, train_loss=2.31]",
        ),
        (
            r"^[0-9]+\|[0-9]+\|Loss: ",
            "1|60|Loss: 2.31:  60%|██████    | 60/100 [00:10<00:20,  5.1it/s]",
        ),
    ),
    *told(
        MarkerKind.NOT_FINITE,
        (
            (
                r"(?:[Ll]oss|[Gg]rad[_ ][Nn]orm)(?:/avg|/mean)?['\"]?(?:[ \t]{0,40}[:=│|][ "
                r"\t]{0,20}|[ \t])['\"]?(?:np\.[a-z0-9]{5,8}\(|tensor\()?[-+]?"
                r"(?:[Nn][Aa][Nn]|[Ii]nf)"
            ),
            "step:83 - actor/pg_loss:nan - actor/grad_norm:np.float64(inf) - critic/score/mean:0.2",
        ),
    ),
    *told(
        MarkerKind.END,
        (
            (
                r"\b(?:[Tt]raining|[Rr]un|[Jj]ob) (?:has )?(?:is "
                r")?(?:complete|completed|finished|done|succeeded)\b"
            ),
            "Training complete",
        ),
        (
            (
                r"(?:^|\W)[Aa]ll (?:[0-9,]+ )?(?:rollouts|iterations|steps|epochs|episodes"
                r"|tasks|jobs|requests|samples|batches|prompts|rounds|trials|evaluations) "
                r"(?:are |were )?(?:done|complete|completed|finished|processed)\W*$"
            ),
            "2026-11-23 02:34:29,865 INFO all iterations complete",
        ),
        (
            r"\b(?:[Ee]xperiment|[Tt]asks|[Ee]xperiments) (?:completed|finished) successfully\b",
            "Experiment completed successfully",
        ),
        (
            r"\bfinished:? [0-9]+ (?:steps|iterations|episodes|epochs)\b",
            "finished: 150 steps, checkpoint saved in /ckpt",
        ),
        (r"=+ [0-9]+ passed(?!.*\berror).* in [0-9.]+", "===== 7 passed, 1 skipped in 2.97s ====="),
        (r"^build succeeded\b", "build succeeded, 293 warnings."),
        (
            (
                r"\b(?:[Ss]cript|[Pp]rogram|[Tt]raining|[Jj]ob) "
                r"(?:completed|finished|exited|ended) with (?:exit |return )?(?:code|status):? "
                r"0\b"
            ),
            "script completed with exit code: 0",
        ),
        (
            r"total generated results have been saved at ",
            "100 total generated results have been saved at generated_predictions.jsonl.",
        ),
    ),
    *told(
        MarkerKind.BEGIN,
        (
            (
                r"(?:^|[\])|>\d:] ?|\t)\++ (?:[A-Z_]+=\S{0,200} )*(?:\S{0,200}/)?"
                r"(?:python[0-9.]*|torchrun|deepspeed|accelerate|srun|mpirun|mpiexec|ray) "
            ),
            "+ torchrun --nproc_per_node 8 train.py",
        ),
        (
            r"Setting OMP_NUM_THREADS environment variable for each process to be ",
            (
                "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, "
                "to avoid your system being overloaded"
            ),
        ),
    ),
    *told(
        MarkerKind.CANCEL,
        (r"\bKeyboardInterrupt:?\s*$", "KeyboardInterrupt"),
        (
            (
                r"^(?:Killed|Terminated|CPU time limit exceeded)\s*$"
                r"|\bline [0-9]+: +[0-9]+ (?:Killed|Terminated|CPU time limit exceeded)\b"
            ),
            "run.sh: line 12:  4012 Killed                  python train.py",
        ),
        (r"\b[Ee]xit(?:ed with)? (?:code|status):? ?(?:137|143|152)\b", "exit code 143"),
    ),
    *told(
        MarkerKind.RESTART,
        (
            (
                r"\b[Rr]estarting (?:the )?(?:actor|worker "
                r"group|training|job|pod|worker)s?\b|\brestarting in [0-9]+"
            ),
            "Restarting actor 3f2a after it died",
        ),
    ),
    *told(
        MarkerKind.WORLD,
        (
            r"\b[Ww](?:orld|ORLD)[_ ](?:size|SIZE)['\"]?[ :=]{1,3}(?P<world>[0-9]{1,6})\b",
            "using world size: 8, data-parallel size: 4",
        ),
    ),
    *told(
        MarkerKind.CUT,
        (
            (
                r"\((?:logs? )?truncated to (?:the )?(?:last )?[0-9,]+ "
                r"(?:chars|characters|lines|bytes)"
            ),
            "Job failed, last available logs (truncated to 20,000 chars):",
        ),
        (
            (
                r"\[(?:[Oo]utput|[Ll]ogs?|[Pp]revious [a-z]+) (?:was |were "
                r")?(?:truncated|omitted)|<(?:[0-9]+ )?truncated(?: lines)?>"
            ),
            "[output truncated]",
        ),
        (
            r"Log exceeds? (?:the )?(?:maximum|limit)|showing (?:only )?the last [0-9,]+ lines",
            "showing the last 1000 lines",
        ),
    ),
)
"""What belongs to no framework."""

_KINDS, _PHASES = list(MarkerKind), [each.value for each in Phase]


def _place(marker: Marker) -> tuple[int, int]:
    """What it tells; of phases, the later one counts where a line tells two."""
    is_phase = marker.kind is MarkerKind.PHASE
    return _KINDS.index(marker.kind), _PHASES.index(marker.value) if is_phase else 0


MARKERS = tuple(
    sorted((*(marker for each in FORMATS for marker in each.markers), *_COMMON), key=_place)
)
"""All of them."""

SERVER_START = next(each.server_start for each in FORMATS if each.server_start)
"""What a server says once when it starts; the other lines at its start are those of libraries."""
