# cmake --install BUILD --prefix X
#   X/bin/olem, X/lib/olem (its modules), X/share (manual pages, completions, an example)      component runtime
#   X/include/olem, X/lib/libolem.a, find_package(olem), olem.pc                              component dev
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/olem)
install(TARGETS olem_library EXPORT olem-targets ARCHIVE COMPONENT dev INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT olem-targets NAMESPACE olem:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/olem-config.cmake.in ${PROJECT_BINARY_DIR}/olem-config.cmake
  INSTALL_DESTINATION ${package_dir})
# Until 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/olem-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/olem-config.cmake ${PROJECT_BINARY_DIR}/olem-config-version.cmake
  cmake/olem-lbfgsb.cmake DESTINATION ${package_dir} COMPONENT dev)
install(DIRECTORY include/olem DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev FILES_MATCHING PATTERN "*.h")
# Relative, so that the folder may be moved.
file(RELATIVE_PATH OLEM_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" OLEM_PC_PREFIX "${OLEM_PC_PREFIX}")
configure_file(cmake/olem.pc.in ${PROJECT_BINARY_DIR}/olem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/olem.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(DIRECTORY examples/cpp DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/olem-dev/examples COMPONENT dev)

foreach(module olem_mpi olem_http)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${OLEM_MODULE_DIR} COMPONENT runtime)
  endif()
endforeach()
if(TARGET olem_cuda)
  install(PROGRAMS ${OLEM_CUDA_MODULE} DESTINATION ${OLEM_MODULE_DIR} COMPONENT runtime)
endif()
if(TARGET olem)
  install(TARGETS olem RUNTIME COMPONENT runtime)
  if(OLEM_PAGES)
    install(DIRECTORY ${OLEM_PAGES}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT runtime)
  endif()
  install(DIRECTORY examples/bermuda DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/olem/examples COMPONENT runtime)
endif()
