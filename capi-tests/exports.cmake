# Fails where the library that is shipped exports a name that is not TileDB's: cmake -DNM=...
# -DLIBRARY=... -P exports.cmake
#
# The crate's test `symbols` compares names one by one, on the library of a build without link-time
# optimisation.

execute_process(COMMAND "${NM}" -D --defined-only "${LIBRARY}" OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
string(REGEX MATCHALL "[^ \n]+\n" names "${listing}")
list(LENGTH names count)
list(FILTER names EXCLUDE REGEX "^tiledb_")
if(failed OR names OR count LESS 520)
  message(FATAL_ERROR "${count} exported names; those that are not TileDB's: ${names}")
endif()
