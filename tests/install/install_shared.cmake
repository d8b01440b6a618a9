# SPDX-License-Identifier: Apache-2.0
#
# Installs Tally as a shared library, whose objects are those of the static one: nothing is compiled again.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DBUILD_SHARED_LIBS=ON -DTALLY_CUDA=OFF -DTALLY_BUILD_CLI=OFF -DTALLY_BUILD_TESTS=OFF)
run(${COMPILER} -shared -Wl,-soname,libtally.so.${SOVERSION} -Wl,-z,defs
    -Wl,--whole-archive ${ARCHIVE} -Wl,--no-whole-archive -ltbb -lz -lzstd -lbz2 -llzma -o ${FOLDER}/libtally.so.${VERSION})
file(CREATE_LINK libtally.so.${VERSION} ${FOLDER}/libtally.so.${SOVERSION} SYMBOLIC)
file(CREATE_LINK libtally.so.${SOVERSION} ${FOLDER}/libtally.so SYMBOLIC)
run(${CMAKE_COMMAND} --install ${FOLDER} --prefix ${PREFIX})
