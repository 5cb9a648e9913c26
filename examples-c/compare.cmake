# Runs a program twice and compares what it prints with a file: cmake -DPROGRAM=path|argument|...
# -DEXPECTED=file -P
string(REPLACE "|" ";" PROGRAM "${PROGRAM}")
file(READ "${EXPECTED}" expected)
foreach(run IN ITEMS first second)
  execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed ERROR_VARIABLE said RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "the ${run} run ends with ${code}: ${said}")
  endif()
  if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "the ${run} run prints\n${printed}\nnot\n${expected}")
  endif()
endforeach()
