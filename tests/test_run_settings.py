"""Scripts, YAML and Python to settings: what is resolved, and what is named as not."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from logdoctor.settings.configuration import Configuration
from logdoctor.settings.files import kind_of, read_configurations
from logdoctor.settings.interpolation import NotInterpolated, interpolated
from logdoctor.settings.values import Value

SHELL = pytest.mark.skipif(
    find_spec("tree_sitter_bash") is None,
    reason="the extra `check` is not installed",
)
OMEGACONF = pytest.mark.skipif(
    find_spec("omegaconf") is None,
    reason="the extra `check` is not installed",
)


def read(text: str, name: str = "run.sh", path: Path | None = None) -> Configuration:
    found = read_configurations(name, text, path)
    assert len(found) == 1
    return found[0]


def values(configuration: Configuration) -> dict[str, Value]:
    return {key: each.value for key, each in configuration.settings.items()}


@SHELL
@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("N=8\npython -m m a.b=$N", 8),
        ("python -m m a.b=${N:-8}", 8),
        ("N=4\npython -m m a.b=${N:-8}", 4),
        ("A=2 B=3\npython -m m a.b=$((A * (B + 1)))", 8),
        ("A=7\npython -m m a.b=$((-A / 2))", -3),
        ("X=( a.b=1 )\nX+=( c=2 )\npython -m m ${X[@]}", 1),
        ('X=( --a.b 5 )\npython -m m "${X[@]}"', 5),
        ("python -m m --a.b=5", 5),
        ("python -m m +a.b=5 ++a.b=6", 6),
        ("python -m m a.b=1 \\\n  a.b=2", 2),
        ("N=1\nif [ x ]; then N=2; fi\nN=3\npython -m m a.b=$N", 3),
        ("f() { python -m m a.b=$1; }\nf 9", 9),
        ("srun torchrun --nproc_per_node 8 train.py a.b=5", 5),
        ("nohup ray job submit --address x -- python3 -u -m m a.b=5 > log 2>&1 &", 5),
        ("srun bash -c 'python -m m a.b=5'", 5),
        ("accelerate launch --num_processes 4 -m m a.b=5", 5),
        ("python -m m a.b='[1,2]'", (1, 2)),
        ("for i in 1 2; do python -m m a.b=5; done", 5),
        ("cat > x <<EOF\na.b=$Q\nEOF\npython -m m a.b=5", 5),
        ("N=5\nread -r -d '' X <<EOF\nm c=1 \\\n  a.b=$N\nEOF\npython -m $X", 5),
        ("read -r -d '' X <<'EOF'\nm a.b=5\nEOF\npython -m $X", 5),
    ],
)
def test_a_script_says_a_value(script: str, expected: Value) -> None:
    """As bash would expand it, without running it."""
    assert values(read(script))["a.b"] == expected


@SHELL
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("python -m m a.b=$N", "N"),
        ("N=$(nproc)\npython -m m a.b=$N", "$(nproc)"),
        ("N=1\nif [ x ]; then N=2; fi\npython -m m a.b=$N", "N"),
        ("[ -z $N ] && N=2\npython -m m a.b=$N", "N"),
        ("for N in 1 2; do python -m m a.b=$N; done", "N"),
        ("python -m m a.b=$1", "1"),
        ("python -m m a.b=$((N * 2))", "N"),
        ("python -m m a.b=$((1 / 0))", "$((1 / 0))"),
        ("python -m m --a.b $N", "N"),
        ("read X <<EOF\n5\nEOF\npython -m m a.b=$X", "X"),
        ("read -r -d '' X <<EOF\nm a.b=$N\nEOF\npython -m $X", "N"),
    ],
)
def test_what_depends_on_the_run_is_named(script: str, why: str) -> None:
    """On the environment, an output, a branch, a loop."""
    unresolved = read(script).unresolved
    assert {key: each.why for key, each in unresolved.items()} == {"a.b": why}


@SHELL
def test_words_that_may_be_anything_open_a_command_line() -> None:
    """Behind them settings may come that are not seen; arguments of the script are none."""
    assert [each.text for each in read('python -m m a=1 $EXTRA "$@"').openings] == ["$EXTRA"]
    assert [each.why for each in read("source gone.sh\npython -m m a=1").openings] == ["not found"]


@SHELL
def test_a_comment_ends_a_command_as_in_bash() -> None:
    """What stands behind it is no part of the command, though a backslash stood before; it is
    told.
    """
    found = read("python -m m a=1 \\\n  # why\n  b=2 \\\n  c=3\n")
    assert values(found) == {"a": 1}
    assert read("python -m m a=1 \\ # why\n  b=2\n").settings.keys() == {"a"}


@SHELL
def test_a_sourced_file_is_read_where_it_is_there(tmp_path: Path) -> None:
    """Beside the script, also by the folder that the script finds out; one that sources itself
    ends.
    """
    (tmp_path / "more.sh").write_text("N=6\nsource more.sh\n")
    script = tmp_path / "run.sh"
    for how in ("source more.sh", 'source "$(dirname "$0")/more.sh"'):
        script.write_text(f"{how}\npython -m m a.b=$N\n")
        assert values(read(script.read_text(), str(script), script))["a.b"] == 6


@SHELL
def test_slurm_and_launchers_say_what_the_run_gets() -> None:
    """By directives and options; tasks count only where srun starts them."""
    script = (
        "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:a100:8\n#SBATCH --ntasks-per-node 4\n"
        "{}torchrun --nnodes=2 --nproc_per_node 8 train.py --x 1\n"
    )
    resources = {key: each.value for key, each in read(script.format("srun ")).resources.items()}
    assert resources == {
        "nodes": 2,
        "gpus_per_node": 8,
        "tasks_per_node": 4,
        "launched_nodes": 2,
        "launched_per_node": 8,
    }
    assert "tasks_per_node" not in read(script.format("")).resources


@SHELL
def test_exported_variables_are_the_environment_of_the_run() -> None:
    """And those in front of the command; others are not."""
    found = read("export A=1\nB=2\nC=3 python -m m x=1")
    assert {name: each.value for name, each in found.environment.items()} == {"A": 1, "C": 3}


@SHELL
def test_a_long_script_is_read_in_time() -> None:
    """Ten thousand lines, and arrays that double each other."""
    lines = ["A=( x y )", *(["A=( ${A[@]} ${A[@]} )"] * 40), *("echo $N" for _ in range(10_000))]
    found = read("\n".join([*lines, "python -m m a.b=5 ${A[@]}"]))
    assert values(found)["a.b"] == 5


@SHELL
@pytest.mark.parametrize(
    "script",
    [
        f"python -m m a.b=$(({'(' * 4000}1{')' * 4000}))\n",
        f"N={'${A:-' * 4000}1{'}' * 4000}\npython -m m a.b=$N\n",
        f"{'if true; then ' * 4000}python -m m a.b=1\n{'; fi' * 4000}\n",
    ],
    ids=["arithmetic", "defaults", "branches"],
)
def test_a_script_that_is_nested_too_deeply_is_said_to_be(script: str) -> None:
    """Nothing is read of it, and whoever reads it goes on."""
    found = read(script)
    assert [each.what for each in found.problems] == ["nested too deeply"]
    assert found.settings == {}


def test_yaml_has_places_and_the_last_of_two() -> None:
    """A key given twice is told."""
    found = read("a:\n  b: 1\n  b: 2  # two\nc: [1, 2]\n", "x.yaml")
    assert values(found) == {"a.b": 2, "c": (1, 2)}
    assert found.settings["a.b"].place == ("x.yaml", 3)
    assert [(each.place.line, each.what) for each in found.problems] == [
        (3, '"a.b" is given twice; the last counts')
    ]


def test_hydras_defaults_lie_below(tmp_path: Path) -> None:
    """By group and package; what is not there is named."""
    (tmp_path / "actor").mkdir()
    (tmp_path / "actor" / "big.yaml").write_text("lr: 1\nsteps: 5\n")
    main = tmp_path / "main.yaml"
    main.write_text(
        "defaults:\n  - actor@model.actor: big\n  - gone\n  - _self_\nmodel:\n  actor:\n    lr: 2\n"
    )
    found = read(main.read_text(), str(main), main)
    assert values(found) == {"model.actor.lr": 2, "model.actor.steps": 5}
    assert [each.text for each in found.openings] == ["defaults: gone"]


def test_files_that_take_each_other_in_end(tmp_path: Path) -> None:
    """It is said."""
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.yaml").write_text(f"defaults: [{other}]\n{name}: 1\n")
    main = tmp_path / "a.yaml"
    found = read(main.read_text(), str(main), main)
    assert values(found) == {"a": 1, "b": 1}
    assert [each.why for each in found.openings] == ["too many files within each other"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a: [1\nb: 2", "not YAML at column"),
        ("- 1\n- 2\n", "no mapping at its top"),
        ("a: &a\n  b: *a\n", "nested too deeply, or an alias"),
        ("[" * 5000, "no mapping|not YAML|nested"),
        (
            "a: &a {x: 1, y: 2}\n"
            + "".join(
                f"{chr(98 + i)}: &{chr(98 + i)} {{p: *{chr(97 + i)}, q: *{chr(97 + i)}, r: *{chr(97 + i)}}}\n"
                for i in range(15)
            ),
            "more than 20,000 values",
        ),
    ],
)
def test_bad_yaml_is_told(text: str, what: str) -> None:
    """With its place; nothing is raised, nothing grows without end."""
    found = read(text, "x.yaml")
    assert len(found.problems) == 1
    assert re.search(what, found.problems[0].what)


@OMEGACONF
def test_references_are_resolved_by_omegaconfs_rules() -> None:
    """Absolute, relative, inside a text, of a reference."""
    given: dict[str, Value] = {
        "a": 2,
        "b.c": "${a}",
        "b.d": "${.c}",
        "e": "x${b.d}",
        "f": "${oc.select:gone,7}",
    }
    assert [interpolated(key, given) for key in ("b.c", "b.d", "e", "f")] == [2, 2, "x2", 7]


@OMEGACONF
@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"a": "${b}", "b": "${a}"}, "refers to itself"),
        ({"a": "${gone}"}, "gone"),
        ({"a": "${oc.env:HOME}"}, "depends on the environment"),
        ({"a": "${mul:2,3}"}, "Unsupported"),
        ({"a": "${b"}, "mismatched|missing|token|GRAMMAR|grammar|b"),
        ({f"k{i}": f"${{k{i + 1}}}${{k{i + 1}}}" for i in range(40)} | {"k40": "x"}, "references"),
    ],
)
def test_what_cannot_be_resolved_says_why(given: dict[str, Value], why: str) -> None:
    """Circles, what is not there, the environment, programs, and texts that double each other."""
    with pytest.raises(NotInterpolated, match=why):
        interpolated(next(iter(given)), given)


def test_python_is_read_as_far_as_its_literals_go() -> None:
    """Constants of the module too; the rest is named."""
    found = read(
        "from trl import GRPOConfig\nN = 8\nM = 1\nM = 2\n"
        "c = GRPOConfig('out', num_generations=N, lr=1e-6, m=M, x=args.x, **more)\n",
        "train.py",
    )
    assert values(found) == {"num_generations": 8, "lr": 1e-6}
    assert found.unresolved.keys() == {"m", "x"}
    assert [each.text for each in found.openings] == ["**more", "'out'"]
    assert [each.what for each in read("def (", "x.py").problems] == ["not Python: invalid syntax"]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("x.yaml", "", "yaml"),
        ("-", "#!/bin/bash\n", "shell"),
        ("-", "# c\nactor:\n  lr: 1\n", "yaml"),
        ("-", '{"fp16": 1}', "yaml"),
        ("-", "from trl import GRPOConfig\n", "python"),
        ("train.log", "actor:\n", ""),
        ("-", "2026-01-01 12:00:00 INFO step 1\n", ""),
    ],
)
def test_the_kind_of_a_text_is_seen(name: str, text: str, kind: str) -> None:
    """By its name, else by how it begins; what is none of them is a log."""
    assert kind_of(name, text) == kind
