from logdoctor.library import Runs as Runs
from logdoctor.library import load_signatures as load_signatures
from logdoctor.library import scan as scan
from logdoctor.library import scan_runs as scan_runs

__version__: str
