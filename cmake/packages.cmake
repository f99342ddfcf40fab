# cpack, or cpack --config BUILD/CPackConfig.cmake: two packages for Debian, olem and olem-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME olem)
set(CPACK_PACKAGE_VENDOR "The olem authors")
set(CPACK_PACKAGE_CONTACT "The olem authors <maintainers@olem.example>")
set(CPACK_PACKAGE_VERSION ${OLEM_VERSION})
# A tilde sorts before the release that it leads to.
string(REGEX REPLACE "^\\." "~" debian_suffix "${OLEM_VERSION_SUFFIX}")
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION}${debian_suffix})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME olem)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "\
olem learns from a table in which order its variables influence each other, graphs from that order, and what
to change so that an outcome ends up where it is wanted. This package has the command line, its manual pages
and completions, the rehearsal page (olem serve) and the module for mpirun.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME olem-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_DESCRIPTION
  "This package has the C++ library: headers, static library, files for CMake and pkg-config, and examples.")
# What the static library links; see cmake/olem-config.cmake.in.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "olem (= ${CPACK_DEBIAN_PACKAGE_VERSION}), coinor-libcbc-dev, coinor-libclp-dev, \
libfmt-dev, liblbfgsb-dev, libopenblas-dev, libpugixml-dev, nlohmann-json3-dev, pkg-config, zlib1g-dev")
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package-depends.cmake)
# For that file: what needs its libraries always, and what only some users load.
if(TARGET olem)
  list(APPEND OLEM_PACKAGED_ALWAYS ${PROJECT_BINARY_DIR}/app/olem)
endif()
if(TARGET olem_http)
  list(APPEND OLEM_PACKAGED_ALWAYS ${PROJECT_BINARY_DIR}/app/libolem_http.so)
endif()
if(TARGET olem_mpi)
  list(APPEND OLEM_PACKAGED_SOMETIMES ${PROJECT_BINARY_DIR}/app/libolem_mpi.so)
endif()
set(CPACK_OLEM_PACKAGED_ALWAYS ${OLEM_PACKAGED_ALWAYS})
set(CPACK_OLEM_PACKAGED_SOMETIMES ${OLEM_PACKAGED_SOMETIMES})
include(CPack)

# What Debian asks of the documentation of a package.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/olem RENAME copyright COMPONENT runtime)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/olem-dev RENAME copyright COMPONENT dev)
install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/olem COMPONENT runtime)
