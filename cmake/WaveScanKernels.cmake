# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# The library WaveScan::kernels: what takes long to compile, compiled once, for the types
# WaveScan_KERNELS_TYPES and Kokkos' default execution spaces of host and device. Which templates
# those are, src/*/impl/<operation>/WaveScan_Instantiations.hpp say. WaveScan::wavescan brings it along.

set(WaveScan_KERNELS_TYPES "float;double;int32;int64" CACHE STRING
  "Types that WaveScan::kernels has: float, double, int32, int64, uint32, uint64")
set(WaveScan_KERNELS_OPTIONS "" CACHE STRING
  "Options of the compiler for WaveScan::kernels, after those of all other code")

set(places host)
set(host_space Kokkos::DefaultHostExecutionSpace)
set(device_space Kokkos::DefaultExecutionSpace)
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
  list(APPEND places device)
endif()

# A source for each operation, type and place, and the list that users' compilers read.
set(sources)
foreach(kind FLOATS INTEGERS ALIGNERS PAIRS)
  set(${kind})
  set(types ${WaveScan_KERNELS_TYPES})
  set(kind_places ${places})
  if(kind STREQUAL FLOATS)
    set(operations SCAN SEGMENTED FILTER COLUMNS SAT SOR SOR3D)
    list(FILTER types INCLUDE REGEX "^(float|double)$")
  elseif(kind STREQUAL INTEGERS)
    set(operations SCAN SEGMENTED SAT HISTOGRAM)
    list(FILTER types INCLUDE REGEX "^u?int(32|64)$")
  elseif(kind STREQUAL PAIRS) # alignments and heads of segments, whatever users' types are
    set(operations PAIR HEADS)
    set(types sequences)
  else() # their parts, on hosts
    set(kind_places host)
    set(operations ALIGNER BATCH)
    set(types HostAlgorithm)
  endif()
  foreach(name ${types})
    string(REGEX REPLACE "^(u?int.*)$" "std::\\1_t" type ${name})
    foreach(place ${kind_places})
      set(space ${${place}_space})
      string(APPEND ${kind} " \\\n  KERNELS(extern template, ${space}, ${type})")
      foreach(OPERATION ${operations})
        string(TOLOWER ${OPERATION} operation)
        set(source ${PROJECT_BINARY_DIR}/kernels/${operation}_of_${name}_on_${place}.cpp)
        configure_file(${PROJECT_SOURCE_DIR}/cmake/kernels/kernels.cpp.in ${source} @ONLY)
        list(APPEND sources ${source})
        if(place STREQUAL host)
          set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${operation})
        endif()
      endforeach()
    endforeach()
  endforeach()
endforeach()

include(WaveScanInstructions)
WaveScan_instructions(instructions)

set(list ${PROJECT_BINARY_DIR}/generated/WaveScan_CompiledKernels.hpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/kernels/WaveScan_CompiledKernels.hpp.in ${list} @ONLY)

add_library(WaveScan_kernels STATIC ${sources})
add_library(WaveScan::kernels ALIAS WaveScan_kernels)
set_target_properties(WaveScan_kernels PROPERTIES
  EXPORT_NAME kernels
  POSITION_INDEPENDENT_CODE ON)
# What the types of an operation share is compiled once. Not for devices: programs would get the kernels
# of all types when they are linked.
set_target_properties(WaveScan_kernels PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
target_compile_options(WaveScan_kernels PRIVATE ${WaveScan_KERNELS_OPTIONS})
target_compile_definitions(WaveScan_kernels PUBLIC WAVESCAN_HAS_KERNELS)
target_include_directories(WaveScan_kernels PRIVATE
  $<TARGET_PROPERTY:WaveScan,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(WaveScan_kernels PUBLIC Kokkos::kokkos)
target_compile_features(WaveScan_kernels PUBLIC cxx_std_20)

target_sources(WaveScan INTERFACE FILE_SET umbrella FILES ${list})
target_link_libraries(WaveScan INTERFACE WaveScan_kernels)
