# SPDX-License-Identifier: Apache-2.0
#
# Puts the library, its headers, the command and a package for find_package(tally) under the prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tally)
install(TARGETS tally EXPORT tallyTargets)
install(DIRECTORY include/tally TYPE INCLUDE)
install(EXPORT tallyTargets NAMESPACE tally:: DESTINATION ${package_dir})
if(TARGET tally_cli)
  install(TARGETS tally_cli)
endif()

configure_package_config_file(cmake/tallyConfig.cmake.in tallyConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(tallyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tallyConfig.cmake ${PROJECT_BINARY_DIR}/tallyConfigVersion.cmake
        DESTINATION ${package_dir})
