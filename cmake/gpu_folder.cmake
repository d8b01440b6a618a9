# SPDX-License-Identifier: Apache-2.0
#
# The component gpu_folder: every program that needs a GPU, and tally itself, with what they need to
# run where nothing is installed but the C library and a driver. Built by the target gpu_folder.
set(programs tally_cli)
foreach(directory bench/gpu ladder tests)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${directory}/CMakeLists.txt)
    get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/${directory} PROPERTY BUILDSYSTEM_TARGETS)
    list(FILTER targets INCLUDE REGEX "^(bench-|tally-|tally_gpu_tests|tally_record$)")
    list(APPEND programs ${targets})
  endif()
endforeach()

add_custom_target(gpu_folder DEPENDS ${programs})
set_target_properties(${programs} PROPERTIES INSTALL_RPATH $ORIGIN/../lib)
install(TARGETS ${programs} RUNTIME_DEPENDENCY_SET gpu_folder
        RUNTIME DESTINATION bin COMPONENT gpu_folder EXCLUDE_FROM_ALL)
install(RUNTIME_DEPENDENCY_SET gpu_folder
        PRE_EXCLUDE_REGEXES "^(ld-linux|libc\\.|libm\\.|libdl\\.|librt\\.|libpthread\\.)"
        LIBRARY DESTINATION lib COMPONENT gpu_folder EXCLUDE_FROM_ALL)
