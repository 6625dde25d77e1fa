"""What the last lines of a log say of its run: that it came to a good end, that it waits, that
something failed.

A test holds every row to its samples and its near misses. They are asked of last lines only, and
of runs of which nothing tells of a failure: elsewhere many lines say the same of a part of a run.
"""

import re
from typing import NamedTuple


class ClosingWords(NamedTuple):
    """How programs say it: a regex for a line without its prefixes, lines that it fits, and lines
    like them that it does not.
    """

    pattern: str
    samples: tuple[str, ...]
    near_misses: tuple[str, ...] = ()


_WHAT = (
    r"(?:[Tt]rain(?:ing)?|[Rr]un|[Jj]ob|[Ss]cript|[Pp]rogram|[Pp]rocess|[Ee]xperiment|[Ee]val\w*"
    r"|[Ii]nference|[Tt]asks?|[Bb]enchmark|[Tt]ests?|[Bb]uild|[Pp]ipeline|[Mm]onitoring|[Ww]orkflow"
    r"|[Ff]ine-?tuning|[Cc]onversion|[Ee]xport|[Dd]eployment|[Ee]verything|[Aa]ll)"
)
_DONE = (
    r"(?:is |are |was |were |has |have |been )*(?:now )?(?:successfully )?"
    r"(?:[Cc]ompleted?|[Ff]inish(?:ed|es)|[Dd]one|[Ss]ucceeded|[Ss]uccessful|[Ee]nded normally)\b"
)
_UNIT = (
    r"(?:epochs?|steps?|iter(?:ation)?s?|rounds?|episodes?|samples?|examples?|prompts?|problems?"
    r"|tasks?|batch(?:es)?)"
)
_PART = (
    r"(?i:(?:(?:pre)?load|download|initiali[sz]|start|warm|compil|captur|preprocess|tokeniz|prepar"
    r"|allocat|connect|creat|register|submi)\w*|init|setup|data(?:set)?s?|step|epoch|iter(?:ation)?"
    r"|batch|rollout|stage|phase|round)"
)
"""What is a part of the run, or comes before it."""

_BY = (
    r"(?:\[?(?:INFO|info)\]?\W{1,3})?\[?(?:[A-Za-z0-9]+[./_])*(?:train(?:er|ing)?|main|__main__|run(?:ner)?|job"
    r"|launcher|driver|script|experiment|pipeline|inference|bench(?:mark)?|eval(?:uat(?:e|ion|or))?)"
    r"(?:\.py|\.sh)?(?::[0-9]+)?\]? ?[]:|>–-]+ ?"
)
"""The name of the run's own program, or of its logger; a library's says nothing of the run."""

_TOOK = (
    r"(?: successfully)?(?: (?:in|after) [0-9][\w. :]*| (?:at|on) [\w:., +/-]{4,40}"
    r"|[ ,(]{1,2}[0-9][0-9.:]* ?(?:m?s|sec(?:onds?)?|m|min(?:utes?)?|h|hours?)\b\)?)?"
)
"""When, or after how long."""

_HEAD, _TAIL = rf"^\W{{0,4}}(?:{_BY})?\W{{0,4}}", rf"{_TOOK}\W{{0,4}}$"

