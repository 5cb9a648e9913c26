"""Parts that the scripts which measure the library share."""

import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def machine():
    """Returns the processor, the number of cores and the system as text."""
    names = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    return f"{(names or [platform.processor()])[0]}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def build(source, library, folder):
    """Compiles a program of this folder, linked with a library; returns its path."""
    program = Path(folder) / source.removesuffix(".c")
    stub = Path(folder) / "libtiledb.so.2.30"
    stub.symlink_to(Path(library).resolve())
    subprocess.run(["cc", "-O2", "-std=c11", f"-I{ROOT}/include", ROOT / "capi-tests" / source, "-o", program, stub, "-lm"],
                   check=True)
    return program


def run(program, library, folder):
    """Runs a program on a library with an empty folder for its arrays; returns the fields of the lines it prints."""
    libraries = Path(folder) / "lib"
    data = Path(folder) / "data"
    libraries.mkdir()
    data.mkdir()
    (libraries / "libtiledb.so.2.30").symlink_to(Path(library).resolve())
    path = f"{libraries}:{Path(library).resolve().parent}"
    result = subprocess.run([program, data], env={**os.environ, "LD_LIBRARY_PATH": path},
                            check=True, capture_output=True, text=True)
    return [line.split("\t") for line in result.stdout.splitlines()]
