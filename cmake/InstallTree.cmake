# The tree that `cmake --install` creates: libraries with the names that programs expect, headers,
# and files for find_package(TileDB), find_package(tiledb_rs) and pkg-config.

include(CMakePackageConfigHelpers)

install(PROGRAMS "${TILEDB_SHARED_LIBRARY}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
# `cmake --install --strip` and packages strip files of targets only.
get_filename_component(library_name "${TILEDB_SHARED_LIBRARY}" NAME)
install(CODE "
  if(CMAKE_INSTALL_DO_STRIP)
    execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/${library_name}\" COMMAND_ERROR_IS_FATAL ANY)
  endif()")
install(FILES
  "${PROJECT_BINARY_DIR}/lib/libtiledb.so"
  "${PROJECT_BINARY_DIR}/lib/libtiledb_rs.so"
  "${TILEDB_STATIC_LIBRARY}"
  "${PROJECT_BINARY_DIR}/lib/libtiledb_rs.a"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}")

install(FILES
  "${PROJECT_SOURCE_DIR}/include/tiledb_rs.h"
  "${PROJECT_SOURCE_DIR}/include/tiledb_rs_enums.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tiledb" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/TileDBConfig.cmake.in" "${PROJECT_BINARY_DIR}/TileDBConfig.cmake"
  INSTALL_DESTINATION "${package_dir}/TileDB"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TileDBConfigVersion.cmake"
  VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TileDBConfig.cmake" "${PROJECT_BINARY_DIR}/TileDBConfigVersion.cmake"
  DESTINATION "${package_dir}/TileDB")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/tiledb_rsConfig.cmake" DESTINATION "${package_dir}/tiledb_rs")

# The tree is relocatable: paths are relative to this file.
file(RELATIVE_PATH TILEDB_PKGCONFIG_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" TILEDB_PKGCONFIG_PREFIX "${TILEDB_PKGCONFIG_PREFIX}")
list(TRANSFORM TILEDB_SYSTEM_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE system_flags)
list(JOIN system_flags " " TILEDB_PKGCONFIG_PRIVATE)
configure_file("${PROJECT_SOURCE_DIR}/cmake/tiledb.pc.in" "${PROJECT_BINARY_DIR}/tiledb.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tiledb.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