GOOD_ENDS = (
    ClosingWords(
        rf"\b{_WHAT}\b(?: (?!{_PART}\b)[\w./-]+){{0,3}} {_DONE}",
        (
            "Training finished!",
            "Monitoring completed successfully. Script exiting.",
            "All tasks done",
            "Fine-tuning of the model is complete.",
        ),
        (
            "Loading safetensors checkpoint shards: 100% Completed | 1/1",
            "job 12 was submitted",
            "Training data loading complete",
            "training step 10 done",
        ),
    ),
    ClosingWords(
        rf"{_HEAD}(?:[Oo]k\W{{1,3}}|(?i:(?:total |wall |run )?(?:time|elapsed|runtime|took))"
        r"\W{1,3}[0-9][\w.: ]{0,20}[.,;] )?(?:[Aa]ll )?(?:[Dd]one|DONE|(?:[Ff]inished: )?SUCCESS"
        rf"|[Ff]inished|FINISHED|[Cc]ompleted?|COMPLETED?|[Ss]uccess(?:ful(?:ly)?)?){_TAIL}",
        (
            "Done.",
            "=== FINISHED ===",
            "Completed successfully",
            "done in 12.3 s",
            "INFO trainer: finished",
            "main.py:31 - done, 312.4 s",
            "finished at Mon Jun 10 01:23:38 UTC 2026",
            "Elapsed: 12s. Done!",
            "Finished: SUCCESS",
        ),
        (
            "Done loading the model",
            "finished 3 of 8",
            "INFO loader: done",
            "train_loader: finished",
            "Loading took 3.2 s, done",
            "checkpoint saved, done",
        ),
    ),
    ClosingWords(
        rf"{_HEAD}(?:[Ff]inished|[Cc]ompleted|[Dd]one with) (?:the )?{_WHAT}{_TAIL}",
        ("Finished training in 312.4 s", "INFO | trainer | Finished run", "done with the job"),
        ("finished training step 3", "finished training the tokenizer", "finished loading"),
    ),
    ClosingWords(
        rf"{_HEAD}(?:(?i:finished|completed|done with) {_UNIT} ([0-9]+) ?(?:/|of) ?\1"
        rf"|(?i:{_UNIT} )?([0-9]+) ?(?:/|of) ?\2(?i: {_UNIT})? {_DONE}){_TAIL}",
        ("Finished epoch 3/3", "step 10/10 done", "512/512 samples completed in 3 min"),
        ("finished epoch 3/10", "Finished step 100/1000", "step 10 done", "shard 3/3 done"),
    ),
    ClosingWords(
        rf"\bexit(?:s|ed|ing)? successfully\b|(?:\b[Ee]xit(?:ed|s)?(?: with)?(?: exit)?[ _-]?"
        rf"(?:code|status)|\bEXIT[ _](?:CODE|STATUS)|\bexited with"
        rf"|(?:{_HEAD}|\b{_WHAT}\b.{{0,40}}\W)(?:rc|exit|EXIT|[Rr]eturn ?code|status|\$\?)(?=[ :=])"
        rf"|\bcode=exited, status)[ :=]{{1,3}}0(?:/SUCCESS| \([\w ]+\))?{_TAIL}",
        (
            "Process 73586 exits successfully.",
            "exit code: 0",
            "the container exited with code 0",
            "rc=0",
            "EXIT 0",
            "train.py: return code 0",
            "Main process exited, code=exited, status=0/SUCCESS",
        ),
        (
            "exit code: 1",
            "exits when the queue is empty",
            "exited with code 10",
            "rc=0.5",
            "src=0",
            "ncclInit rc=0",
            "exit code 0 expected",
            "rank 3 exited with code 0, waiting for others",
        ),
    ),
    ClosingWords(
        r"^wandb: (?:Synced [0-9]+ W&B file|Find logs at: |.{0,8}View run )",
        (
            "wandb: Synced 5 W&B file(s), 0 media file(s), 2 artifact file(s) and 0 other file(s)",
            "wandb: Find logs at: ./wandb/run-20240530_034353-k6q1hdbh/logs",
        ),
        ("wandb: Run data is saved locally in ./wandb/run-20240530_034353-k6q1hdbh",),
    ),
    ClosingWords(
        r"['\"]train_runtime['\"]: |\btrain_(?:runtime|samples_per_second|steps_per_second) += ",
        (
            "{'train_runtime': 1812.4, 'train_samples_per_second': 2.2, 'epoch': 3.0}",
            "  train_steps_per_second   =      0.998",
        ),
        ("train_steps_per_second is logged every 10 steps",),
    ),
    ClosingWords(
        r"\b[Ss]av(?:ed|ing)\b.{0,40}\b(?:final|last)\b|\b[Ff]inal (?:\w+ )?(?:score|result|model"
        r"|checkpoint|metrics|accuracy|loss)s?\b",
        ("Saving the final checkpoint to /ckpt", "Final wmt score: 28.3"),
        ("saved to the fine folder",),
    ),
    ClosingWords(
        r"^=+ [0-9]+ passed(?!.*\b(?:failed|errors?)\b)",
        ("===== 7 passed, 1 skipped in 2.97s =====",),
        ("===== 1 failed, 7 passed in 2.97s =====",),
    ),
    ClosingWords(
        r"(?:训练|任务|运行|评估|推理|导出|脚本|全部|程序)(?!数据|环境)(?:(?!加载|初始化|启动|创建|准备|下载|提交|连接|处理|第)"
        r"[^\n]){0,12}(?:完成|结束|成功)(?![后时前])"
        r"|^\W{0,4}(?:已经?|全部|都)*(?:完成|结束|成功)了?\W{0,3}$"
        r"|(?:退出码|退出状态|返回码) ?[为是]?[ :：=]{0,2}0\W{0,3}$",
        ("训练完成，用时 3 小时", "全部任务已完成", "完成！", "已结束", "进程已退出，退出码：0"),
        (
            "加载完成前请等待",
            "训练数据加载完成",
            "训练第 3 轮完成",
            "训练完成后将保存模型",
            "程序启动成功",
            "退出码：1",
        ),
    ),
)
"""That the run came to a good end."""

