# olem::lbfgsb, for the build and for those who link libolem.a: the library comes with neither CMake files nor a .pc file.
# Defines no target when there is none.
if(NOT TARGET olem::lbfgsb)
  find_library(OLEM_LBFGSB_LIBRARY lbfgsb)
  mark_as_advanced(OLEM_LBFGSB_LIBRARY)
  if(OLEM_LBFGSB_LIBRARY)
    add_library(olem::lbfgsb UNKNOWN IMPORTED)
    set_target_properties(olem::lbfgsb PROPERTIES IMPORTED_LOCATION "${OLEM_LBFGSB_LIBRARY}")
  endif()
endif()
