from logdoctor.api import Runs as Runs
from logdoctor.api import load_signatures as load_signatures
from logdoctor.api import scan as scan
from logdoctor.api import scan_runs as scan_runs

__version__: str
