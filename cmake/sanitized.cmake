# SPDX-License-Identifier: Apache-2.0
#
# TALLY_SANITIZED: address (with undefined behaviour) or thread builds the library, the C++ tests and
# the command under sanitizers, in a time that is bearable: without AVX-512, the SIMT machine, whose
# fibers and own instrumentation no sanitizer knows, and the benchmark.
set(TALLY_SANITIZED "" CACHE STRING "Build under sanitizers: address or thread")
if(NOT TALLY_SANITIZED)
  return()
endif()

add_compile_definitions(TALLY_SANITIZED)
if(TALLY_SANITIZED STREQUAL "address")
  # All of undefined but checks of pointers that AddressSanitizer backs up where they are followed,
  # and of types behind virtual calls, of which there are few: with them, the vector code takes twice
  # as long to compile. Alignment stays, for nothing else sees it.
  set(checks -fsanitize=address,undefined,float-cast-overflow
             -fno-sanitize=null,object-size,pointer-overflow,vptr)
  add_compile_options(-fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(TALLY_SANITIZED STREQUAL "thread")
  set(checks -fsanitize=thread)
else()
  message(FATAL_ERROR "TALLY_SANITIZED is ${TALLY_SANITIZED}, neither address nor thread")
endif()
add_compile_options(${checks})
add_link_options(${checks})
