"""Compiles the signatures and gathers the formats while a wheel is built.

So an installed logdoctor starts without reading YAML, and opens one file for all frameworks.
"""

from __future__ import annotations

import platform
import re
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledSignatures(BuildHookInterface):  # type: ignore[type-arg,misc]
    """Puts the compiled database and the formats into the package's folder; an editable install
    compiles on first use instead.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Makes the files, and has them packed."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "src"))
        from logdoctor.formats import assembled  # noqa: PLC0415
        from logdoctor.relations import naming, shipped  # noqa: PLC0415
        from logdoctor.search.opening import SHIPPED, compile_shipped  # noqa: PLC0415

        self._folder = tempfile.TemporaryDirectory()
        compiled = Path(self._folder.name) / SHIPPED
        compiled.write_bytes(compile_shipped())
        build_data["force_include"][str(compiled)] = f"logdoctor/{SHIPPED}"
        formats = Path(self._folder.name) / assembled.SHIPPED
        formats.write_bytes(assembled.dumped(assembled.registered()))
        build_data["force_include"][str(formats)] = f"logdoctor/{assembled.SHIPPED}"
        relations = Path(self._folder.name) / naming.SHIPPED
        relations.write_bytes(shipped.dumped(Path(self.root) / "relations"))
        build_data["force_include"][str(relations)] = f"logdoctor/relations_data/{naming.SHIPPED}"
        # elsewhere the database would be compiled again, and releases have a wheel of each kind;
        # PyPI takes no wheel that is tagged for Linux as such, a release on GitHub does
        kind = sysconfig.get_platform().replace("universal2", platform.machine())
        build_data["tag"] = f"py3-none-{re.sub('[-.]', '_', kind)}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes them."""
        del build_data, artifact_path
        if version != "editable":
            self._folder.cleanup()
