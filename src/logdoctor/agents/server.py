"""The tools over the Model Context Protocol: make_server. Needs logdoctor[mcp].

https://modelcontextprotocol.io/specification
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from logdoctor.agents.answers import DATA_NOTICE, Answer
from logdoctor.agents.folders import RefusedError
from logdoctor.agents.tools import Tools
from logdoctor.version import __version__

INSTRUCTIONS = (
    "logdoctor finds what went wrong first in the logs of LLM training runs, why, and what to "
    "change. Begin with diagnose(path) for one run, or runs(root) for a folder of many; each "
    "answer is short and says what to ask next. All tools only read. " + DATA_NOTICE
)

Lang = Annotated[Literal["en", "zh"], Field(description="Language of the answer.")]
Path = Annotated[str, Field(description="A log, archive or folder below what may be read.")]

_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def make_server(tools: Tools) -> MCPServer:
    """The server, which answers once it is run."""
    server = MCPServer(
        "logdoctor", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR"
    )
    _add_tools_of_logs(server, tools)
    _add_tools_of_knowledge(server, tools)
    return server


def _add_tools_of_logs(server: MCPServer, tools: Tools) -> None:
    @server.tool(annotations=_READS)
    def diagnose(
        path: Path, lang: Lang = "en", detail: Literal["brief", "full"] = "brief"
    ) -> CallToolResult:
        """Say what went wrong first in a training run, why, and what to change: a log, or a folder
        that is one run. The structured content is logdoctor's JSON document; brief has the root
        cause only.
        """
        return _told(lambda: tools.diagnose(path, lang, detail))

    @server.tool(annotations=_READS)
    def evidence(path: Path, line: int, around: int = 10) -> CallToolResult:
        """Show the lines of a log around a line number, at most 200."""
        return _told(lambda: tools.evidence(path, line, around))

    @server.tool(annotations=_READS)
    def runs(root: Path, lang: Lang = "en", limit: int = 20) -> CallToolResult:
        """Judge all runs below a folder: what they died of, most frequent first."""
        return _told(lambda: tools.runs(root, lang, limit))

    @server.tool(annotations=_READS)
    def check(  # noqa: PLR0917  # the protocol names them
        path: Path,
        lang: Lang = "en",
        framework: str | None = None,
        gpus: int | None = None,
        nodes: int | None = None,
        gpu_memory: float | None = None,
    ) -> CallToolResult:
        """Say before a run which settings of its script or configuration do not go together; gpus
        are those of a node, gpu_memory is in GiB.
        """
        return _told(
            lambda: tools.check(
                path, lang, framework=framework, gpus=gpus, nodes=nodes, gpu_memory=gpu_memory
            )
        )


def _add_tools_of_knowledge(server: MCPServer, tools: Tools) -> None:
    @server.tool(annotations=_READS)
    def explain(signature_id: str, lang: Lang = "en") -> CallToolResult:
        """Tell all about a known problem: cause, remedies with their conditions, references."""
        return _told(lambda: tools.explain(signature_id, lang))

    @server.tool(annotations=_READS)
    def search_signatures(words: str, lang: Lang = "en", limit: int = 8) -> CallToolResult:
        """Find known problems by an error message or a few words, as "KeyError node2pg"."""
        return _told(lambda: tools.search_signatures(words, lang, limit))


def _told(ask: Callable[[], Answer]) -> CallToolResult:
    try:
        answer = ask()
    except RefusedError as error:
        return _failed(str(error))
    except Exception as error:  # noqa: BLE001  # its text may quote a log
        return _failed(f"logdoctor failed on it ({type(error).__name__}); please report this")
    return CallToolResult(
        content=[TextContent(type="text", text=answer.text)], structured_content=answer.content
    )


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