NO_GOOD_END = (
    r"(?i)\b(?:not|never|un|in)[ -]?(?:successful|complete|finish|done)|\bwithout success"
    r"|\b(?:with|after) (?!0\b|no\b)(?:\w+ )?(?:errors?|failures?)\b(?!\W{0,3}\d*\.\d)"
    r"|\b(?:when|once|until|before|could)\b|失败|(?:未|没有?|尚未|还没)(?:全部|完全)?(?:完成|结束|成功)"
    rf"|(?<![\d/])(\d+) ?(?:/|of|out of) ?(?!\1\b)\d+\b(?!/)[^\n]{{0,12}} {_DONE}"
    r"|\b(?:failed|failures?|crashed|aborted|killed|cancell?ed|interrupted|preempted"
    r"|time(?:d )?-?out(?! ?[=:] ?\d)|nan|exceptions?|prematurely|except|stopped by)\b"
    r"|\berrors?\b(?!\W{0,3}\d*\.\d| rate\b)|\ball (?:\w+ )?(?:retries|attempts)\b"
    r"|异常|错误(?!率)|报错|超时|取消|中断|终止|崩溃|(?:退出码|退出状态|返回码)\W{0,4}[1-9]"
)
"""What turns such words into others."""

_TROUBLE = (
    r"(?:failed|failures?|crashed|aborted|killed|cancell?ed|interrupted|timed out|timeouts?"
    r"|errors?|exceptions?|nans?)"
)
_NUMBERED = "".join(
    rf"(?<!\b{each})"
    for each in ("rank", "node", "gpu", "worker", "device", "process", "host", "id")
)
"""Not behind what has a number: "rank: 0 crashed" counts nothing."""

NOTHING_FAILED = (
    rf"(?i)(?:(?:^|{_NUMBERED}[,;:(=/|-]|\bwith|\band)\s{{0,3}}0 (?:[a-z]+ )?"
    r"|\b(?:no|without)(?: any)? (?:[a-z]+ ){0,2}|\b(?:none|not)(?: of them| one| being)? )"
    rf"{_TROUBLE}\b"
    rf"|['\"]?\b{_TROUBLE}['\"]?[ :=]{{1,3}}(?:0\b(?!\.)|none\b)"
    r"|(?:无|没有|没有发现|没有出现|未发现|未出现|0 ?个)(?:任何)?(?:异常|错误|报错|超时)"
    r"|(?:异常|错误|报错|超时)(?:数)?[ :：=]{0,3}0(?![\d.])"
)
"""What does not, although its words are the same."""

