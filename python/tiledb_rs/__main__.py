"""Runs a program, or a module with ``-m``, with TileDB-Py on the library of this package."""

import os
import runpy
import sys

from . import library

USAGE = "usage: python -m tiledb_rs PROGRAM [ARGUMENT ...]\n       python -m tiledb_rs -m MODULE [ARGUMENT ...]"


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(f"{USAGE}\n\nThe library is {library()}.")
        return 0 if arguments else 2
    if arguments[0] == "-m":
        if len(arguments) < 2:
            print(USAGE, file=sys.stderr)
            return 2
        sys.argv = arguments[1:]
        # As with `python -m`, modules in the current folder are found.
        sys.path.insert(0, "")
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return 0
    if not os.path.exists(arguments[0]):
        print(f"error: there is no program '{arguments[0]}'", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
