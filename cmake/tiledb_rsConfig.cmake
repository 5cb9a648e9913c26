# find_package(tiledb_rs): the targets of find_package(TileDB), and tiledb_rs::tiledb_rs as an alias
# of TileDB::tiledb.
include(CMakeFindDependencyMacro)
find_dependency(TileDB PATHS "${CMAKE_CURRENT_LIST_DIR}/../TileDB" NO_DEFAULT_PATH)

if(NOT TARGET tiledb_rs::tiledb_rs)
  add_library(tiledb_rs::tiledb_rs INTERFACE IMPORTED)
  set_target_properties(tiledb_rs::tiledb_rs PROPERTIES INTERFACE_LINK_LIBRARIES TileDB::tiledb)
endif()
