# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# The target WaveScan::wavescan: headers, and Kokkos.

set(WaveScan_LAYERS common algebra gpu scan filters columns sliding wavefront sor imaging alignment)

configure_file(${PROJECT_SOURCE_DIR}/src/WaveScan_Version.hpp.in
               ${PROJECT_BINARY_DIR}/generated/WaveScan_Version.hpp @ONLY)

list(TRANSFORM WaveScan_LAYERS PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE layer_folders)
list(TRANSFORM layer_folders APPEND /*.hpp OUTPUT_VARIABLE public_patterns)
list(TRANSFORM layer_folders APPEND /impl/*.hpp OUTPUT_VARIABLE private_patterns)
file(GLOB WaveScan_UMBRELLA CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.hpp)
file(GLOB WaveScan_PUBLIC_HEADERS CONFIGURE_DEPENDS ${public_patterns})
file(GLOB_RECURSE WaveScan_PRIVATE_HEADERS CONFIGURE_DEPENDS ${private_patterns})
set(WaveScan_DEVICE_HEADERS ${WaveScan_PRIVATE_HEADERS}) # only compilers for GPUs take them
list(FILTER WaveScan_PRIVATE_HEADERS EXCLUDE REGEX "_Gpu|/impl/.+/gpu/")
list(FILTER WaveScan_DEVICE_HEADERS INCLUDE REGEX "_Gpu|/impl/.+/gpu/")

# Every layer is an include folder, in the sources as well as installed, where all of them are one.
add_library(WaveScan INTERFACE)
add_library(WaveScan::wavescan ALIAS WaveScan)
set_target_properties(WaveScan PROPERTIES EXPORT_NAME wavescan)
target_sources(WaveScan
  INTERFACE
    FILE_SET umbrella TYPE HEADERS
      BASE_DIRS ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated
      FILES ${WaveScan_UMBRELLA} ${PROJECT_BINARY_DIR}/generated/WaveScan_Version.hpp
    FILE_SET layers TYPE HEADERS
      BASE_DIRS ${layer_folders}
      FILES ${WaveScan_PUBLIC_HEADERS}
    FILE_SET details TYPE HEADERS
      BASE_DIRS ${layer_folders}
      FILES ${WaveScan_PRIVATE_HEADERS}
    FILE_SET device TYPE HEADERS
      BASE_DIRS ${layer_folders}
      FILES ${WaveScan_DEVICE_HEADERS})
target_compile_features(WaveScan INTERFACE cxx_std_20)
target_link_libraries(WaveScan INTERFACE Kokkos::kokkos)
