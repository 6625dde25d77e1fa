"""`logdoctor mcp`, once its arguments are read."""

from __future__ import annotations

from logdoctor.agents.folders import Folders
from logdoctor.agents.tools import Limits, Tools
from logdoctor.cli.options import Arguments
from logdoctor.cli.terminal import cache_folder, say_compiling
from logdoctor.errors import LogdoctorError
from logdoctor.search.opening import open_automaton


def run_mcp(arguments: Arguments) -> int:
    """Serves the tools on stdin and stdout until the client goes.

    Raises:
        LogdoctorError: the SDK is missing, a folder is not there, or signatures cannot be read.
    """
    folders = Folders(arguments.words)
    try:
        from logdoctor.agents.server import make_server  # noqa: PLC0415  # the SDK
    except ImportError as error:
        raise LogdoctorError(
            "logdoctor mcp needs the package mcp 2; pip install 'logdoctor[mcp]'"
        ) from error
    automaton = open_automaton(arguments.more, cache_folder(), say_compiling)
    limits = Limits(arguments.time_limit, arguments.read_limit)
    make_server(Tools(automaton, folders, limits)).run("stdio")
    return 0
