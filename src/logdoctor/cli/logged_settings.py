"""A log to the configuration that it shows: logged_configuration."""

from __future__ import annotations

from logdoctor.cli.terminal import cache_folder
from logdoctor.pipeline.scan import Scan
from logdoctor.relations.logged import configuration_of
from logdoctor.search.opening import open_automaton
from logdoctor.settings.configuration import Configuration


def logged_configuration(name: str, content: bytes) -> Configuration:
    """Reads a log as a scan does, for its settings alone."""
    scan = Scan(open_automaton((), cache_folder()))
    scan.read(name, [content])
    return configuration_of(scan.result().context, name)
