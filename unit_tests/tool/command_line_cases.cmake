# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# The cases of command_line.cmake, a function case_<name> each. Included without it, this file only
# tells their names in `cases`.

set(commands info scan segments filter select unique pad sor inpaint sat threshold dither histogram align demo
  tune)
set(cases
  help version usage numbers info processes streams
  scan scan_bad_input segments segments_bad_input
  filter filter_wav filter_bad_input
  select unique pad sliding_bad_input
  sor sor_failures sor_file
  inpaint inpaint_bad_input
  sat threshold dither histogram histogram_bad_input
  align align_bad_input
  unwritable_output full_disk
  demo tune tune_bad_input)

function(case_help)
  expect_success("Usage: wavescan.*info.*scan.*segments.*filter.*select.*unique.*pad.*sor.*inpaint.*sat.*threshold.*dither.*histogram.*align.*demo.*tune"
    --help)
  foreach(command ${commands})
    expect_success("--json" ${command} --help)
  endforeach()
endfunction()

function(case_version)
  expect_success("^wavescan [0-9]+\\.[0-9]+\\.[0-9]+" --version)
endfunction()

function(case_usage)
  expect_failure(2 "a command is required")
  expect_failure(2 "nonsense" nonsense)
  expect_failure(2 "--nonsense" info --nonsense)
  expect_failure(2 "--threads" info --threads 0)
  expect_failure(2 "--threads" info --threads many)
  expect_failure(2 "--schedule" info --schedule zigzag)
  expect_failure(2 "input" scan)
  # Names that are not known are told before those that are missing.
  expect_failure(2 "unknown option --outptu; did you mean --output" scan in.npy --outptu out.npy)
  expect_failure(2 "unknown command scna; did you mean scan" scna)
  expect_failure(2 "unexpected argument b.npy" scan a.npy b.npy -o out.npy)
  expect_failure(2 "would hold what is in .npy files" scan in.npy -o out.png)
  expect_failure(2 "would hold what is in .png files" sor --size 3 --plot out.JPG)
  run(info --threads 0 --json)
  expect_json("2" error exit_code)
  expect_json("--threads: must be a whole number of at least 1, got 0" error message)
endfunction()

# Numbers are decimal, have the type of the array, and are all there in a list.
function(case_numbers)
  write_npy(in.npy "|u1" "(1, 1)" 07)
  expect_success("1 x 10, uint8" pad in.npy -o ten.npy --columns 010)
  expect_success("1 x 8, uint8" pad in.npy -o eight.npy --columns 08 --leading 00 --threads 01)
  # 2^53 and 2^53 + 1
  write_npy(long.npy "<i8" "(2, 1)" 00000000000020000100000000002000)
  expect_success("Kept 1 of 2" select long.npy -o odd.npy --above 9007199254740992)
  expect_data(odd.npy 8 0100000000002000)
  expect_success("Kept 1 of 2" select long.npy -o even.npy --below 9007199254740993)
  expect_success("Wrote" pad odd.npy -o padded.npy --columns 2 --fill 9007199254740993)
  expect_data(padded.npy 16 01000000000020000100000000002000)
  # 2^64 - 1 and 2^63
  write_npy(unsigned.npy "<u8" "(2,)" ffffffffffffffff0000000000000080)
  expect_success("Kept 1 of 2" select unsigned.npy -o most.npy --above 18446744073709551614)
  expect_data(most.npy 8 ffffffffffffffff)
  write_npy(float.npy "<f4" "(1, 1)" 0000803f)
  foreach(fill 1e300 1e-300 0x10 1,)
    expect_failure(2 "--fill: must be a number that float32 holds"
      pad float.npy -o out.npy --columns 2 --fill ${fill})
  endforeach()
  expect_failure(2 "--above: must not be NaN" select float.npy -o out.npy --above nan)
  expect_failure(2 "--below: must be a number that uint8 holds, .* got 256"
    select in.npy -o out.npy --below 256)
  expect_failure(2 "--above: must be a number that uint8 holds" select in.npy -o out.npy --above 0.5)
  expect_failure(2 "--a: .*got '' in '1,,0.5'" filter in.npy -o out.npy --b 1 --a 1,,0.5)
  expect_failure(2 "--b: .*got '' in ','" filter in.npy -o out.npy --b ,)
  expect_failure(2 "--sos: .*got ''" filter in.npy -o out.npy --sos 1,0,0,1,0,)
  expect_failure(2 "--axis: must be a whole number" filter in.npy -o out.npy --b 1 --axis 0x0)
endfunction()

# Several processes of a tool that sees itself alone would write the same files.
function(case_processes)
  set(ENV{SLURM_STEP_NUM_TASKS} 2)
  expect_failure(2 "2 processes were started, which do not know of each other" info)
  set(ENV{SLURM_STEP_NUM_TASKS} 1)
  expect_success("MPI +[^ ]" info)
endfunction()

