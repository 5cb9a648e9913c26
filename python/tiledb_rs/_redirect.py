"""Makes the extension modules of TileDB-Py load the library of this package.

The extension modules name libtiledb with a hash or a version that is different in each wheel, and
find it by a path relative to their own, ``$ORIGIN/../tiledb.libs`` or ``$ORIGIN``. They are loaded
through symbolic links in a temporary folder, in which that path leads to the library of this
package. Nothing that is installed is changed.
"""

import os
import sys

#: The version of libtiledb whose interface the library has.
LIBTILEDB_VERSION = (2, 30)

#: The oldest version of libtiledb of which the library has all functions.
OLDEST_LIBTILEDB_VERSION = (2, 15)

#: The extension modules of TileDB-Py; the last one was part of releases before 0.33.
_EXTENSIONS = ("tiledb.libtiledb", "tiledb.main", "tiledb.cc")


def library():
    """Returns the path of the library of this package, which is also its native module."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "_native.abi3.so")


def is_active():
    """Returns whether TileDB-Py was imported and uses the library of this package."""
    return "tiledb" in sys.modules and _finder.is_used


def _problem(why, hint):
    return ImportError(f"tiledb_rs cannot be used with this TileDB-Py: {why}. {hint}")


def _bundled(package):
    """Returns the path of libtiledb in the wheel of TileDB-Py, after a check of its version.

    The path is relative to the folder of the wheel.
    """
    import re

    install = "Install it with `pip install tiledb==0.36.1`."
    parent = os.path.dirname(package)
    paths = []
    for folder in ("tiledb.libs", os.path.basename(package)):
        whole = os.path.join(parent, folder)
        for name in os.listdir(whole) if os.path.isdir(whole) else []:
            if re.fullmatch(r"libtiledb(-[0-9a-f]+)?\.so\.\d+\.\d+", name):
                paths.append(os.path.join(folder, name))
    if len(paths) != 1:
        raise _problem(f"{package} is not from a wheel with its own libtiledb", install)
    found = paths[0].split(".so.")[-1]
    if not OLDEST_LIBTILEDB_VERSION <= tuple(map(int, found.split("."))) <= LIBTILEDB_VERSION:
        version = ".".join(map(str, LIBTILEDB_VERSION))
        import importlib.metadata

        release = importlib.metadata.version("tiledb")
        why = f"version {release} needs libtiledb {found}, and tiledb_rs is libtiledb {version}"
        raise _problem(why, install)
    return paths[0]


class _Finder:
    """Finds the extension modules of TileDB-Py in a folder of links."""

    def __init__(self):
        self.is_used = False
        self._links = None

    def find_spec(self, name, path=None, target=None):
        if name not in _EXTENSIONS or path is None:
            return None
        import importlib.machinery
        import importlib.util

        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:
            return None
        link = os.path.join(self._folder(spec.origin), os.path.basename(spec.origin))
        if not os.path.lexists(link):
            os.symlink(spec.origin, link)
        loader = importlib.machinery.ExtensionFileLoader(name, link)
        self.is_used = True
        return importlib.util.spec_from_file_location(name, link, loader=loader)

    def _folder(self, origin):
        """Returns the folder of links, which is created for the first extension module."""
        if self._links is None:
            import atexit
            import shutil
            import tempfile

            package = os.path.dirname(os.path.abspath(origin))
            bundled = _bundled(package)
            links = tempfile.mkdtemp(prefix="tiledb_rs-")
            # The dynamic linker has mapped the files by the time the links are removed.
            atexit.register(shutil.rmtree, links, ignore_errors=True)
            os.mkdir(os.path.join(links, "tiledb"))
            os.makedirs(os.path.join(links, os.path.dirname(bundled)), exist_ok=True)
            os.symlink(library(), os.path.join(links, bundled))
            self._links = links
        return os.path.join(self._links, "tiledb")


_finder = _Finder()


def install():
    """Starts to redirect. Called when the package is imported."""
    if not sys.platform.startswith("linux"):
        raise ImportError("tiledb_rs is built for Linux only")
    if "tiledb" in sys.modules and not _finder.is_used:
        raise ImportError("import tiledb_rs before tiledb, which uses its own libtiledb already")
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
