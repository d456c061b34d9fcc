# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# usage: cmake -D folder=BUILD_FOLDER -D target=TARGET -D source=FILE -D config=CONFIG -P check.cmake
#
# Builds a target, which must fail with every message that the file announces, and with no others
# about calls.

execute_process(
  COMMAND ${CMAKE_COMMAND} --build ${folder} --target ${target} --config ${config}
  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(result EQUAL 0)
  message(FATAL_ERROR "${source} compiles, but must not")
endif()

file(STRINGS ${source} announced REGEX "^ *// error: ")
if(NOT announced)
  message(FATAL_ERROR "${source} announces no message")
endif()
foreach(line IN LISTS announced)
  string(REGEX REPLACE "^ *// error: " "" expected "${line}")
  string(FIND "${text}" "${expected}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "not said: ${expected}\n${text}")
  endif()
endforeach()
foreach(unwanted "no matching function" "no member named")
  string(FIND "${text}" "${unwanted}" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "said: ${unwanted}\n${text}")
  endif()
endforeach()
