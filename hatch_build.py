"""Compiles the signatures and gathers the formats while a wheel is built.

So an installed logdoctor starts without reading YAML, opens one file for all frameworks, and
compiles few expressions.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
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
        from logdoctor.cli import expressions  # noqa: PLC0415
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
        kept = Path(self._folder.name) / expressions.SHIPPED
        self._keep_expressions(compiled, kept)
        build_data["force_include"][str(kept)] = f"logdoctor/{expressions.SHIPPED}"
        # elsewhere the database would be compiled again, and releases have a wheel of each kind;
        # PyPI takes no wheel that is tagged for Linux as such, a release on GitHub does
        kind = sysconfig.get_platform().replace("universal2", platform.machine())
        build_data["tag"] = f"py3-none-{re.sub('[-.]', '_', kind)}"

    def _keep_expressions(self, database: Path, target: Path) -> None:
        """Writes the file of expressions, by a process that has compiled none yet."""
        program = [sys.executable, "-m", "scripts.keep_expressions", str(database), str(target)]
        path = os.pathsep.join(sys.path)  # what this build needs may stand nowhere else
        subprocess.run(  # noqa: S603
            program, cwd=self.root, env={**os.environ, "PYTHONPATH": path}, check=True
        )

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes them."""
        del build_data, artifact_path
        if version != "editable":
            self._folder.cleanup()