ALL_FAILED = (
    r"(?i)\b(?:skipp|fail)ed:? (?:all\b|([1-9]\d*) ?(?:/|of|out of) ?\1\b)"
    r"|\b([1-9]\d*) ?(?:/|of|out of) ?\2\b[^\n0-9,;]{0,15}\b(?:failed|skipped)\b"
    r"|(?<![\d.])0 ?(?:/|of|out of) ?[1-9]\d*\b[^\n0-9,;]{0,15}\b(?:succe\w+|ok|passed|done)\b"
    r"|\b(?:all|every) (?:\w+ ){0,3}(?:failed|skipped)\b|全部失败|全部跳过"
)
"""How a program says that of what it tried nothing succeeded."""

WAITING = (
    ClosingWords(
        r"\b(?:[Ww]ait(?:ing|ed|s)?|WAIT(?:ING)?)\b(?!['\"]?\s?[:=]\s?\d)"
        r"(?! for (?:\w+ ){0,2}(?:requests?|inputs?|commands?|jobs?|tasks?|messages?|events?"
        r"|prompts?|clients?|work)\b)",
        (
            "Waiting for the rollout server to be ready (120 s)",
            "still waiting on rank 3",
            "waited 30 s for the lock",
        ),
        (
            "Engine 000: Running: 89 reqs, Waiting: 0 reqs",
            "Waiting for new requests ...",
            "waiting=3 running=8",
        ),
    ),
    ClosingWords(
        r"(?i)\bretr(?:y|ies|ying)\b(?!['\"]?\s?[:=]\s?\d)|\b(?:try|trying|attempt\w*) again\b"
        r"|\bre-?(?:connect|attempt)\w*|\battempt (?:#|no\. )?\d|\bback(?:ing)?[ -]?off\b",
        (
            "Server is not up yet. Retrying",
            "connection refused, trying again in 5 s",
            "reconnecting to 10.0.0.3:6379 (attempt 12)",
        ),
        ("retries: 0", "max_retries=3"),
    ),
    ClosingWords(
        r"(?i)(?:\bnot|n't) (?:yet )?(?:up|ready|available|reachable|started|running"
        r"|responding|alive|healthy|connected|schedulable)\b"
        r"|\b(?:still|is|are) (?:pending|queued|starting|unavailable|blocked|locked)\b",
        (
            "vLLM is not ready after 30 s",
            "the pod is pending",
            "node-3 not reachable",
        ),
        ("ready", "pending tests: 0"),
    ),
    ClosingWords(
        "等待(?!请求|输入|任务)|重试|尚未|未就绪|仍在排队",
        ("等待推理服务启动（第 12 次）", "连接失败，5 秒后重试"),
        ("等待请求",),
    ),
)
"""That the program waits for what it needs, or tries again; who waits for work has done its own."""

