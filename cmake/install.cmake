# SPDX-License-Identifier: Apache-2.0
#
# Puts the library, its headers, the command, a package for find_package(tally) and one for
# pkg-config under the prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tally)
install(TARGETS tally EXPORT tallyTargets)
install(DIRECTORY include/tally TYPE INCLUDE)
install(EXPORT tallyTargets NAMESPACE tally:: DESTINATION ${package_dir})
if(TARGET tally_mpi)  # a component: who does not ask for it needs no MPI
  install(TARGETS tally_mpi EXPORT tallyMpiTargets)
  install(EXPORT tallyMpiTargets NAMESPACE tally:: DESTINATION ${package_dir})
endif()
if(TARGET tally_cli)
  install(TARGETS tally_cli)
endif()

configure_package_config_file(cmake/tallyConfig.cmake.in tallyConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(tallyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tallyConfig.cmake ${PROJECT_BINARY_DIR}/tallyConfigVersion.cmake
        DESTINATION ${package_dir})

# A static library passes on what it links; pkg-config finds the prefix from where its file is.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig /${pkgconfig_dir} /)
set(pkgconfig_requires "")
set(pkgconfig_libs "")
if(NOT BUILD_SHARED_LIBS)
  if(TALLY_FILES)
    list(APPEND pkgconfig_requires zlib libzstd liblzma)
    list(APPEND pkgconfig_libs -lbz2)  # not every distribution has a file for pkg-config of it
  endif()
  if(TALLY_TBB)
    list(APPEND pkgconfig_requires tbb)
  else()
    list(APPEND pkgconfig_libs -pthread)
  endif()
  if(TALLY_WITH_CUDA)
    list(APPEND pkgconfig_libs -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl -pthread)
  endif()
endif()
list(JOIN pkgconfig_requires " " pkgconfig_requires)
list(JOIN pkgconfig_libs " " pkgconfig_libs)
configure_file(cmake/tally.pc.in tally.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tally.pc DESTINATION ${pkgconfig_dir})
