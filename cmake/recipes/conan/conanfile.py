"""A recipe of Conan 2. `conan create cmake/recipes/conan` builds the checkout that it is a part of."""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load


class TileDbRs(ConanFile):
    name = "tiledb-rs"
    description = "Dense and sparse multi-dimensional arrays, with the C API and the file formats of libtiledb"
    license = "MIT"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"

    def _root(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", "..", ".."))

    def set_version(self):
        manifest = load(self, os.path.join(self._root(), "Cargo.toml"))
        self.version = re.search(r'\[workspace\.package\]\nversion = "([^"]+)"', manifest)[1]

    def export_sources(self):
        excluded = ["target/*", "build/*", ".git/*"]
        copy(self, "*", src=self._root(), dst=self.export_sources_folder, excludes=excluded)

    def generate(self):
        CMakeToolchain(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="tiledb_cargo")

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["tiledb"]
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "TileDB")]
