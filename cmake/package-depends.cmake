# Read by cpack: what the package olem depends on, by dpkg-shlibdeps. MPI is only recommended, since its module is loaded
# under mpirun only.
find_program(shlibdeps dpkg-shlibdeps REQUIRED)
set(folder ${CPACK_PACKAGE_DIRECTORY}/_depends)
file(WRITE ${folder}/debian/control "Source: olem\n\nPackage: olem\nArchitecture: any\n")  # it wants one
execute_process(COMMAND ${shlibdeps} -O -dDepends ${CPACK_OLEM_PACKAGED_ALWAYS} -dRecommends ${CPACK_OLEM_PACKAGED_SOMETIMES}
  WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE found ERROR_VARIABLE complaints RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "dpkg-shlibdeps failed: ${complaints}")
endif()
file(REMOVE_RECURSE ${folder})
if(found MATCHES "shlibs:Depends=([^\n]*)")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")
endif()
if(found MATCHES "shlibs:Recommends=([^\n]*)")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "${CMAKE_MATCH_1}, openmpi-bin")
endif()
