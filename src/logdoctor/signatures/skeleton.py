"""An id to the skeleton of a signature: signature_skeleton."""

from __future__ import annotations

_SKELETON = """\
# yaml-language-server: $schema=../schema.json
id: {id}
title:
  en: What is seen, in a few words
  zh: 用几个字说明看到的现象
component: {component}
severity: error        # fatal: the run ends | error | warning
role: cause            # cause | wrapper | symptom | teardown | benign
maturity: draft        # confirmed once the raise site was read or a real log was seen
patterns:
  - template: 'ValueError: the words that only this message has, with {{count:int}} as a slot'
    where: exception   # exception | message | frame | line
frameworks: []         # empty: any
explains: []           # ids of wrappers and symptoms that this one outranks
cause:
  en: What happened and how one tells.
  zh: 发生了什么，如何判断。
remedies:              # in the order to try; safest first
  - action:
      en: One thing to change, imperative.
      zh: 一项具体的修改。
    risk: safe         # safe | restarts-run | affects-others
    check:
      en: How to see that it helped.
      zh: 如何确认已经解决。
examples:
  - text: |
      ValueError: the words that only this message has, with 3 as a slot
    captures: {{count: '3'}}
    origin: where the text comes from
counterexamples:
  - text: a near miss
    why: what a careless pattern would take it for
references:
  - https://example.org/the-raise-site
"""


def signature_skeleton(signature_id: str, component: str) -> str:
    """A file that loads and checks as it is, to be filled in."""
    return _SKELETON.format(id=signature_id, component=component)
