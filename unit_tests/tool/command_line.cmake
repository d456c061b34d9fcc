# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# Runs one case of command_line_cases.cmake in an empty folder.
#   cmake -D case=NAME -D wavescan=PROGRAM -D data=FOLDER -D work=FOLDER -P command_line.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
file(REAL_PATH ${data} data)

# run(ARGUMENTS...): sets `code`, `out` and `err`.
macro(run)
  execute_process(COMMAND ${wavescan} ${ARGN}
    WORKING_DIRECTORY ${work}
    RESULT_VARIABLE code
    OUTPUT_VARIABLE out
    ERROR_VARIABLE err)
  string(REPLACE ";" " " last_call "wavescan ${ARGN}")
endmacro()

function(fail what)
  message(FATAL_ERROR
    "${last_call}\n${what}\nexit code: ${code}\nstdout:\n${out}\nstderr:\n${err}")
endfunction()

# Runs the tool: it must succeed and print this, and on standard error nothing but progress.
function(expect_success printed)
  run(${ARGN})
  if(NOT code EQUAL 0)
    fail("expected success")
  elseif(NOT out MATCHES "${printed}")
    fail("expected on standard output: ${printed}")
  elseif(err MATCHES "[Ee]rror|[Ww]arning")
    fail("expected no complaint on standard error")
  endif()
endfunction()

# Runs the tool: it must fail with this exit code, say why in one message and leave no file behind.
function(expect_failure expected_code message)
  run(${ARGN})
  if(NOT code EQUAL expected_code)
    fail("expected exit code ${expected_code}")
  elseif(NOT err MATCHES "^wavescan: error: [^\n]*${message}")
    fail("expected on standard error: wavescan: error: ${message}")
  endif()
  file(GLOB left ${work}/out* ${work}/.*)
  if(left)
    fail("left behind: ${left}")
  endif()
endfunction()

# The member of the JSON object that the last call of run() printed.
function(expect_json expected)
  string(JSON value GET "${out}" ${ARGN})
  if(NOT value STREQUAL expected)
    fail("expected ${ARGN} to be ${expected}, got ${value}")
  endif()
endfunction()

function(expect_files)
  foreach(name ${ARGN})
    if(NOT EXISTS ${work}/${name})
      fail("expected the file ${name}")
    endif()
  endforeach()
endfunction()

# A file from its bytes, given in hexadecimal.
function(write_bytes name)
  string(JOIN "" hex ${ARGN})
  execute_process(COMMAND bash -c "printf '%b' \"$(echo $1 | sed 's/../\\\\x&/g')\"" bash "${hex}"
    OUTPUT_FILE ${work}/${name}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# A .npy file of format 1 from the bytes of its data, given in hexadecimal.
function(write_npy name descr shape hex)
  set(header "{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}}")
  string(LENGTH "${header}" length)
  math(EXPR low "${length}" OUTPUT_FORMAT HEXADECIMAL)
  string(REGEX REPLACE "^0x" "" low "${low}")
  execute_process(COMMAND bash -c
    "printf '\\x93NUMPY\\x01\\x00\\x${low}\\x00%s' \"$1\"; printf '%b' \"$(echo $2 | sed 's/../\\\\x&/g')\""
    bash "${header}" "${hex}"
    OUTPUT_FILE ${work}/${name}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Writes a file of these bytes.
function(write_hex name hex)
  execute_process(COMMAND bash -c "printf '%b' \"$(echo $1 | sed 's/../\\\\x&/g')\"" bash "${hex}"
    OUTPUT_FILE ${work}/${name}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The data of a .npy file in hexadecimal.
function(read_npy_data name bytes result)
  file(SIZE ${work}/${name} size)
  math(EXPR offset "${size} - ${bytes}")
  file(READ ${work}/${name} hex OFFSET ${offset} HEX)
  set(${result} ${hex} PARENT_SCOPE)
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/command_line_cases.cmake)
cmake_language(CALL case_${case})
