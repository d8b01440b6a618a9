# SPDX-License-Identifier: Apache-2.0
#
# CUDA, where there is a compiler for it: sets TALLY_WITH_CUDA, and defines
# gpu_sources(TARGET FILE...): adds CUDA sources, compiled for GPUs, to TARGET;
# only_for_test_gpus(TARGET): compiles them for TALLY_TEST_ARCHITECTURES alone.
set(TALLY_WITH_CUDA OFF)
if(TALLY_CUDA STREQUAL "OFF")
  return()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(TALLY_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TALLY_CUDA is ON, but there is no CUDA compiler")
  endif()
  return()
endif()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
endif()
# Tests and benchmarks are most of what nvcc compiles, and are for one machine.
if(EXISTS /dev/nvidia0)
  set(own_architectures native)
else()
  set(own_architectures 90)
endif()
set(TALLY_TEST_ARCHITECTURES ${own_architectures} CACHE STRING
    "The GPUs that tests and benchmarks are compiled for: this machine's, or Hopper and newer")
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
set(TALLY_WITH_CUDA ON)

if(NOT cuda_std_20 IN_LIST CMAKE_CUDA_COMPILE_FEATURES)  # CMake 3.25 does not know that nvcc has it
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()

function(gpu_sources target)
  target_sources(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-Xcompiler=-ffp-contract=off,-Wno-psabi>")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY None  # the line above, for g++ too
                                             LINKER_LANGUAGE CXX)
endfunction()

function(only_for_test_gpus target)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${TALLY_TEST_ARCHITECTURES}")
endfunction()
