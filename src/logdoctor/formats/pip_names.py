"""What pip calls the packages that modules come from: pip_name."""

from collections.abc import Mapping
from types import MappingProxyType

MISSING_MODULE = r"No module named ['\"]([\w.]+)['\"]"
"""How Python says which module it does not find."""

NAMES: Mapping[str, str] = MappingProxyType(
    {
        "antlr4": "antlr4-python3-runtime",
        "attr": "attrs",
        "bs4": "beautifulsoup4",
        "cupy": "cupy-cuda12x",
        "cv2": "opencv-python-headless",
        "dateutil": "python-dateutil",
        "dotenv": "python-dotenv",
        "fla": "flash-linear-attention",
        "flashinfer": "flashinfer-python",
        "git": "GitPython",
        "google.cloud.storage": "google-cloud-storage",
        "google.protobuf": "protobuf",
        "hydra": "hydra-core",
        "jwt": "PyJWT",
        "megatron.bridge": "megatron-bridge",
        "megatron.core": "megatron-core",
        "OpenSSL": "pyOpenSSL",
        "PIL": "pillow",
        "pkg_resources": "setuptools",
        "ruamel.yaml": "ruamel.yaml",
        "skimage": "scikit-image",
        "sklearn": "scikit-learn",
        "yaml": "pyyaml",
        "zmq": "pyzmq",
    }
)
"""By module, where the package has another name."""

NAMESPACES = frozenset({"google", "megatron", "mpl_toolkits", "nvidia", "ruamel"})
"""Packages of which several others have a part each."""


def pip_name(module: str) -> str | None:
    """What pip calls the package of a module: of a dotted one its first part, with `-` for `_`;
    None where several packages share that part, and it is not known which one it is.
    """
    first = module.partition(".")[0]
    known = NAMES.get(module) or NAMES.get(".".join(module.split(".")[:2])) or NAMES.get(first)
    return known or (None if first in NAMESPACES else first.replace("_", "-"))