# expect_shell(SCRIPT): runs it in the folder, with the tool as $wavescan: it must succeed.
function(expect_shell script)
  execute_process(COMMAND bash -e -o pipefail -c "wavescan='${wavescan}'; ${script}"
    WORKING_DIRECTORY ${work} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(last_call "${script}")
  if(NOT code EQUAL 0)
    fail("expected success")
  endif()
endfunction()

# Standard input and output, pipes, files that are open already
function(case_streams)
  write_npy(in.npy "<i8" "(2,)" 01000000000000000200000000000000)
  expect_success("Wrote" scan in.npy -o expected.npy)
  expect_shell("$wavescan scan - -o - <in.npy 2>said >stream.npy; grep -q Wrote said")
  expect_shell("$wavescan scan in.npy -o /dev/fd/3 3>&1 >said | cat >pipe.npy")
  expect_shell("$wavescan scan in.npy -o /dev/fd/3 3>open.npy")
  foreach(name stream pipe open)
    expect_shell("cmp expected.npy ${name}.npy")
  endforeach()
  write_hex(in.wav 524946462c00000057415645666d7420100000000100020044ac000010b10200040010006461746108000000004000c000000000)
  expect_shell("$wavescan filter - -o - --b 0.5 <in.wav >half.wav")
  expect_data(half.wav 8 002000e000000000)
  expect_failure(2 "--json: takes standard output" scan in.npy -o - --json)
  expect_failure(2 "standard input is taken already" inpaint - --mask - -o out.png)
  expect_failure(2 "standard output is taken already" sor --size 3 -o - --plot -)
  expect_shell("! $wavescan scan - -o out.npy </dev/null 2>said; grep 'input: is not a .npy file' said")
endfunction()

function(case_info)
  expect_success("WaveScan .*Kokkos .*Execution spaces .*concurrency" info)
  run(info --json --threads 2 --schedule tile-skewed)
  expect_json("tile-skewed" schedule)
  string(JSON spaces GET "${out}" execution_spaces)
  if(spaces MATCHES "OpenMP|Threads")
    expect_json("2" host_concurrency)
  else()
    expect_json("1" host_concurrency)
  endif()
  string(JSON version GET "${out}" version)
  run(--version)
  if(NOT out MATCHES "wavescan ${version}")
    fail("expected the same version from info")
  endif()
endfunction()

# expect_scans(INPUT TYPE BYTES CALL=DATA...): checks scans of a file, given what follows --op, and
# the bytes of the result.
function(expect_scans input type bytes)
  foreach(call ${ARGN})
    string(REGEX REPLACE "=.*" "" arguments "${call}")
    string(REGEX REPLACE ".*=" "" expected "${call}")
    separate_arguments(arguments)
    expect_success("Wrote out.npy .${type}" scan ${input} -o out.npy --op ${arguments})
    read_npy_data(out.npy ${bytes} found)
    if(NOT found STREQUAL expected)
      fail("expected the data ${expected}, got ${found}")
    endif()
  endforeach()
endfunction()

function(case_scan)
  # 1 2 3 4 as int32; integers become int64
  write_npy(in.npy "<i4" "(4,)" 01000000020000000300000004000000)
  expect_scans(in.npy int64 32
    "plus=0100000000000000030000000000000006000000000000000a00000000000000"
    "times=0100000000000000020000000000000006000000000000001800000000000000"
    "max=0100000000000000020000000000000003000000000000000400000000000000"
    "min=0100000000000000010000000000000001000000000000000100000000000000"
    "plus --exclusive=0000000000000000010000000000000003000000000000000600000000000000"
    "plus --weight 2=010000000000000004000000000000000b000000000000001a00000000000000"
    "max --weight -1=0100000000000000020000000000000003000000000000000400000000000000"
    "min --weight 1=0100000000000000020000000000000003000000000000000400000000000000")
  # 2^63 + 1, 1, 2^64 - 1, 2: larger than any number with a sign
  write_npy(large.npy "<u8" "(4,)"
    01000000000000800100000000000000ffffffffffffffff0200000000000000)
  expect_scans(large.npy uint64 32
    "max=01000000000000800100000000000080ffffffffffffffffffffffffffffffff"
    "min=0100000000000080010000000000000001000000000000000100000000000000"
    "plus=0100000000000080020000000000008001000000000000800300000000000080"
    "max --exclusive=000000000000000001000000000000800100000000000080ffffffffffffffff"
    "plus --weight 1=0100000000000080020000000000008001000000000000800300000000000080"
    "max --weight 1=01000000000000800200000000000080ffffffffffffffffffffffffffffffff"
    "min --weight 1=0100000000000080010000000000000002000000000000000200000000000000")
  file(REMOVE ${work}/out.npy)
  expect_failure(2 "--weight: must be a number that uint64 holds" scan large.npy -o out.npy --op max --weight -1)
  # No entries, but many rows
  write_npy(empty.npy "|u1" "(1152921504606846976, 0)" "")
  expect_success("Wrote empty_too.npy .int64" scan empty.npy -o empty_too.npy)
  # JSON is UTF-8, names of files need not be.
  write_npy(name.npy "<i4" "(1,)" 01000000)
  execute_process(COMMAND bash -c "name=$(printf 'caf\\xe9.npy'); cp name.npy \"$name\" && \
      '${wavescan}' scan \"$name\" -o out.npy --json"
    WORKING_DIRECTORY ${work} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  expect_json("int64" type)
  # 1 2 / 3 4 along the columns
  write_npy(bytes.npy "|u1" "(2, 2)" 01020304)
  run(scan bytes.npy -o out.npy --axis 0 --json)
  expect_json("int64" type)
  expect_json("0" axis)
  read_npy_data(out.npy 32 found)
  if(NOT found STREQUAL "0100000000000000020000000000000004000000000000000600000000000000")
    fail("wrong column sums ${found}")
  endif()
  # Counted from the last one.
  run(scan bytes.npy -o out.npy --axis -2 --json)
  expect_json("int64" type)
  expect_data(out.npy 32 0100000000000000020000000000000004000000000000000600000000000000)
  file(REMOVE ${work}/out.npy)
  expect_failure(2 "--axis" scan bytes.npy -o out.npy --axis -3)
endfunction()

# expect_data(NAME BYTES HEX): the data of a file.
function(expect_data name bytes expected)
  read_npy_data(${name} ${bytes} found)
  if(NOT found STREQUAL expected)
    fail("expected the data ${expected}, got ${found}")
  endif()
endfunction()

# expect_segments(BYTES CALL=DATA...): checks scans or totals of in.npy, given what else is said.
function(expect_segments bytes)
  foreach(call ${ARGN})
    string(REGEX REPLACE "=.*" "" arguments "${call}")
    string(REGEX REPLACE ".*=" "" expected "${call}")
    separate_arguments(arguments)
    expect_success("Wrote out.npy .float32., [34] segments" segments in.npy -o out.npy ${arguments})
    expect_data(out.npy ${bytes} ${expected})
  endforeach()
endfunction()

function(case_segments)
  # 1 2 3 4 as float32, in segments of 1, 0, 2 and 1 elements
  write_npy(in.npy "<f4" "(4,)" 0000803f000000400000404000008040)
  write_npy(offsets.npy "<i4" "(5,)" 0000000001000000010000000300000004000000)
  write_npy(keys.npy "|u1" "(4,)" 05070705)
  write_npy(heads.npy "|b1" "(4,)" 00010001)
  expect_segments(16
    "--offsets offsets.npy=0000803f000000400000a04000008040"
    "--keys keys.npy=0000803f000000400000a04000008040"
    "--heads heads.npy=0000803f000000400000a04000008040"
    "--keys keys.npy --exclusive=00000000000000000000004000000000"
    "--keys keys.npy --reverse=0000803f0000a0400000404000008040"
    "--keys keys.npy --op max --reverse=0000803f000040400000404000008040"
    "--offsets offsets.npy --totals=0000803f000000000000a04000008040")
  expect_segments(12 "--keys keys.npy --totals --op min=0000803f0000004000008040")
  # Integers become int64; nothing has no segments by keys.
  expect_success("Wrote out.npy .int64., 3 segments" segments keys.npy --keys keys.npy -o out.npy --totals)
  expect_data(out.npy 24 05000000000000000e000000000000000500000000000000)
  write_npy(empty.npy "<f8" "(0,)" "")
  expect_success("0 segments" segments empty.npy --keys empty.npy -o out.npy)
endfunction()

function(case_segments_bad_input)
  write_npy(in.npy "<f4" "(4,)" 0000803f000000400000404000008040)
  write_npy(short.npy "|u1" "(3,)" 000000)
  write_npy(falls.npy "<i4" "(3,)" 000000000500000004000000)
  write_npy(matrix.npy "|u1" "(2, 2)" 00000000)
  expect_failure(2 "needs one of --offsets, --keys and --heads" segments in.npy -o out.npy)
  expect_failure(2 "needs one of" segments in.npy --keys in.npy --heads in.npy -o out.npy)
  expect_failure(2 "--keys: must have 4 elements, as the input, got 3" segments in.npy --keys short.npy -o out.npy)
  expect_failure(2 "--offsets: must be integers, got float32" segments in.npy --offsets in.npy -o out.npy)
  expect_failure(2 "'offsets' must end with the number of elements, 4" segments in.npy --offsets falls.npy -o out.npy)
  expect_failure(2 "matrix.npy must have rank 1" segments matrix.npy --keys in.npy -o out.npy)
  expect_failure(2 "--reverse: has no effect on totals" segments in.npy --keys in.npy --totals --reverse -o out.npy)
  expect_failure(2 "--op" segments in.npy --keys in.npy --op times -o out.npy)
endfunction()

function(case_filter)
  # 8 0 0 4 as float32: y[j] = x[j] + y[j-1] / 2 gives 8 4 2 5
  write_npy(in.npy "<f4" "(4,)" 00000041000000000000000000008040)
  expect_success("Wrote out.npy .float32" filter in.npy -o out.npy --b 1 --a 1,-0.5)
  expect_data(out.npy 16 0000004100008040000000400000a040)
  run(filter in.npy -o out.npy --sos "1,0,0,1,-0.5,0" --plot out.png --json)
  expect_json("float32" type)
  expect_data(out.npy 16 0000004100008040000000400000a040)
  # Integers become float64; columns 1 1 / 1 1 as sums down the columns: 1 1 / 2 2
  write_npy(rows.npy "|u1" "(2, 2)" 01010101)
  expect_success("float64" filter rows.npy -o out.npy --b 1 --a 1,-1 --axis 0)
  expect_data(out.npy 32 000000000000f03f000000000000f03f00000000000000400000000000000040)
  write_npy(empty.npy "<f8" "(0,)" "")
  expect_success("Wrote" filter empty.npy -o out.npy --b 1)
  # A pole at 2, also beside one at 1/2, is told; one at 1 is not (above).
  foreach(denominator 1,-2 1,-2.5,1)
    run(filter in.npy -o out.npy --b 1 --a ${denominator} --json)
    expect_json("the filter is unstable: a pole lies outside the unit circle" warnings 0)
    if(NOT err MATCHES "warning: the filter is unstable")
      fail("expected a warning")
    endif()
  endforeach()
  run(filter in.npy -o out.npy --sos 1,0,0,1,0,-4 --json)
  expect_json("the filter is unstable: a pole lies outside the unit circle" warnings 0)
endfunction()

function(case_filter_wav)
  # Two channels of 16 bits: (16384, -16384), (0, 0), halved by the filter
  write_hex(in.wav 524946462c00000057415645666d7420100000000100020044ac000010b10200040010006461746108000000004000c000000000)
  expect_success("Wrote out.wav .sound" filter in.wav -o out.wav --b 0.5)
  expect_data(out.wav 8 002000e000000000)
  file(SIZE ${work}/out.wav size)
  if(NOT size EQUAL 52)
    fail("expected 52 bytes, got ${size}")
  endif()
endfunction()

function(case_filter_bad_input)
  write_npy(in.npy "<f4" "(2,)" 0000004100000000)
  expect_failure(2 "a filter is required" filter in.npy -o out.npy)
  expect_failure(2 "'a' must begin" filter in.npy -o out.npy --b 1 --a 0,1)
  expect_failure(2 "six numbers" filter in.npy -o out.npy --sos 1,2)
  expect_failure(2 "takes the place" filter in.npy -o out.npy --sos 1,0,0,1,0,0 --b 1)
  expect_failure(2 "both be WAV" filter in.npy -o out.wav --b 1)
  expect_failure(2 "would hold what is in .npy files" filter in.npy -o out.mp3 --b 1)
  write_hex(bad.wav 52494646)
  expect_failure(2 "is no WAV file" filter bad.wav -o out.wav --b 1)
endfunction()

function(case_select)
  # 5 1 4 2 as int16
  write_npy(in.npy "<i2" "(4,)" 0500010004000200)
  expect_success("Kept 2 of 4, wrote out.npy .int16" select in.npy -o out.npy --above 2)
  expect_data(out.npy 4 05000400)
  run(select in.npy -o out.npy --above 1 --below 5 --invert --json)
  expect_json("2" kept)
  expect_json("int16" type)
  expect_data(out.npy 4 05000100)
  # 1.5 nan -inf as float32
  write_npy(special.npy "<f4" "(3,)" 0000c03f0000c07f000080ff)
  expect_success("Kept 1 of 3" select special.npy -o out.npy --finite)
  expect_data(out.npy 4 0000c03f)
  # Rows 1 2 / 3 4 / 5 6
  write_npy(rows.npy "|u1" "(3, 2)" 010203040506)
  expect_success("Kept 2 of 3" select rows.npy -o out.npy --above 2)
  expect_data(out.npy 4 03040506)
  write_npy(empty.npy "<f8" "(0,)" "")
  expect_success("Kept 0 of 0" select empty.npy -o out.npy --above 2)
endfunction()

function(case_unique)
  write_npy(in.npy "|u1" "(6,)" 010102020201)
  expect_success("Kept 3 of 6, wrote out.npy .uint8" unique in.npy -o out.npy)
  expect_data(out.npy 3 010201)
  write_npy(rows.npy "|u1" "(3, 2)" 010201020103)
  run(unique rows.npy -o out.npy --json)
  expect_json("2" kept)
  expect_data(out.npy 4 01020103)
  # bool remains bool; any byte but 0 is true.
  write_npy(bool.npy "|b1" "(5,)" 0002010003)
  expect_success("Kept 4 of 5, wrote bits.npy .bool" unique bool.npy -o bits.npy)
  expect_data(bits.npy 4 00010001)
  expect_success("Kept 2 of 4, wrote true.npy .bool" select bits.npy -o true.npy --above 0)
  file(REMOVE ${work}/out.npy)
  expect_failure(2 "--above: must be a number that bool holds" select bits.npy -o out.npy --above 2)
endfunction()

function(case_pad)
  write_npy(in.npy "<i2" "(2, 2)" 0100020003000400)
  expect_success("Wrote out.npy .2 x 4, int16"
    pad in.npy -o out.npy --columns 4 --leading 1 --fill -1)
  expect_data(out.npy 16 ffff01000200ffffffff03000400ffff)
  run(pad out.npy -o back.npy --columns 2 --leading 1 --json)
  expect_json("2" columns)
  expect_data(back.npy 8 0100020003000400)
  write_npy(floats.npy "<f4" "(1, 1)" 0000803f)
  expect_success("1 x 2, float32" pad floats.npy -o floats.npy --columns 2 --fill 1.5)
  expect_data(floats.npy 8 0000803f0000c03f)
endfunction()

function(case_sliding_bad_input)
  write_npy(in.npy "<i2" "(2, 2)" 0100020003000400)
  write_npy(line.npy "<i2" "(4,)" 0100020003000400)
  expect_failure(2 "select: needs --above" select in.npy -o out.npy)
  expect_failure(2 "none.npy: cannot be read" unique none.npy -o out.npy)
  expect_failure(2 "line.npy: must have rank 2" pad line.npy -o out.npy --columns 8)
  expect_failure(2 "--leading: 4 columns have no room" pad in.npy -o out.npy --columns 4 --leading 3)
  expect_failure(2 "--columns" pad in.npy -o out.npy --columns -1)
  expect_failure(2 "--columns" pad in.npy -o out.npy)
  expect_failure(2 "--fill: must be a number that int16 holds" pad in.npy -o out.npy --columns 4 --fill 0.5)
  expect_failure(2 "--fill: must be a number that int16 holds" pad in.npy -o out.npy --columns 4 --fill 40000)
  expect_failure(2 "--fill: has no effect where columns are left out"
    pad in.npy -o out.npy --columns 1 --fill 1)
endfunction()

function(case_scan_bad_input)
  write_npy(in.npy "<i4" "(2,)" 0100000002000000)
  write_npy(big_endian.npy ">i4" "(2,)" 0000000100000002)
  write_npy(complex.npy "<c8" "(1,)" 0000000000000000)
  write_npy(cube.npy "<i4" "(1, 1, 2)" 0100000002000000)
  write_npy(short.npy "<i4" "(3,)" 0100000002000000)
  file(WRITE ${work}/text.npy "1 2 3")
  expect_failure(2 "none.npy: cannot be read" scan none.npy -o out.npy)
  expect_failure(2 "text.npy: is not a .npy file" scan text.npy -o out.npy)
  expect_failure(2 "big_endian.npy: .*big-endian" scan big_endian.npy -o out.npy)
  expect_failure(2 "complex.npy: .*'<c8'" scan complex.npy -o out.npy)
  expect_failure(2 "cube.npy: has rank 3" scan cube.npy -o out.npy)
  expect_failure(2 "short.npy: holds 8 bytes" scan short.npy -o out.npy)
  expect_failure(2 "--axis" scan in.npy -o out.npy --axis 1)
  expect_failure(2 "--op" scan in.npy -o out.npy --op minus)
  expect_failure(2 "--weight" scan in.npy -o out.npy --weight 0.5)
  expect_failure(2 "--weight" scan in.npy -o out.npy --weight 2 --op times)
  expect_failure(2 "--exclusive" scan in.npy -o out.npy --weight 2 --exclusive)
  write_npy(float.npy "<f4" "(1,)" 0000803f)
  expect_failure(2 "--weight" scan float.npy -o out.npy --weight 1e300)
  expect_failure(2 "--weight" scan float.npy -o out.npy --weight nan)
  expect_failure(2 "--output" scan in.npy)
endfunction()

function(case_sor)
  foreach(schedule serial tile-skewed auto)
    expect_success("schedule ${schedule}[:\n].*converged.*largest error" sor --size 31 --schedule ${schedule})
  endforeach()
  foreach(order forward backward symmetric)
    expect_success("converged" sor --size 20x31 --order ${order})
  endforeach()
  expect_success("Wrote u.npy" sor --size 20x31 -o u.npy --plot residual.png)
  expect_files(u.npy residual.png)
  expect_success("Compared" threshold residual.png -o out.png) # the plot is a PNG image
  run(sor --size 31 --json)
  expect_json("converged" solve outcome)
  string(JSON error GET "${out}" largest_error)
  if(NOT error LESS 0.001)
    fail("expected a small error, got ${error}")
  endif()
endfunction()

function(case_sor_failures)
  expect_failure(1 "not converged: sweep limit reached" sor --size 31 --max-sweeps 5 -o out.npy)
  # What there is can be kept.
  run(sor --size 31 --max-sweeps 5 --keep -o kept.npy --json)
  expect_json("sweep limit reached" solve outcome)
  expect_json("1" error exit_code)
  expect_files(kept.npy)
  if(NOT code EQUAL 1 OR NOT err MATCHES "not converged: sweep limit reached")
    fail("expected a failure")
  endif()
  expect_failure(2 "--omega: must be a number greater than 0 and less than 2, got 2" sor --size 31 --omega 2)
  expect_failure(2 "--omega" sor --size 31 --omega nan)
  expect_failure(2 "--size" sor --size 3x)
  expect_failure(2 "--size" sor --size 0)
  expect_failure(2 "--size or --rhs" sor)
  expect_failure(2 "--size or --rhs" sor --size 3 --rhs f.npy)
  expect_failure(2 "--spacing" sor --size 3 --spacing 1)
  write_npy(vector.npy "<f8" "(1,)" 000000000000f03f)
  expect_failure(2 "vector.npy: has rank 1" sor --rhs vector.npy)
  # infinity
  write_npy(infinite.npy "<f8" "(1, 1)" 000000000000f07f)
  expect_failure(1 "not converged: data not finite" sor --rhs infinite.npy -o out.npy)
endfunction()

function(case_sor_file)
  # One point: 4 u = h h f, here u = 1.
  write_npy(f.npy "<f8" "(1, 1)" 0000000000001040)
  expect_success("Wrote u.npy" sor --rhs f.npy --spacing 1 -o u.npy)
  read_npy_data(u.npy 8 found)
  if(NOT found STREQUAL "000000000000f03f")
    fail("expected 1 as float64, got ${found}")
  endif()
endfunction()

# A mask of the size of camera.png, white where the picture is bright.
function(make_mask)
  run(threshold ${data}/camera.png -o mask.png --method otsu)
endfunction()

function(case_inpaint)
  make_mask()
  expect_success("Restored [0-9]+ of 262144 pixels: converged"
    inpaint ${data}/camera.png --mask mask.png -o restored.png --plot residual.png)
  expect_files(restored.png residual.png)
  # Colours are restored, each channel by itself: of 3 x 3 pixels the one in the middle.
  write_bytes(damaged.png
    89504e470d0a1a0a0000000d4948445200000003000000030802000000d94a22e8000000154944415478da633891
    6204410c20ccc00065411000a8de0af1a87974fe0000000049454e44ae426082)
  write_bytes(whole.png
    89504e470d0a1a0a0000000d4948445200000003000000030802000000d94a22e8000000104944415478da633891
    6204410c585800bdf60c4f209c1f820000000049454e44ae426082)
  write_bytes(middle.png
    89504e470d0a1a0a0000000d49484452000000030000000308000000007343ea630000000e4944415478da636000
    81ff6012000606010060891d820000000049454e44ae426082)
  write_bytes(nothing.png
    89504e470d0a1a0a0000000d49484452000000030000000308000000007343ea630000000b4944415478da636040
    0000000c0001efe833250000000049454e44ae426082)
  run(inpaint damaged.png --mask middle.png -o colours.png --plot colours_residual.png --json)
  expect_json("3" channels)
  expect_json("converged" solves 2 outcome)
  file(READ ${work}/colours.png type OFFSET 25 LIMIT 1 HEX)
  if(NOT type STREQUAL 02)
    fail("expected an image of colours, got the type ${type}")
  endif()
  run(inpaint whole.png --mask nothing.png -o again.png)
  if(NOT err MATCHES "warning: nothing.png: has no white pixel")
    fail("expected a warning")
  endif()
  file(SHA256 ${work}/colours.png a)
  file(SHA256 ${work}/again.png b)
  if(NOT a STREQUAL b)
    fail("expected the colour that is around the lost pixel")
  endif()
  # Nothing is lost where the mask is black: the image comes back.
  expect_success("Wrote black.png" threshold ${data}/camera.png -o black.png --fraction 0 --bright
    --radius 0)
  run(inpaint ${data}/camera.png --mask black.png -o same.png --json)
  expect_json("0" lost_pixels)
  run(sat ${data}/camera.png -o a.npy)
  run(sat same.png -o b.npy)
  file(SHA256 ${work}/a.npy a)
  file(SHA256 ${work}/b.npy b)
  if(NOT a STREQUAL b)
    fail("expected the image to come back as it was")
  endif()
endfunction()

function(case_inpaint_bad_input)
  make_mask()
  expect_failure(2 "coins.png: has 303 x 384 pixels, expected 512 x 512"
    inpaint ${data}/camera.png --mask ${data}/coins.png -o out.png)
  expect_success("" threshold ${data}/camera.png -o white.png --fraction 1)
  expect_failure(2 "no known pixel" inpaint ${data}/camera.png --mask white.png -o out.png)
  expect_failure(2 "--mask" inpaint ${data}/camera.png -o out.png)
  expect_failure(2 "README.md: is not a PNG image"
    inpaint ${data}/README.md --mask mask.png -o out.png)
  expect_failure(2 "omega" inpaint ${data}/camera.png --mask mask.png -o out.png --omega 2.5)
  expect_failure(1 "not converged: sweep limit reached"
    inpaint ${data}/camera.png --mask mask.png -o out.png --max-sweeps 1)
  run(inpaint ${data}/camera.png --mask mask.png -o kept.png --max-sweeps 1 --keep)
  expect_files(kept.png)
  if(NOT code EQUAL 1 OR NOT err MATCHES "not converged: sweep limit reached")
    fail("expected a failure")
  endif()
endfunction()

function(case_sat)
  expect_success("Sum of all 262144 pixels" sat ${data}/camera.png -o table.npy)
  file(SHA256 ${work}/table.npy a)
  expect_success("Wrote squares.npy" sat ${data}/camera.png -o again.npy --squares squares.npy)
  file(SHA256 ${work}/again.npy b)
  if(NOT a STREQUAL b)
    fail("expected the same table beside that of squares")
  endif()
  expect_success("Sum of all 262144 pixels" sat ${data}/camera.png -o border.npy --border)
  file(SIZE ${work}/table.npy inclusive)
  file(SIZE ${work}/border.npy bordered)
  math(EXPR more "${bordered} - ${inclusive}")
  if(NOT more EQUAL 8200) # (513 * 513 - 512 * 512) numbers of 8 bytes
    fail("expected one row and one column more, got ${more} bytes")
  endif()
  expect_failure(2 "none.png: cannot be read" sat none.png -o out.npy)
endfunction()

function(case_threshold)
  expect_success("Wrote a.png" threshold ${data}/coins.png -o a.png)
  expect_success("Wrote b.png" threshold ${data}/coins.png -o b.png --bright --radius 24
    --fraction 0.1)
  expect_success("Pixels brighter than [0-9]+ are white" threshold ${data}/coins.png -o c.png
    --method otsu)
  expect_success("Wrote d.png" threshold ${data}/coins.png -o d.png --method sauvola --k 0.3)
  expect_files(a.png b.png c.png d.png)
  expect_failure(2 "--k" threshold ${data}/coins.png -o out.png --method sauvola --k 2)
  expect_failure(2 "--fraction" threshold ${data}/coins.png -o out.png --fraction 1.5)
  expect_failure(2 "--radius" threshold ${data}/coins.png -o out.png --radius -1)
  foreach(call "otsu --fraction 0.1" "sauvola --fraction 0.1" "bradley --k 0.1" "otsu --radius 3"
      "otsu --bright")
    separate_arguments(call)
    expect_failure(2 "has no effect with --method" threshold ${data}/coins.png -o out.png --method ${call})
  endforeach()
endfunction()

# The image has two levels, the same in both schedules and on any number of threads.
function(case_dither)
  expect_success("Diffused the errors of 2 levels, wrote default.png" dither ${data}/camera.png -o default.png)
  run(dither ${data}/camera.png -o serial.png --schedule serial --json)
  expect_json("serial" schedule)
  expect_json("2" levels)
  run(dither ${data}/camera.png -o skewed.png --schedule tile-skewed --threads 2)
  file(SHA256 ${work}/default.png expected)
  foreach(schedule serial skewed)
    file(SHA256 ${work}/${schedule}.png got)
    if(NOT got STREQUAL expected)
      fail("expected the image of the default schedule from ${schedule}")
    endif()
  endforeach()
  # With all levels nothing is lost.
  run(dither ${data}/camera.png -o same.png --levels 256)
  run(sat ${data}/camera.png -o a.npy)
  run(sat same.png -o b.npy)
  file(SHA256 ${work}/a.npy a)
  file(SHA256 ${work}/b.npy b)
  if(NOT a STREQUAL b)
    fail("expected the image to come back as it was")
  endif()
  expect_failure(2 "--levels" dither ${data}/camera.png -o out.png --levels 1)
  expect_failure(2 "--levels" dither ${data}/camera.png -o out.png --levels 257)
  expect_failure(2 "is not a PNG image" dither ${data}/README.md -o out.png)
endfunction()

function(case_histogram)
  expect_success("gray level +0,0,303,384" histogram ${data}/coins.png)
  run(histogram ${data}/coins.png --bins 1 --region 0,0,10,20 5,5,5,5 --json -o counts.npy
    --plot plot.png)
  expect_json("200" regions 0 counts 0)
  expect_json("0" regions 1 counts 0)
  expect_files(counts.npy plot.png)
  # One region is counted, many come from an integral histogram: here in parts, of at most 144 bins.
  foreach(count 1 257)
    string(REPEAT "0,0,303,384;" ${count} regions)
    run(histogram ${data}/coins.png --bins 256 --json --region ${regions})
    expect_json("1142" regions 0 counts 40)
    expect_json("453" regions 0 counts 143)
    expect_json("448" regions 0 counts 144)
    expect_json("197" regions 0 counts 200)
  endforeach()
  run(histogram ${data}/coins.png --bins 1 --region 0,0,10,20 5,5,5,5 --plot again.png)
  file(SHA256 ${work}/plot.png plot)
  file(SHA256 ${work}/again.png again)
  if(NOT plot STREQUAL again)
    fail("expected the same picture again")
  endif()
endfunction()

function(case_histogram_bad_input)
  foreach(region 0,0,304,1 0,0,1,385 -1,0,1,1 5,5,4,6 1,2,3 1,2,3,4,5 a,b,c,d)
    expect_failure(2 "--region: .*${region}" histogram ${data}/coins.png --region ${region})
  endforeach()
  expect_failure(2 "--bins" histogram ${data}/coins.png --bins 0)
  expect_failure(2 "--bins" histogram ${data}/coins.png --bins 257)
  # One pixel of 16 bits: the command itself knows how many bins there can be, and does not ask for
  # memory first.
  write_bytes(deep.png
    89504e470d0a1a0a0000000d49484452000000010000000110000000006aee471600
    00000b49444154789c6360640200000700047649e3280000000049454e44ae426082)
  expect_failure(2 "--bins: expected at most 32767" histogram deep.png --bins 65536)
  # 40000 columns, more than can be drawn: nothing is written.
  write_bytes(wide.png
    89504e470d0a1a0a0000000d4948445200009c40000000010100000000951bf6290000001c4944415478daedc131
    01000000c2a0f54f6d0a3fa00000000080bb0113890001a09866dd0000000049454e44ae426082)
  expect_failure(2 "40572 columns cannot be drawn" histogram wide.png -o out.npy --plot out.png)
endfunction()

function(case_align)
  file(WRITE ${work}/a.fa ">first\nTTGATTACATT\n>second\nCCCC\n")
  file(WRITE ${work}/b.fa ">only\nggattxca\n")
  expect_failure(2 "b.fa: line 2: illegal letter 'x'" align a.fa b.fa)
  file(WRITE ${work}/b.fa ">only\nggattaca\n")
  expect_success("score 14, identity 100.0 %.*CIGAR 7=" align a.fa b.fa)
  run(align a.fa b.fa --json --cigar cigar.txt --alignment alignment.txt)
  expect_json("14" score)
  expect_json("7=" cigar)
  expect_json("2" begin_a)
  expect_files(cigar.txt alignment.txt)
  file(WRITE ${work}/c.fa ">other\nGGG\n")
  expect_success("no similarity found" align a.fa c.fa --name-a second --name-b other
    --match 1 --mismatch -5 --gap 9 --alphabet protein)
  expect_success("score 14" align a.fa b.fa --score-only)
  expect_success("score 0" align a.fa b.fa --score-only --mode global --gap 3 --gap-open 2)
  expect_success("score 5" align a.fa b.fa --score-only --mode semi-global
    --free-ends begin-a,begin-b --gap 3 --gap-open 2)
  file(WRITE ${work}/scores.txt "# letters\n   A C G T\nA  3 -1 -1 -1\nC -1 3 -1 -1\nG -1 -1 3 -1\nT -1 -1 -1 3\n")
  expect_success("score 21" align a.fa b.fa --score-only --matrix scores.txt)
  expect_success("score 35" align a.fa b.fa --score-only --matrix NUC.4.4)
  run(align a.fa b.fa --sam out.sam --paf out.paf --plot path.png)
  expect_files(out.sam out.paf path.png)
  file(STRINGS ${work}/out.paf line)
  if(NOT line MATCHES "^first\t11\t2\t9\t[+]\tonly\t8\t1\t8\t7\t7\t255\tNM:i:0\tAS:i:14\tcg:Z:7=$")
    message(FATAL_ERROR "PAF is ${line}")
  endif()
  expect_success("first\t11.*second\t4\t0\t1\t[+]" align a.fa b.fa --all --match 2 --mismatch -3)
  expect_success("first\tonly\t14" align a.fa b.fa --all --score-only)
  expect_success("score 14" align a.fa b.fa --checkpoint stopped.bin)
  if(EXISTS ${work}/stopped.bin)
    message(FATAL_ERROR "the checkpoint is still there")
  endif()
  file(REMOVE ${work}/out.sam ${work}/out.paf)
  file(WRITE ${work}/stopped.bin "something else")
  expect_failure(2 "must name a whole checkpoint" align a.fa b.fa --checkpoint stopped.bin)
endfunction()

function(case_align_bad_input)
  file(WRITE ${work}/a.fa ">a\nACGT\n")
  file(WRITE ${work}/empty.fa "")
  file(WRITE ${work}/hollow.fa ">nothing\n")
  expect_failure(2 "empty.fa: holds no FASTA record" align a.fa empty.fa)
  expect_failure(2 "hollow.fa: record 'nothing' has no letters" align hollow.fa a.fa)
  expect_failure(2 "none.fa: cannot be read" align a.fa none.fa)
  expect_failure(2 "a.fa: holds no record named 'b'" align a.fa a.fa --name-b b)
  expect_failure(2 "camera.png: line 1: expected a title line" align a.fa ${data}/camera.png)
  expect_failure(2 "--gap" align a.fa a.fa --gap 0)
  expect_failure(2 "BLOSUM63: cannot be read" align a.fa a.fa --matrix BLOSUM63)
  file(WRITE ${work}/scores.txt "A C\nA 1 x\n")
  expect_failure(2 "scores.txt: .*line 2: expected a whole number of 16 bits, got x"
    align a.fa a.fa --matrix scores.txt)
  expect_failure(2 "--mode" align a.fa a.fa --mode sideways)
  expect_failure(2 "--free-ends: .*got ''" align a.fa a.fa --mode semi-global --free-ends begin-a,,end-b)
  expect_failure(2 "--free-ends: has no effect" align a.fa a.fa --free-ends begin-a)
  expect_failure(2 "--match: has no effect" align a.fa a.fa --match 3 --matrix NUC.4.4)
  expect_failure(2 "--sam: has no effect" align a.fa a.fa --score-only --sam out.sam)
  # Names that the formats do not allow
  file(WRITE ${work}/names.fa ">@q1\nACGT\n>\nACGT\n>*\nACGT\n>a,b\nACGT\n")
  expect_failure(2 "names.fa: SAM does not allow the name '@q1'" align names.fa a.fa --sam out.sam)
  expect_failure(2 "names.fa: SAM does not allow the name 'a,b'"
    align a.fa names.fa --name-b a,b --sam out.sam)
  expect_failure(2 "names.fa: PAF does not allow the name ''" align a.fa names.fa --all)
  expect_failure(2 "names.fa: PAF does not allow the name '\\*'"
    align names.fa a.fa --name-a * --paf out.paf)
  expect_success("CIGAR 4=" align names.fa a.fa)
  file(WRITE ${work}/twice.fa ">a\nACGT\n>a\nCCCC\n")
  expect_failure(2 "twice.fa: SAM does not allow two references of one name, 'a'"
    align a.fa twice.fa --all --sam out.sam)
endfunction()

function(case_unwritable_output)
  write_npy(in.npy "<i4" "(2,)" 0100000002000000)
  expect_failure(2 "missing/out.npy: cannot be written" scan in.npy -o missing/out.npy)
  expect_failure(2 "is a directory" sat ${data}/camera.png -o ${work})
  # Found before the computation, which would take long.
  expect_failure(2 "missing/u.npy: cannot be written" sor --size 4000 -o missing/u.npy)
  expect_failure(2 "missing/c: cannot be written"
    align ${data}/humanMito.fa ${data}/mouseMito.fa --cigar missing/c)
  file(WRITE ${work}/plain_file "")
  expect_failure(2 "plain_file" demo --output plain_file)
  expect_failure(2 "camera.png: is missing" demo --output results --data ${work})
  file(CREATE_LINK b ${work}/a SYMBOLIC)
  file(CREATE_LINK a ${work}/b SYMBOLIC)
  expect_failure(2 "a: is a symbolic link that leads nowhere" sor --size 4000 -o a)
  expect_failure(2 "a: cannot be read" scan a -o out.npy)
  expect_failure(2 "is missing" demo --output results --data a)
  string(REPEAT n 300 name)
  expect_failure(2 "cannot be read" scan ${name} -o out.npy)
  expect_failure(2 "cannot be written" sor --size 4000 -o ${name})
endfunction()

function(case_full_disk)
  if(NOT EXISTS /dev/full)
    return()
  endif()
  write_npy(in.npy "<i4" "(2,)" 0100000002000000)
  expect_failure(1 "/dev/full: could not be written completely" scan in.npy -o /dev/full)
  execute_process(COMMAND bash -c "'${wavescan}' info >/dev/full" RESULT_VARIABLE code
    ERROR_VARIABLE err)
  if(NOT code EQUAL 1 OR NOT err MATCHES "wavescan: error: standard output")
    fail("expected a failure when standard output is full")
  endif()
endfunction()

function(case_demo)
  run(demo --output results --data ${data} --json)
  if(NOT code EQUAL 0)
    fail("expected success")
  endif()
  expect_files(results/restoration.png results/restoration_before.png results/restoration_after.png
    results/restoration_residual.png results/threshold.png results/histograms.png
    results/alignment.txt results/alignment.cigar)
  string(JSON before GET "${out}" restoration psnr_before)
  string(JSON after GET "${out}" restoration psnr_after)
  if(NOT after GREATER 28 OR NOT before LESS 20)
    fail("expected the restoration to help: PSNR ${before} before, ${after} after")
  endif()
  string(JSON order GET "${out}" poisson 3 order)
  if(order LESS 1.9 OR order GREATER 2.1)
    fail("expected order 2, got ${order}")
  endif()
  string(JSON identity GET "${out}" alignment identity)
  if(identity LESS 0.6 OR identity GREATER 0.8)
    fail("expected the genomes to be similar, got ${identity}")
  endif()
endfunction()

function(case_tune)
  run(tune --json --experiments 12 --entries 8192 -o model.txt --measurements times.csv)
  expect_json("12" experiments)
  expect_json("3" held_out shapes)
  file(STRINGS ${work}/model.txt model REGEX "^schedule (serial|row-sweep|tile-[a-z]+) ")
  if(NOT model)
    fail("expected schedules in model.txt")
  endif()
  file(STRINGS ${work}/times.csv times REGEX "^(summed|aligned|relaxed|varying|heavy)")
  list(LENGTH times count)
  if(count LESS 24)
    fail("expected at least 24 times, got ${count}")
  endif()
  set(ENV{WAVESCAN_TUNING} ${work}/model.txt)
  expect_success("Tuning +[^ ]" info --size 100x1000)
endfunction()

function(case_tune_bad_input)
  expect_failure(2 "--experiments" tune --experiments 3)
  expect_failure(2 "--entries" tune --entries few)
  file(WRITE ${work}/model.txt "nonsense")
  set(ENV{WAVESCAN_TUNING} ${work}/model.txt)
  expect_failure(2 "model.txt, line 1" info --size 100)
  set(ENV{WAVESCAN_TUNING} ${work}/missing.txt)
  expect_failure(2 "WAVESCAN_TUNING.*missing.txt" info --size 100)
endfunction()
