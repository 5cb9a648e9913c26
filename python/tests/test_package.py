"""The package: imports, stubs, documentation."""

import doctest
import importlib
import importlib.metadata
import os
import subprocess
import sys

import pytest
import tiledb_rs

FOLDER = os.path.dirname(os.path.realpath(tiledb_rs._redirect.__file__))


def test_an_import_loads_no_other_package():
    code = (
        "import sys, time\nbefore = set(sys.modules)\nstart = time.perf_counter()\nimport tiledb_rs\n"
        "took = time.perf_counter() - start\n"
        "import tiledb_rs._native\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(took, sorted(new & {'numpy', 'pyarrow', 'pandas', 'polars', 'xarray', 'tiledb', 'ctypes'}))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    took, loaded = output.stdout.split(" ", 1)
    assert loaded.strip() == "[]"
    print(f"import tiledb_rs: {float(took) * 1000:.1f} ms")


def test_functions_take_uris(tmp_path):
    numpy, pyarrow = pytest.importorskip("numpy"), pytest.importorskip("pyarrow")
    uri = str(tmp_path / "array")
    tiledb_rs.from_numpy(uri, numpy.arange(1000.0))
    assert os.path.exists(tiledb_rs.library()) and not tiledb_rs.is_active()
    assert tiledb_rs.check(uri) == [] and tiledb_rs.clean(uri, dry_run=True) == []
    assert tiledb_rs.arrow(uri).read_all().num_rows == 1000
    assert pyarrow.table(tiledb_rs.arrow(uri, batch_bytes=800)).num_columns == 1
    plan = tiledb_rs.explain(uri, run=True)
    assert plan["outcome"]["cells"] == 1000 and str(plan).startswith("array ")
    (data,) = [os.path.join(top, "a0.tdb") for top, _, names in os.walk(uri) if "a0.tdb" in names]
    with open(data, "r+b") as file:
        file.truncate(100)
    findings = tiledb_rs.check(uri, {"sm.compute_concurrency_level": "1"})
    assert any(finding.severity == "error" for finding in findings)
    with pytest.raises(tiledb_rs.Error, match="does not exist"):
        tiledb_rs.check(uri + "x")


def test_all_names_exist_and_have_documentation():
    for name in tiledb_rs.__all__:
        value = getattr(tiledb_rs, name)
        assert value.__doc__, name
    assert set(tiledb_rs.__all__) <= set(dir(tiledb_rs))
    with pytest.raises(AttributeError):
        tiledb_rs.no_such_name


def test_the_version_is_that_of_the_distribution():
    assert tiledb_rs.__version__ == tiledb_rs._native.__version__ == importlib.metadata.version("tiledb-rs")


@pytest.mark.parametrize("name", ["tiledb_rs", "tiledb_rs._schema"])
def test_examples_of_the_documentation_run(name):
    module = importlib.import_module(name)
    failed, run = doctest.testmod(module)
    assert run > 0 and failed == 0


def test_stubs_are_strict():
    pytest.importorskip("mypy")
    stub = os.path.join(FOLDER, "__init__.pyi")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null", stub]
    output = subprocess.run(command, capture_output=True, text=True)
    assert output.returncode == 0, output.stdout


@pytest.mark.parametrize("page", ["python", "python-from-tiledb-py", "python-from-h5py-and-zarr"])
def test_the_examples_of_the_pages_run(page, tmp_path):
    with open(os.path.join(FOLDER, "..", "..", "docs", f"{page}.md"), encoding="utf-8") as file:
        text = file.read()
    blocks = [block.split("```", 1)[0] for block in text.split("```python\n")[1:]]
    if page == "python":
        for package in "pyarrow", "pandas", "polars", "duckdb", "xarray":
            pytest.importorskip(package)
        assert len(blocks) > 5
    assert blocks
    command = [sys.executable, "-W", "error::SyntaxWarning", "-c", "\n".join(blocks)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr


def test_examples_run_with_doctest_modules(tmp_path):
    package = os.path.dirname(os.path.abspath(tiledb_rs.__file__))
    options = ["--doctest-modules", "--doctest-ignore-import-errors", "-q", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, package]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stdout
