# `cpack`, or `make deb`: the install tree as a Debian package for this machine's architecture.

# Packaging uses the existing build, and does not build the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME libtiledb-rs)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_VENDOR "TileDB in Rust")
set(CPACK_PACKAGE_CONTACT "TileDB in Rust <noreply@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
# The dependencies of the library: see TILEDB_SYSTEM_LIBRARIES.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libgcc-s1")
set(CPACK_DEBIAN_PACKAGE_CONFLICTS "libtiledb, libtiledb-dev")

include(GNUInstallDirs)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libtiledb-rs" RENAME copyright)
install(FILES "${PROJECT_SOURCE_DIR}/THIRD-PARTY.md" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libtiledb-rs")
include(CPack)
