# Runs cargo and defines its libraries as targets with the names of the installed package:
# TileDB::tiledb_shared, TileDB::tiledb_static, and TileDB::tiledb, which is the shared one.
#
# cargo is run on every build, because it determines what is out of date. Its files are copied to
# lib/ in the build tree under their installed names, where programs of the build tree find them at
# run time.

find_program(CARGO cargo HINTS "$ENV{CARGO_HOME}/bin" "$ENV{HOME}/.cargo/bin" REQUIRED)
set(TILEDB_CARGO_TARGET_DIR "${PROJECT_SOURCE_DIR}/target" CACHE PATH "Where cargo builds")
set(TILEDB_CARGO_FLAGS "--locked" CACHE STRING "More arguments for cargo")
separate_arguments(cargo_flags NATIVE_COMMAND "${TILEDB_CARGO_FLAGS}")

set(made "${TILEDB_CARGO_TARGET_DIR}/release")
set(TILEDB_SHARED_LIBRARY "${PROJECT_BINARY_DIR}/lib/libtiledb.so.2.30")
set(TILEDB_STATIC_LIBRARY "${PROJECT_BINARY_DIR}/lib/libtiledb.a")
# The output of `rustc --print native-static-libs` for this platform.
set(TILEDB_SYSTEM_LIBRARIES gcc_s util rt pthread m dl c)

# cargo compiles the codecs with the C compiler of the project. It builds everything anew when this
# variable changes, and CMake sets it in processes that configure and build, such as
# `ctest --build-and-test`.
set(cargo_environment "CARGO_TARGET_DIR=${TILEDB_CARGO_TARGET_DIR}")
if(NOT CMAKE_CROSSCOMPILING)
  list(APPEND cargo_environment "CC=${CMAKE_C_COMPILER}" "CXX=${CMAKE_CXX_COMPILER}")
endif()

file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
add_custom_target(tiledb_cargo ALL
  COMMAND "${CMAKE_COMMAND}" -E env ${cargo_environment}
          "${CARGO}" build --release --lib --package tiledb_rs ${cargo_flags}
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${made}/libtiledb_rs.so" "${TILEDB_SHARED_LIBRARY}"
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${made}/libtiledb_rs.a" "${TILEDB_STATIC_LIBRARY}"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink libtiledb.so.2.30 "${PROJECT_BINARY_DIR}/lib/libtiledb.so"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink libtiledb.so.2.30 "${PROJECT_BINARY_DIR}/lib/libtiledb_rs.so"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink libtiledb.a "${PROJECT_BINARY_DIR}/lib/libtiledb_rs.a"
  BYPRODUCTS "${TILEDB_SHARED_LIBRARY}" "${TILEDB_STATIC_LIBRARY}"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  COMMENT "cargo build --release"
  USES_TERMINAL VERBATIM)

add_library(TileDB::tiledb_shared SHARED IMPORTED GLOBAL)
set_target_properties(TileDB::tiledb_shared PROPERTIES
  IMPORTED_LOCATION "${TILEDB_SHARED_LIBRARY}"
  IMPORTED_SONAME libtiledb.so.2.30
  INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include")

add_library(TileDB::tiledb_static STATIC IMPORTED GLOBAL)
set_target_properties(TileDB::tiledb_static PROPERTIES
  IMPORTED_LOCATION "${TILEDB_STATIC_LIBRARY}"
  INTERFACE_LINK_LIBRARIES "${TILEDB_SYSTEM_LIBRARIES}"
  INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include")

add_library(TileDB::tiledb INTERFACE IMPORTED GLOBAL)
set_target_properties(TileDB::tiledb PROPERTIES INTERFACE_LINK_LIBRARIES TileDB::tiledb_shared)

foreach(target IN ITEMS TileDB::tiledb_shared TileDB::tiledb_static TileDB::tiledb)
  add_dependencies(${target} tiledb_cargo)
endforeach()
