# SPDX-License-Identifier: Apache-2.0
#
# families(SOURCES FILE...): a source for each family of the files, to be compiled by as many cores. A
# family is a line `#define NAME ...`; TALLY_FAMILY, at a file's end, is the one that is compiled.
function(families sources)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file STEM name)
    cmake_path(GET file EXTENSION suffix)
    file(READ ${file} text)
    string(REGEX MATCHALL "\n#define [A-Z_]+ " found "${text}")
    foreach(line IN LISTS found)
      string(REGEX MATCH "[A-Z_]+" family ${line})
      set(source families/${name}_${family}${suffix})
      file(CONFIGURE OUTPUT ${source} CONTENT "#define TALLY_FAMILY ${family}\n#include \"${file}\"\n")
      list(APPEND all ${CMAKE_CURRENT_BINARY_DIR}/${source})
    endforeach()
  endforeach()
  set(${sources} ${all} PARENT_SCOPE)
endfunction()