FAILED_ENDS = (
    ClosingWords(
        r"\b(?:[Ff]ailure|FAILURE)\b",
        (
            "TEST failure foo.cu:874 'unhandled system error'",
            "Health check failure on node-3",
        ),
        ("failure_rate=0.2", "No failures", "0 failures", "On failure, the job is resubmitted"),
    ),
    ClosingWords(
        r"\b(?:[Ff]ailed|FAILED)\b",
        (
            "CUDA detection failed! Possible reasons:",
            "include/socket.h:357 WARN Socket creation failed : Too many open files",
            "Launch of the rollout server FAILED",
            "build failed: see build/log.txt",
        ),
        (
            "failed: 3",
            "WARN upload failed",
            "12 passed, 0 failed",
            "What does a failed run look like?",
            "nvml failed, falling back to nvidia-smi",
            "upload failed, retrying in 5 s",
            "│ 3 │ assert failed │ 0.5 │",
            "a run that has failed will be resubmitted",
        ),
    ),
    ClosingWords(
        r"\b(?:[Nn]ot|NOT) (?:found|FOUND)\b|\bNotFound\b",
        ("Required library version not found: libfoo_cuda118.so", "config file NOT FOUND"),
        ("flash-attn not found, using sdpa", "vocab.txt not found. It is not optional, skipping"),
    ),
    ClosingWords(
        r"^(?:\W|[\w./-]+: )*(?:[Ww]e )?(?:[Cc]ould(?: not|n't)|[Uu]nable to|UNABLE TO)\b",
        ("Could not reach the store at node-0:29500", "launcher: unable to bind port 8000"),
        ("The policy could not see it", "Could not import wandb, it will be disabled"),
    ),
    ClosingWords(
        r"失败(?![率数次])|找不到|未找到|无法(?!确定|判断)",
        ("启动推理服务失败", "找不到检查点 /ckpt/7"),
        ("失败率 0.1", "上传失败，正在重试"),
    ),
)
"""That something failed, in a line that says no more of what follows from it."""

NO_FAILED_END = (
    r"(?i)\bfail\w*['\"]?[ ,]?[:=|] ?['\"]?[\d.]+%?(?:$|[\s,;|)}\]])"
    r"|\bfailed (?:run|job|test|case|task)s?\b"
    r"|\b(?:if|when|on|upon|in case of|after|until|unless|once|whether|where|may|might|can|could be"
    r"|would|avoid|prevent|for) (?:\w+ ){0,4}(?:fail|not found)"
    r"|(?<!NCCL )(?<!\d )\bwarn|\bfall(?:s|ing)?[ -]?back\b|\bdefault|\binstead\b|\bskip|\bignor"
    r"|\bcontinu"
    r"|\bwill\b|\bus(?:e|es|ing)\b|\bdisabl|\boptional|\bharmless|\bsafely\b|\bstill\b|\bagain\b"
    r"|跳过|忽略|继续|改用|默认|如果|若|^\W{0,3}[│┃|].*[│┃|]$"
)
"""What turns such words into others: a number, a condition, what the program does in its place, a
row of a table.
"""

IN_FAILED_ENDS = "(?i)fail|not ?found|could(?: not|n't)|unable to|失败|找不到|未找到|无法".encode()
"""What all of these hold, to be searched in bytes."""

COMPLAINS = (
    r"(?i)\b(?:errors?|fail(?:s|ed|ure|ing)?|refused|time(?:d |-)?out|unavailable|unreachable"
    r"|exception|denied)\b|失败|超时|拒绝"
)
"""What stands between such lines: why it has to wait."""


def says_good_end(text: str) -> bool:
    """Whether a line without its prefixes says that the run came to a good end."""
    return any(re.search(row.pattern, text) for row in GOOD_ENDS) and not spoils_end(text)


def spoils_end(text: str) -> bool:
    """Whether a line that speaks of an end says that it was none, or no good one."""
    return re.search(NO_GOOD_END, re.sub(NOTHING_FAILED, " ", text)) is not None


def says_all_failed(text: str) -> bool:
    """Whether a line says that of what was tried nothing succeeded."""
    return re.search(ALL_FAILED, text) is not None


def says_waiting(text: str) -> bool:
    """Whether a line says that its program waits for what it needs, or tries again."""
    return any(re.search(row.pattern, text) for row in WAITING)


def says_why(text: str) -> bool:
    """Whether a line between those may say why the program has to wait."""
    return re.search(COMPLAINS, text) is not None


def says_failed(text: str) -> bool:
    """Whether a line without its prefixes says that something failed, and not what the program does
    in its place.
    """
    told = re.sub(NOTHING_FAILED, " ", text)
    is_outlived = re.search(NO_FAILED_END, told) or says_waiting(told)
    return not is_outlived and any(re.search(row.pattern, told) for row in FAILED_ENDS)
