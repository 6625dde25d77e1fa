set -e
mkdir d; printf 'extensions=["sphinx.ext.autodoc"]\nproject="x"\n' > d/conf.py; printf 'x\n=\n.. automodule:: networkx\n   :members:\n.. automodule:: networkx.algorithms.shortest_paths.weighted\n   :members:\n.. automodule:: sympy.core.expr\n   :members:\n' > d/index.rst
python -m sphinx -vv d out 2>&1 | head -c 4000000
