#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "olem/context.h"

namespace olem::python {

// How one call uses the machine.
struct RunSettings {
  int threads = 1;  // 0: one per core
  std::uint64_t seed = 0;
  pybind11::object progress;  // None, or called with (fraction, phase) from the thread that made the call
};

// Does the work in a thread of its own while the calling one, without the GIL, waits for it: it hands progress to
// Python and looks for signals 20 times a second. Ctrl-C, or an exception of the callback, interrupts the work and is
// then raised; so is what the work throws.
void run_work(const RunSettings& settings, const std::function<void(const Context&)>& work);

// The same for work that returns something.
template <class Work>
auto run(const RunSettings& settings, const Work& work) {
  decltype(work(std::declval<const Context&>())) result;
  run_work(settings, [&](const Context& context) { result = work(context); });
  return result;
}

void add_run_settings(pybind11::module_& module);

}  // namespace olem::python
