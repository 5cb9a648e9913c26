# A port of vcpkg; cargo and rustc must be on the PATH. Set SHA512 to that of the source archive.
find_program(CARGO cargo REQUIRED)
vcpkg_download_distfile(ARCHIVE
  URLS "https://example.org/releases/tiledb-rs-${VERSION}-source.tar.gz"
  FILENAME "tiledb-rs-${VERSION}-source.tar.gz"
  SHA512 0)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}")
vcpkg_cmake_build(TARGET tiledb_cargo)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME TileDB CONFIG_PATH lib/cmake/TileDB)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/THIRD-PARTY.md")
