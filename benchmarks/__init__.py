"""The benchmark suite: `benchmarks/run` measures, `benchmarks/thresholds.py` chooses how tolerant a comparison may be."""
