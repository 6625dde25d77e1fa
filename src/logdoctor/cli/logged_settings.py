"""A log to the configuration that it shows: logged_configuration."""

from __future__ import annotations

from logdoctor.cli.terminal import cache_folder
from logdoctor.pipeline.scan import Scan
from logdoctor.relations.judging import RelationBase
from logdoctor.relations.logged import LoggedText
from logdoctor.search.opening import open_automaton
from logdoctor.settings.configuration import Configuration


def logged_configuration(
    name: str, content: bytes, base: RelationBase, framework: str | None
) -> tuple[str | None, str | None, Configuration]:
    """The framework of a log, its release, and the settings that the log shows of those that the
    framework's relations name; the first two where neither the log nor the caller says them: None.
    """
    scan = Scan(open_automaton((), cache_folder()))
    scan.read(name, [content])
    context = scan.result().context
    known = next((each for each in context.frameworks if each in base.frameworks), None)
    framework = framework or known
    keys = base.names(framework) if framework else frozenset()
    version = context.versions.get(base.frameworks[framework].package) if framework else None
    text = content.decode("utf-8", "replace")
    return framework, version, LoggedText(text, name).configuration(keys)
