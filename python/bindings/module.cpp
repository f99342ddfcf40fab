#include "convert.h"
#include "olem/version.h"
#include "run.h"

PYBIND11_MODULE(_olem, module) {
  module.doc() = "The C++ library behind the package olem. Its names are not for users; those of olem are.";
  module.attr("__version__") = std::string(olem::version());
  olem::python::add_errors();
  olem::python::add_run_settings(module);
  olem::python::add_table(module);
  olem::python::add_learning(module);
  olem::python::add_graphs(module);
  olem::python::add_simulation(module);
  olem::python::add_decisions(module);
}
